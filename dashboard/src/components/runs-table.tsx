import { Link } from "react-router";
import type { RunSummary, TaskKind } from "../api/types";
import { DataTable, type ColumnDef, type Sorting } from "../ui/data-table";
import { formatMillis } from "../ui/format";
import { LongPath } from "../ui/long-text";
import { Time } from "../ui/time";
import { RunBadge } from "./state-badge";
import { targetLabel } from "./target-label";
import { lookOf, RUN_LOOKS } from "./tones";

export const KIND_LABELS: Record<TaskKind, string> = {
  HEAL_REPO: "Heal repository",
  ADD_SOURCE: "Add source",
  REFRESH_SOURCE: "Read source",
  FIX_SOURCE: "Heal source",
};

const COLUMNS: ColumnDef<RunSummary>[] = [
  {
    header: "Target",
    accessorKey: "target",
    meta: { share: "md:w-1/2" },
    cell: ({ row }) => (
      <Link to={`/runs/${row.original.runId}`} className="block min-w-0 rounded hover:underline">
        <LongPath text={targetLabel(row.original.target)} />
      </Link>
    ),
  },
  {
    header: "Outcome",
    accessorFn: ({ state }) => lookOf(RUN_LOOKS, state).label,
    cell: ({ row }) => <RunBadge run={row.original} />,
  },
  {
    header: "Kind",
    accessorFn: ({ kind }) => KIND_LABELS[kind],
    cell: ({ row }) => <span className="whitespace-nowrap">{KIND_LABELS[row.original.kind]}</span>,
  },
  {
    header: "Reason",
    accessorKey: "stopReason",
    meta: { share: "md:w-1/2", roomy: true },
    cell: ({ row: { original: run } }) => {
      const text = run.explanation ?? run.stopReason;
      if (!text) return null;
      return (
        // The page of the run has the whole text.
        <span title={text} className="block truncate text-muted max-md:whitespace-normal">
          {text}
        </span>
      );
    },
  },
  {
    header: "Fixes",
    accessorKey: "fixesApplied",
    meta: { end: true },
    cell: ({ row: { original: run } }) =>
      typeof run.totalFailures === "number" ? `${run.fixesApplied ?? 0} of ${run.totalFailures}` : null,
  },
  {
    header: "Took",
    accessorKey: "millis",
    meta: { end: true },
    cell: ({ row: { original: run } }) =>
      typeof run.millis === "number" ? <span className="whitespace-nowrap">{formatMillis(run.millis)}</span> : null,
  },
  {
    header: "Started",
    accessorFn: ({ startedAt }) => Date.parse(startedAt),
    meta: { end: true },
    cell: ({ row }) => (
      <span className="text-muted">
        <Time at={row.original.startedAt} />
      </span>
    ),
  },
];

/** What there is room for beside something else. */
const BRIEF = COLUMNS.filter(({ header }) => ["Target", "Outcome", "Fixes", "Started"].includes(String(header)));

/** For one target, the kind is what tells its runs apart. */
const OF_ONE_TARGET: ColumnDef<RunSummary>[] = [
  {
    header: "Kind",
    accessorKey: "kind",
    cell: ({ row }) => (
      <Link to={`/runs/${row.original.runId}`} className="block font-medium whitespace-nowrap hover:underline">
        {KIND_LABELS[row.original.kind]}
      </Link>
    ),
  },
  ...COLUMNS.filter(({ header }) => ["State", "Outcome", "Took", "Started"].includes(String(header))),
];

interface RunsTableProps {
  runs: readonly RunSummary[];
  caption: string;
  isBrief?: boolean;
  /** True if all runs are of one source. */
  isOfOneTarget?: boolean;
  /** The order, if the list is complete: the newest runs of a longer list are not sorted by themselves. */
  sorting?: Sorting | "none";
}

/** Runs, each a link to its page. */
export function RunsTable({ runs, caption, isBrief = false, isOfOneTarget = false, sorting = "none" }: RunsTableProps) {
  const columns = isOfOneTarget ? OF_ONE_TARGET : isBrief ? BRIEF : COLUMNS;
  return <DataTable caption={caption} columns={columns} rows={runs} rowKey={({ runId }) => runId} sorting={sorting} />;
}
