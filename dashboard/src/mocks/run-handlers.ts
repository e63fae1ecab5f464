/** Runs, their parts and the queue. */

import { http, HttpResponse } from "msw";
import { eventStream, failure, filtered, pageOf } from "./answers";
import {
  healingDiagnostics,
  healingEvents,
  healingFixes,
  healingOutputs,
  healingResults,
  REPORT,
  WORKFLOWS,
} from "./healing";
import type { World } from "./world";

export function runHandlers(world: World) {
  const runOf = (runId: unknown) => world.runs.find((run) => run.runId === runId);
  const taskOf = (taskId: unknown) => world.tasks.find((task) => task.taskId === Number(taskId));
  return [
    http.get("*/api/runs", ({ request }) => {
      const rows = filtered(world.runs, request, ["kind", "state", "target"]);
      const { page, next } = pageOf(rows, request, ({ runId }) => runId);
      return HttpResponse.json({ runs: page, next });
    }),
    http.get("*/api/runs/:runId", ({ params }) => {
      const run = runOf(params.runId);
      if (!run) return failure(404, "RUN_NOT_FOUND", "there is no such run");
      if (run.state === "running") return HttpResponse.json({ run, currentNode: "patch_code" });
      // Whoever wrote the end of these had nothing to say of what came of them.
      if (["CANCELLED", "DEAD_LETTER"].includes(run.stopReason ?? "")) return HttpResponse.json({ run });
      return HttpResponse.json(
        run.kind === "HEAL_REPO"
          ? { run, results: healingResults(world.clock, 34), report: REPORT }
          : { run, document: { source: run.target, verdict: run.stopReason, values: world.sources[0]?.lastValues } },
      );
    }),
    http.post("*/api/runs/:runId/cancel", ({ params }) => {
      const run = runOf(params.runId);
      const task = taskOf(run?.taskId);
      if (task) task.cancelRequested = true;
      return run
        ? HttpResponse.json({ taskId: run.taskId, state: "IN_PROGRESS" })
        : failure(404, "RUN_NOT_FOUND", "no such run");
    }),
    http.get("*/api/runs/:runId/events", ({ params, request }) => {
      const run = runOf(params.runId);
      if (!run) return failure(404, "RUN_NOT_FOUND", "there is no such run");
      const after = Number(new URL(request.url).searchParams.get("after") ?? 0);
      const events = world.events.get(run.runId) ?? healingEvents(world.clock, 34);
      const isWhole = events.at(-1)?.type === "run_finished";
      const pace = run.state === "running" && isWhole ? world.pace : 0;
      const news = events.filter(({ sequence }) => sequence > after);
      // Only told live, and as long as a path may be.
      const folder = "/srv/ci/checkouts/" + "of-a-team-with-a-long-name/".repeat(6);
      const message = `running the tests of ${folder.replaceAll("/", "_")} in ${folder}`;
      const now = { sequence: 0, at: world.clock.ago(0), type: "progress" as const, node: "patch_code", message };
      return eventStream(isWhole ? news : [...news, now], pace, isWhole);
    }),
    http.get("*/api/runs/:runId/diagnostics", () =>
      HttpResponse.json({ diagnostics: healingDiagnostics(world.clock, 34) }),
    ),
    http.get("*/api/runs/:runId/fixes", () => HttpResponse.json({ fixes: healingFixes(world.clock, 34) })),
    http.get("*/api/runs/:runId/outputs", () => HttpResponse.json({ outputs: healingOutputs() })),
    http.get("*/api/workflows/:kind", ({ params }) => {
      const workflow = WORKFLOWS[String(params.kind)];
      return workflow ? HttpResponse.json(workflow) : failure(404, "NOT_FOUND", "there is no such workflow");
    }),

    http.get("*/api/tasks", ({ request }) => {
      const rows = filtered(world.tasks, request, ["state", "kind", "target"]);
      const { page, next } = pageOf(rows, request, ({ taskId }) => taskId);
      return HttpResponse.json({ tasks: page, next });
    }),
    http.get("*/api/tasks/:taskId", ({ params }) => {
      const task = taskOf(params.taskId);
      if (!task) return failure(404, "TASK_NOT_FOUND", "there is no such task");
      return HttpResponse.json({ task, runs: world.runs.filter(({ taskId }) => taskId === task.taskId) });
    }),
    http.post("*/api/tasks/:taskId/cancel", ({ params }) => {
      const task = taskOf(params.taskId);
      if (!task) return failure(404, "TASK_NOT_FOUND", "there is no such task");
      task.cancelRequested = true;
      if (task.state === "PENDING") task.state = "CANCELLED";
      return HttpResponse.json(task);
    }),
    http.post("*/api/tasks/:taskId/retry", ({ params }) => {
      const task = taskOf(params.taskId);
      if (!task) return failure(404, "TASK_NOT_FOUND", "there is no such task");
      Object.assign(task, { state: "PENDING", retryCount: 0, errorMessage: undefined, cancelRequested: false });
      return HttpResponse.json(task);
    }),
  ];
}
