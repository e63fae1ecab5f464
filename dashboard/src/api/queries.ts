/** What the pages read: one entry per document of the API, with how often it is looked at again. */

import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, apiBase, documentOf, guardedFetch } from "./client";
import type { RunState, SourceOrder, SourceState, TaskKind, TaskState, UsageGrouping } from "./types";

const SOON = 5_000;
const CALM = 15_000;
const MINUTE = 60_000;
const PAGE_SIZE = 25;

type Read<T> = (signal: AbortSignal) => Promise<{ data?: T }>;

/** A document that is read and looked at again now and then. */
function document<T>(key: readonly unknown[], read: Read<T>, refetchInterval: number | false = CALM) {
  return queryOptions({
    queryKey: key,
    queryFn: ({ signal }) => documentOf(read(signal)),
    refetchInterval,
    placeholderData: keepPreviousData,
  });
}

interface Turn<Cursor> {
  before: Cursor | undefined;
  limit: number;
}

/** A list that goes on: each page names where the next one begins. */
function list<T extends { next?: Cursor | null | undefined }, Cursor extends string | number>(
  key: readonly unknown[],
  read: (page: Turn<Cursor>, signal: AbortSignal) => Promise<{ data?: T }>,
  refetchInterval = CALM,
) {
  return infiniteQueryOptions({
    queryKey: key,
    // The library does not see through the generic that this is the type of `initialPageParam`.
    queryFn: ({ signal, pageParam }) =>
      documentOf(read({ before: pageParam as Cursor | undefined, limit: PAGE_SIZE }, signal)),
    initialPageParam: undefined as Cursor | undefined,
    getNextPageParam: (last: T) => last.next ?? undefined,
    refetchInterval,
    placeholderData: keepPreviousData,
  });
}

interface Part {
  offset: number;
  limit: number;
}

/** The most rows of one part of a list, and the most parts that a page displays. */
const PART_SIZE = 200;
const MOST_PARTS = 5;

/** A list whose parts are put together to one document, up to a bound. */
async function inParts<K extends string, R, T extends Record<K, R[]> & { next?: number | null }>(
  key: K,
  read: (part: Part) => Promise<{ data?: T }>,
): Promise<{ data?: T }> {
  const { data } = await read({ offset: 0, limit: PART_SIZE });
  for (let count = 1; data?.next && count < MOST_PARTS; count++) {
    const more = (await read({ offset: data.next, limit: PART_SIZE })).data;
    data[key].push(...(more?.[key] ?? []));
    data.next = more?.next;
  }
  return { data };
}

/** What is empty is no filter. */
const given = (value: string): string | undefined => (value === "" ? undefined : value);

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

const ofSource = (name: string, signal: AbortSignal) => ({ params: { path: { name } }, signal });
const partOfSource = (name: string, signal: AbortSignal, query: Part) => ({
  params: { path: { name }, query },
  signal,
});

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
export const source = (name: string) =>
  document(["source", name], (signal) => api.GET("/api/sources/{name}", ofSource(name, signal)), SOON);
export const sourceRecipes = (name: string) =>
  document(["source", name, "recipes"], (signal) =>
    inParts("recipes", (part) => api.GET("/api/sources/{name}/recipes", partOfSource(name, signal, part))),
  );
export const sourceDecisions = (name: string) =>
  document(["source", name, "decisions"], (signal) => api.GET("/api/sources/{name}/decisions", ofSource(name, signal)));
export const sourceValues = (name: string, limit: number) =>
  document(
    ["source", name, "values", limit],
    (signal) => api.GET("/api/sources/{name}/values", { params: { path: { name }, query: { limit } }, signal }),
    // Many values are asked for less often.
    limit > PAGE_SIZE ? MINUTE : CALM,
  );
export const sourceFixes = (name: string) =>
  document(["source", name, "fixes"], (signal) =>
    inParts("fixes", (part) => api.GET("/api/sources/{name}/fixes", partOfSource(name, signal, part))),
  );
export const sourceSnapshots = (name: string) =>
  document(
    ["source", name, "snapshots"],
    (signal) =>
      inParts("snapshots", (part) => api.GET("/api/sources/{name}/snapshots", partOfSource(name, signal, part))),
    false,
  );

/** A snapshot as HTML: fetched as text, because a frame cannot send the token. */
export const snapshotPage = (name: string, snapshot_id: number, version?: number, numbers?: true) =>
  queryOptions({
    queryKey: ["snapshot", name, snapshot_id, version, numbers],
    queryFn: ({ signal }) =>
      documentOf(
        api.GET("/api/sources/{name}/snapshots/{snapshot_id}/page", {
          params: { path: { name, snapshot_id }, query: { version, numbers } },
          parseAs: "text",
          signal,
        }),
      ),
    staleTime: Infinity,
  });

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
