import { useCancelTask, useRetryTask } from "../api/actions";
import type { Task, TaskState } from "../api/types";
import { Button, type ButtonKind } from "../ui/button";

const CAN: Record<TaskState, "cancel" | "retry" | undefined> = {
  PENDING: "cancel",
  IN_PROGRESS: "cancel",
  COMPLETED: undefined,
  FAILED: "retry",
  QUARANTINED: "retry",
  CANCELLED: "retry",
};

/** Has a task done again that ended, from its beginning. */
export function RetryTask({ taskId, kind = "quiet" }: { taskId: number; kind?: ButtonKind }) {
  const retry = useRetryTask();
  return (
    <Button kind={kind} aria-label={`Retry task ${taskId}`} busy={retry.isPending} onClick={() => retry.mutate(taskId)}>
      Retry
    </Button>
  );
}

/** What a person may have done with a task. */
export const actionOf = ({ state }: Task) => CAN[state];

/** Stops a task, or has it done again. */
export function TaskActions({ task, kind = "quiet" }: { task: Task; kind?: ButtonKind }) {
  const cancel = useCancelTask();
  const can = actionOf(task);
  if (can === "cancel") {
    return task.cancelRequested ? (
      <span className="text-xs whitespace-nowrap text-muted">stopping…</span>
    ) : (
      <Button
        kind={kind}
        aria-label={`Cancel task ${task.taskId}`}
        busy={cancel.isPending}
        onClick={() => cancel.mutate(task.taskId)}
      >
        Cancel
      </Button>
    );
  }
  return can === "retry" ? <RetryTask taskId={task.taskId} kind={kind} /> : null;
}
