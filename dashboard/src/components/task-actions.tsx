import { useCancelTask, useRetryTask } from "../api/actions";
import type { Task, TaskState } from "../api/types";
import { Button } from "../ui/button";

const CAN: Record<TaskState, "cancel" | "retry" | undefined> = {
  PENDING: "cancel",
  IN_PROGRESS: "cancel",
  COMPLETED: undefined,
  FAILED: "retry",
  QUARANTINED: "retry",
  CANCELLED: "retry",
};

/** Stops a task, or has it done again. */
export function TaskActions({ task }: { task: Task }) {
  const cancel = useCancelTask();
  const retry = useRetryTask();
  const can = CAN[task.state];
  if (can === "cancel") {
    return task.cancelRequested ? (
      <span className="text-xs whitespace-nowrap text-muted">stopping…</span>
    ) : (
      <Button
        kind="quiet"
        aria-label={`Cancel task ${task.taskId}`}
        busy={cancel.isPending}
        onClick={() => cancel.mutate(task.taskId)}
      >
        Cancel
      </Button>
    );
  }
  if (can === "retry") {
    return (
      <Button
        kind="quiet"
        aria-label={`Retry task ${task.taskId}`}
        busy={retry.isPending}
        onClick={() => retry.mutate(task.taskId)}
      >
        Retry
      </Button>
    );
  }
  return null;
}
