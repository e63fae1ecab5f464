/** What the pages of a run, a job and a task read. */

import { queryOptions } from "@tanstack/react-query";
import { api } from "./client";
import { document, inParts, PAGE_SIZE, SOON, type Part } from "./documents";
import type { TaskKind } from "./types";

/** The latest runs of one target. */
export const targetRuns = (target: string) =>
  document(["runs", "of", target], (signal) =>
    api.GET("/api/runs", { params: { query: { target, limit: PAGE_SIZE } }, signal }),
  );

const ofRun = (run_id: string, signal: AbortSignal) => ({ params: { path: { run_id } }, signal });
const partOfRun = (run_id: string, signal: AbortSignal, query: Part) => ({
  params: { path: { run_id }, query },
  signal,
});

export const run = (runId: string) =>
  queryOptions({
    ...document(["run", runId], (signal) => api.GET("/api/runs/{run_id}", ofRun(runId, signal))),
    // Without live events this is how the page keeps up.
    refetchInterval: ({ state }) => (state.data?.run.state === "running" ? SOON : false),
  });
export const runDiagnostics = (runId: string, isLive: boolean) =>
  document(
    ["run", runId, "diagnostics"],
    (signal) =>
      inParts("diagnostics", (part) => api.GET("/api/runs/{run_id}/diagnostics", partOfRun(runId, signal, part))),
    isLive && SOON,
  );
export const runFixes = (runId: string, isLive: boolean) =>
  document(
    ["run", runId, "fixes"],
    (signal) => inParts("fixes", (part) => api.GET("/api/runs/{run_id}/fixes", partOfRun(runId, signal, part))),
    isLive && SOON,
  );
export const runOutputs = (runId: string, isLive: boolean) =>
  document(
    ["run", runId, "outputs"],
    (signal) => inParts("outputs", (part) => api.GET("/api/runs/{run_id}/outputs", partOfRun(runId, signal, part))),
    isLive && SOON,
  );

export const workflow = (kind: TaskKind) =>
  queryOptions({
    ...document(
      ["workflow", kind],
      (signal) => api.GET("/api/workflows/{kind}", { params: { path: { kind } }, signal }),
      false,
    ),
    staleTime: Infinity,
  });
export const job = (jobId: string) =>
  document(
    ["job", jobId],
    (signal) => api.GET("/api/jobs/{job_id}", { params: { path: { job_id: jobId } }, signal }),
    SOON,
  );

export const task = (taskId: number) =>
  document(
    ["task", taskId],
    (signal) => api.GET("/api/tasks/{task_id}", { params: { path: { task_id: taskId } }, signal }),
    SOON,
  );
