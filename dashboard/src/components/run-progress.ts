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
}

export interface RunProgress {
  nodes: ReadonlyMap<string, NodeProgress>;
  current: string | undefined;
  /** Set when the run is over. */
  stopReason: string | undefined;
}

const WAITING: NodeProgress = { state: "waiting", visits: 0, millis: 0, attempt: 0 };

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
      change(node, ({ visits }) => ({ state: "running", attempt, visits: visits + (attempt === 1 ? 1 : 0) }));
    } else if (event.type === "node_finished") {
      current = undefined;
      change(event.node, ({ millis }) => ({ state: "done", millis: millis + event.millis }));
    } else if (event.type === "node_failed") {
      change(event.node, () => ({ state: event.retry ? "running" : "failed" }));
    } else if (event.type === "run_finished") {
      current = undefined;
      stopReason = event.stopReason;
      // Where the run was cancelled or given up.
      for (const [node, { state }] of nodes) if (state === "running") change(node, () => ({ state: "stopped" }));
    }
  }
  return { nodes, current, stopReason };
}
