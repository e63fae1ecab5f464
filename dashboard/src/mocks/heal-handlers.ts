/** Submitting a repository and watching its job. */

import { http, HttpResponse } from "msw";
import type { JobRequest, StatusResponse } from "../api/types";
import { validateGitHubUrl } from "../components/repository-url";
import { failure } from "./answers";
import { healingEvents, healingResults } from "./healing";
import { runIdOf, type World } from "./world";

const STEPS = [
  "analyze_repo",
  "discover_tests",
  "diagnose_failures",
  "generate_fixes",
  "patch_code",
  "commit_push",
  "monitor_ci",
] as const;

export function healHandlers(world: World) {
  const queue = (target: string) => {
    const number = 500 + world.jobs.size;
    const job = { jobId: runIdOf(number), runId: runIdOf(number + 100), taskId: number, asked: 0 };
    const startedAt = new Date().toISOString();
    world.jobs.set(job.jobId, job);
    world.runs.unshift({
      runId: job.runId,
      taskId: job.taskId,
      kind: "HEAL_REPO",
      target,
      startedAt,
      state: "running",
    });
    world.events.set(job.runId, healingEvents(world.clock, 0));
    return HttpResponse.json({ jobId: job.jobId, status: "queued" });
  };
  return [
    http.post("*/api/heal", async ({ request }) => {
      const { repositoryUrl, teamName, leaderName } = (await request.json()) as JobRequest;
      if (!validateGitHubUrl(repositoryUrl) || !teamName || !leaderName) {
        return failure(400, "INVALID_INPUT", "repositoryUrl must look like https://github.com/owner/repository");
      }
      return queue(repositoryUrl);
    }),

    http.post("*/api/runs/:runId/again", ({ params }) => {
      const run = world.runs.find(({ runId }) => runId === params.runId);
      return run ? queue(run.target) : failure(404, "RUN_NOT_FOUND", "there is no such run");
    }),

    http.get("*/api/status/:jobId", ({ params }) => {
      const job = world.jobs.get(String(params.jobId));
      if (!job) return failure(404, "JOB_NOT_FOUND", "there is no such job");
      const { jobId } = job;
      const step = job.asked - 1;
      job.asked += 1;
      let status: StatusResponse;
      if (step < 0) status = { jobId, status: "queued", progress: 0 };
      else if (step < STEPS.length) {
        status = {
          jobId,
          status: "running",
          currentStep: STEPS[step],
          progress: Math.round((100 * step) / STEPS.length),
        };
      } else {
        const run = world.runs.find(({ runId }) => runId === job.runId);
        if (run) run.state = "fixed";
        const results = { ...healingResults(world.clock, 1), ...(run && { repository: run.target }) };
        status = { jobId, status: "completed", progress: 100, results };
      }
      return HttpResponse.json(status);
    }),

    http.get("*/api/jobs/:jobId", ({ params }) => {
      const job = world.jobs.get(String(params.jobId));
      if (!job) return failure(404, "JOB_NOT_FOUND", "there is no such job");
      const run = world.runs.find(({ runId }) => runId === job.runId);
      const task = { ...world.tasks.find(({ kind }) => kind === "HEAL_REPO"), taskId: job.taskId, target: run?.target };
      return HttpResponse.json({ jobId: job.jobId, createdAt: run?.startedAt, task, run });
    }),
  ];
}
