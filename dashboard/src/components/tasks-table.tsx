import { Link } from "react-router";
import type { Task } from "../api/types";
import { DataTable, type ColumnDef } from "../ui/data-table";
import { LongPath } from "../ui/long-text";
import { Time } from "../ui/time";
import { KIND_LABELS } from "./runs-table";
import { targetLabel } from "./target-label";
import { StateBadge } from "./state-badge";
import { actionOf, TaskActions } from "./task-actions";
import { TASK_LOOKS } from "./tones";

const whenOf = ({ completedAt, startedAt, runAt }: Task) => completedAt ?? startedAt ?? runAt;

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
    accessorKey: "state",
    cell: ({ row }) => <StateBadge looks={TASK_LOOKS} value={row.original.state} />,
  },
  {
    header: "Kind",
    accessorKey: "kind",
    cell: ({ row }) => <span className="whitespace-nowrap">{KIND_LABELS[row.original.kind]}</span>,
  },
  { header: "Task", accessorKey: "taskId", meta: { end: true, roomy: true } },
  {
    header: "Retries",
    accessorKey: "retryCount",
    meta: { end: true },
    cell: ({ row }) => (
      <span className="whitespace-nowrap">
        {row.original.retryCount} of {row.original.maxRetries}
      </span>
    ),
  },
  {
    // When it ended or began, and before that when it is due.
    header: "When",
    accessorFn: whenOf,
    meta: { end: true },
    cell: ({ row }) => (
      <span className="text-muted">
        <Time at={whenOf(row.original)} />
      </span>
    ),
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

export function TasksTable({ tasks }: { tasks: readonly Task[] }) {
  return <DataTable caption="Tasks" columns={COLUMNS} rows={tasks} rowKey={({ taskId }) => String(taskId)} />;
}
