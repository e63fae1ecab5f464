/** Actions on many sources at once. */

import { useQueryClient } from "@tanstack/react-query";
import { useBulk } from "../store/bulk";
import { forEachBounded } from "./bounded";
import { api } from "./client";
import type { Source } from "./types";

export interface BulkAction {
  key: "run" | "heal" | "release" | "delete";
  label: string;
  /** What the sources are afterwards. */
  result: string;
  /** Why it does not apply to a source, if it does not. */
  refusal: (source: Source) => string | undefined;
}

const applies = () => undefined;

export const BULK_ACTIONS: readonly BulkAction[] = [
  { key: "run", label: "Run now", result: "in the queue", refusal: applies },
  {
    key: "heal",
    label: "Run the Doctor",
    result: "in the queue",
    // The circuit breaker would end these runs at once.
    refusal: ({ state }) => (state === "QUARANTINED" ? "in quarantine" : state === "DEAD" ? "dead" : undefined),
  },
  {
    key: "release",
    label: "Release from quarantine",
    result: "released",
    refusal: ({ state }) => (state === "QUARANTINED" ? undefined : "not in quarantine"),
  },
  { key: "delete", label: "Delete", result: "deleted", refusal: applies },
];

function request(key: BulkAction["key"], name: string): Promise<unknown> {
  const params = { path: { name } };
  switch (key) {
    case "run":
      return api.POST("/api/sources/{name}/run", { params });
    case "heal":
      return api.POST("/api/sources/{name}/heal", { params });
    case "release":
      return api.POST("/api/sources/{name}/release", { params });
    case "delete":
      return api.DELETE("/api/sources/{name}", { params });
  }
}

/** Starts an action on the sources that it applies to. Those that fail stay selected. */
export function useBulkStart() {
  const client = useQueryClient();
  return async (action: BulkAction, sources: readonly Source[]) => {
    const { setWork, update, select } = useBulk.getState();
    const stop = new AbortController();
    const names = sources.filter((source) => action.refusal(source) === undefined).map(({ name }) => name);
    const leftOut = sources.flatMap((source) => {
      const reason = action.refusal(source);
      return reason === undefined ? [] : [{ name: source.name, reason }];
    });
    setWork({
      label: action.label,
      result: action.result,
      names,
      leftOut,
      done: [],
      failed: [],
      isOver: false,
      stop: () => stop.abort(),
    });
    await forEachBounded(
      names,
      (name) => request(action.key, name),
      (name, error) => {
        if (error) update(({ failed }) => ({ failed: [...failed, { name, error: error.cause }] }));
        else {
          update(({ done }) => ({ done: [...done, name] }));
          select([name], false);
        }
      },
      stop.signal,
    );
    update(() => ({ isOver: true }));
    await client.invalidateQueries();
  };
}
