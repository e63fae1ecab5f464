/** What the pages read: one entry per document of the API, with how often it is looked at again. */

import { queryOptions } from "@tanstack/react-query";
import { api, apiBase, documentOf, guardedFetch } from "./client";
import { document, given, inParts, list, MINUTE, PAGE_SIZE, SOON, type Part, type Turn } from "./documents";
import type { RunState, SourceOrder, SourceState, TaskKind, TaskState, UsageGrouping } from "./types";

export const overview = () => document(["overview"], (signal) => api.GET("/api/overview", { signal }), SOON);

interface RunFilter {
  kind: string;
  state: string;
  search: string;
}

export const latestRuns = () =>
  document(["runs", "latest"], (signal) => api.GET("/api/runs", { params: { query: { limit: 6 } }, signal }), SOON);
export const runs = ({ kind, state, search }: RunFilter) =>
  list(
    ["runs", kind, state, search],
    (page: Turn<string>, signal) => {
      // It stands in the address, where anything may: the server refuses what it does not know.
      const filter = {
        kind: given(kind) as TaskKind | undefined,
        state: given(state) as RunState | undefined,
        search: given(search),
      };
      return api.GET("/api/runs", { params: { query: { ...filter, ...page } }, signal });
    },
    SOON,
  );

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

/** The state of a filter that leaves no task out. */
export const ANY_STATE = "all";

interface TaskFilter {
  /** A state, `ANY_STATE`, or nothing for the tasks that are not over. */
  state: string;
  kind: string;
  search: string;
}

/** All running tasks are on the first page: there are at most as many as workers. */
const MOST_RUNNING = 200;

/** Tasks page by page, the newest first; without a state those that run, then those that wait. */
export const tasks = ({ state, kind, search }: TaskFilter) =>
  list(
    ["tasks", state, kind, search],
    async ({ before, limit }: Turn<number>, signal) => {
      const filter = { kind: given(kind) as TaskKind | undefined, search: given(search) };
      const read = (state: TaskState | undefined, before: number | undefined, limit: number) =>
        api.GET("/api/tasks", { params: { query: { ...filter, state, before, limit } }, signal });
      if (state === ANY_STATE) return read(undefined, before, limit);
      if (state !== "") return read(state as TaskState, before, limit);
      const [running, waiting] = await Promise.all([
        before === undefined ? documentOf(read("IN_PROGRESS", undefined, MOST_RUNNING)) : undefined,
        documentOf(read("PENDING", before, limit)),
      ]);
      return { data: { ...waiting, tasks: [...(running?.tasks ?? []), ...waiting.tasks] } };
    },
    SOON,
  );
export const task = (taskId: number) =>
  document(
    ["task", taskId],
    (signal) => api.GET("/api/tasks/{task_id}", { params: { path: { task_id: taskId } }, signal }),
    SOON,
  );

interface SourceFilter {
  state: string;
  waits: string;
  order: string;
  search: string;
}

/** Sources page by page; each page names the offset of the next one. */
export const sources = ({ state, waits, order, search }: SourceFilter) =>
  list(["sources", state, waits, order, search], ({ before: offset, limit }: Turn<number>, signal) => {
    const query = {
      state: given(state) as SourceState | undefined,
      waits: waits === "true" || undefined,
      order: given(order) as SourceOrder | undefined,
      search: given(search),
      offset,
      limit,
    };
    return api.GET("/api/sources", { params: { query }, signal });
  });
export const sourceStatistics = () =>
  document(["sources", "statistics"], (signal) => api.GET("/api/sources/statistics", { signal }));
export const alerts = (search: string) =>
  list(["alerts", search], (page: Turn<number>, signal) =>
    api.GET("/api/alerts", { params: { query: { search: given(search), ...page } }, signal }),
  );

/** What needs a person. */
export const needs = () => document(["needs"], (signal) => api.GET("/api/needs", { signal }), SOON);
export const usage = (by: UsageGrouping, days: number) =>
  document(["usage", by, days], (signal) => api.GET("/api/usage", { params: { query: { by, days } }, signal }), MINUTE);

/** The description of the API is not described by itself. */
export const openApi = () =>
  queryOptions({
    queryKey: ["openapi"],
    queryFn: async ({ signal }): Promise<unknown> =>
      (await guardedFetch(new Request(`${apiBase}/api/openapi.json`, { signal }))).json(),
    staleTime: Infinity,
  });
