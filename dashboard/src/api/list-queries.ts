/** Lists, page by page. */

import { api, documentOf } from "./client";
import { given, list, SOON, type Turn } from "./documents";
import type { RunState, SourceOrder, SourceState, TaskKind, TaskState } from "./types";

interface RunFilter {
  kind: string;
  state: string;
  search: string;
}

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

export const alerts = (search: string) =>
  list(["alerts", search], (page: Turn<number>, signal) =>
    api.GET("/api/alerts", { params: { query: { search: given(search), ...page } }, signal }),
  );
