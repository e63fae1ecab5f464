/** What the events of a run say about each of its agents. */

import type { RunEvent } from "../api/types";

export type NodeState = "waiting" | "running" | "done" | "failed" | "stopped";

export interface NodeProgress {
  state: NodeState;
  /** How often it was begun, tries of one visit not counted. */
  visits: number;
  /** All its visits together. */
  millis: number;
  attempt: number;
  /** Error of its last visit, if that failed. */
  error?: string | undefined;
}

export interface RunProgress {
  nodes: ReadonlyMap<string, NodeProgress>;
  current: string | undefined;
  /** Set when the run is over. */
  stopReason: string | undefined;
}

const WAITING: NodeProgress = { state: "waiting", visits: 0, millis: 0, attempt: 0 };

/** Topic of the note by which an agent reports that it failed. */
export const FAILURE_TOPIC = "failed";

/** Adds the failure of a run whose only agent reports none: the agent failed for the reason of the run. */
export function withFailure(progress: RunProgress, failure: string | undefined): RunProgress {
  const [only, ...others] = progress.nodes;
  if (failure === undefined || !only || others.length > 0 || only[1].state !== "done") return progress;
  return { ...progress, nodes: new Map([[only[0], { ...only[1], state: "failed", error: failure }]]) };
}

/** Returns the state of each agent after these events. */
export function progressOf(events: readonly RunEvent[]): RunProgress {
  const nodes = new Map<string, NodeProgress>();
  let current: string | undefined;
  let stopReason: string | undefined;
  const change = (node: string, next: (old: NodeProgress) => Partial<NodeProgress>) => {
    const old = nodes.get(node) ?? WAITING;
    nodes.set(node, { ...old, ...next(old) });
  };
  for (const event of events) {
    if (event.type === "node_started") {
      const { node, attempt } = event;
      current = node;
      change(node, ({ visits }) => ({
        state: "running",
        attempt,
        visits: visits + (attempt === 1 ? 1 : 0),
        error: undefined,
      }));
    } else if (event.type === "node_finished") {
      current = undefined;
      // An agent that failed for good finishes as well.
      change(event.node, ({ millis, error }) => ({
        state: error === undefined ? "done" : "failed",
        millis: millis + event.millis,
      }));
    } else if (event.type === "node_failed") {
      change(event.node, () => (event.retry ? { state: "running" } : { state: "failed", error: event.error }));
    } else if (event.type === "note" && event.topic === FAILURE_TOPIC) {
      change(event.node, () => ({ error: event.message }));
    } else if (event.type === "run_finished") {
      current = undefined;
      stopReason = event.stopReason;
      // Where the run was cancelled or given up.
      for (const [node, { state }] of nodes) if (state === "running") change(node, () => ({ state: "stopped" }));
    }
  }
  return { nodes, current, stopReason };
}
