import { Link } from "react-router";
import type { Task } from "../api/types";
import { DataTable, type ColumnDef, type Sorting } from "../ui/data-table";
import { LongPath } from "../ui/long-text";
import { Time } from "../ui/time";
import { KIND_LABELS } from "./runs-table";
import { targetLabel } from "./target-label";
import { StateBadge } from "./state-badge";
import { actionOf, TaskActions } from "./task-actions";
import { lookOf, TASK_LOOKS } from "./tones";

/** The last thing that happened to a task, or what will happen next, with its time. */
function eventOf({ completedAt, startedAt, runAt, state }: Task): readonly [string, string] {
  if (completedAt) return ["ended", completedAt];
  // A task that is tried again has started, and waits.
  if (startedAt && state === "IN_PROGRESS") return ["started", startedAt];
  return ["due", runAt];
}

const COLUMNS: ColumnDef<Task>[] = [
  {
    header: "Target",
    accessorKey: "target",
    meta: { share: "md:w-full" },
    cell: ({ row }) => (
      <Link to={`/queue/${row.original.taskId}`} className="block min-w-0 rounded hover:underline">
        <LongPath text={targetLabel(row.original.target)} />
      </Link>
    ),
  },
  {
    header: "State",
    accessorFn: ({ state }) => lookOf(TASK_LOOKS, state).label,
    cell: ({ row }) => <StateBadge looks={TASK_LOOKS} value={row.original.state} />,
  },
  {
    header: "Kind",
    accessorFn: ({ kind }) => KIND_LABELS[kind],
    cell: ({ row }) => <span className="whitespace-nowrap">{KIND_LABELS[row.original.kind]}</span>,
  },
  { header: "Task", accessorKey: "taskId", meta: { end: true, roomy: true } },
  {
    header: "Retries",
    accessorKey: "retryCount",
    meta: { end: true, roomy: true },
    cell: ({ row }) => (
      <span className="whitespace-nowrap">
        {row.original.retryCount} of {row.original.maxRetries}
      </span>
    ),
  },
  {
    header: "Requested",
    accessorFn: ({ createdAt }) => Date.parse(createdAt),
    meta: { end: true },
    cell: ({ row }) => (
      <span className="text-muted">
        <Time at={row.original.createdAt} />
      </span>
    ),
  },
  {
    header: "When",
    accessorFn: (task) => Date.parse(eventOf(task)[1]),
    meta: { end: true },
    cell: ({ row }) => {
      const [event, at] = eventOf(row.original);
      return (
        <span className="inline-block text-muted xl:min-w-36">
          {event} <Time at={at} />
          {row.original.worker && <span className="block text-xs wrap-anywhere">by {row.original.worker}</span>}
        </span>
      );
    },
  },
  {
    header: () => <span className="sr-only">Actions</span>,
    id: "actions",
    enableSorting: false,
    meta: { end: true },
    // Rows are as high as their text, with a button or without; its word stands where the column ends.
    cell: ({ row }) =>
      actionOf(row.original) && (
        <span className="-my-1.5 -me-3 inline-block max-md:ms-auto">
          <TaskActions task={row.original} />
        </span>
      ),
  },
];

export function TasksTable({ tasks, sorting }: { tasks: readonly Task[]; sorting: Sorting | "none" }) {
  return (
    <DataTable
      caption="Tasks"
      columns={COLUMNS}
      rows={tasks}
      rowKey={({ taskId }) => String(taskId)}
      sorting={sorting}
    />
  );
}
