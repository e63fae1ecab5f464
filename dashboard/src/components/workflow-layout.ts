/** Where the lines of a workflow's graph run, when its nodes stand in a column. */

import type { Workflow } from "../api/types";

export interface EdgeLine {
  from: number;
  to: number;
  label: string | undefined;
  /** Which lane beside the column the line takes; `undefined` for a step to the next node. */
  lane: number | undefined;
}

export const END = "end";

/** The nodes in the order of the column, the end last. */
export function columnOf({ nodes, edges }: Workflow): string[] {
  return edges.every(({ to }) => to) ? nodes : [...nodes, END];
}

/** Short lines get the inner lanes; lines that share a stretch never share a lane. */
export function linesOf(workflow: Workflow): EdgeLine[] {
  const column = columnOf(workflow);
  const lines = workflow.edges
    .map(({ from, to, label }) => ({
      from: column.indexOf(from),
      to: column.indexOf(to ?? END),
      label: label ?? undefined,
    }))
    .filter(({ from, to }) => from >= 0 && to >= 0)
    .sort((a, b) => Math.abs(a.to - a.from) - Math.abs(b.to - b.from));
  const taken: { lane: number; low: number; high: number }[] = [];
  return lines.map((line): EdgeLine => {
    if (line.to === line.from + 1) return { ...line, lane: undefined };
    const low = Math.min(line.from, line.to);
    const high = Math.max(line.from, line.to);
    const clash = (lane: number) =>
      taken.some((other) => other.lane === lane && other.low <= high && low <= other.high);
    let lane = 0;
    while (clash(lane)) lane += 1;
    taken.push({ lane, low, high });
    return { ...line, lane };
  });
}
