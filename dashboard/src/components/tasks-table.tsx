import type { ColumnDef } from "@tanstack/react-table";
import { Link } from "react-router";
import type { Task } from "../api/types";
import { DataTable } from "../ui/data-table";
import { LongPath } from "../ui/long-text";
import { Time } from "../ui/time";
import { KIND_LABELS } from "./runs-table";
import { targetLabel } from "./target-label";
import { StateBadge } from "./state-badge";
import { TaskActions } from "./task-actions";
import { TASK_LOOKS } from "./tones";

const COLUMNS: ColumnDef<Task>[] = [
  {
    header: "Task",
    accessorKey: "taskId",
    cell: ({ row }) => (
      <Link to={`/queue/${row.original.taskId}`} className="font-medium hover:underline">
        {row.original.taskId}
      </Link>
    ),
  },
  {
    header: "Kind",
    accessorKey: "kind",
    cell: ({ row }) => <span className="whitespace-nowrap">{KIND_LABELS[row.original.kind]}</span>,
  },
  {
    header: "Target",
    accessorKey: "target",
    meta: { share: "md:w-full" },
    cell: ({ row }) => <LongPath text={targetLabel(row.original.target)} />,
  },
  {
    header: "State",
    accessorKey: "state",
    cell: ({ row }) => <StateBadge looks={TASK_LOOKS} value={row.original.state} />,
  },
  {
    header: "Retries",
    accessorKey: "retryCount",
    meta: { end: true },
    cell: ({ row }) => `${row.original.retryCount} of ${row.original.maxRetries}`,
  },
  {
    header: "Due",
    accessorKey: "runAt",
    meta: { end: true },
    cell: ({ row: { original: task } }) => <Time at={task.completedAt ?? task.startedAt ?? task.runAt} />,
  },
  {
    header: "Actions",
    id: "actions",
    enableSorting: false,
    meta: { end: true },
    cell: ({ row }) => <TaskActions task={row.original} />,
  },
];

export function TasksTable({ tasks }: { tasks: readonly Task[] }) {
  return <DataTable caption="Tasks" columns={COLUMNS} rows={tasks} rowKey={({ taskId }) => String(taskId)} />;
}
