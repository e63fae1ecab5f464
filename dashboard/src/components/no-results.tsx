import type { ReactNode } from "react";
import type { Task } from "../api/types";
import { sentence } from "../api/describe";
import { Message } from "../ui/message";
import { actionOf, RetryTask } from "./task-actions";

const ENDS: Record<string, readonly [title: string, next: string]> = {
  CANCELLED: ["Cancelled before it came to a result", "Retry the task to have it done after all."],
  QUARANTINED: ["Given up after too many failures", "When the cause is mended, retry the task."],
  DEAD_LETTER: ["Given up after too many failures", "When the cause is mended, retry the task."],
};
const OTHER = ["It failed before it came to a result", "The log of the run says more."] as const;

interface NoResultsProps {
  /** Why it ended: a stop reason, or the state of its task. */
  reason: string | undefined;
  error: string | undefined;
  task: Task | undefined;
  action?: ReactNode;
}

/** In place of results: why there are none, and how to have it done again. */
export function NoResults({ reason = "", error, task, action }: NoResultsProps) {
  const [title, next] = ENDS[reason] ?? OTHER;
  return (
    <div role="alert" className="rounded-lg border border-line bg-surface shadow-card">
      <Message
        icon={reason === "CANCELLED" ? "stop" : "warning"}
        title={title}
        action={
          <>
            {task && actionOf(task) === "retry" && <RetryTask taskId={task.taskId} kind="primary" />}
            {action}
          </>
        }
      >
        {error && reason !== "CANCELLED" && <p className="break-words">{sentence(error)}</p>}
        <p>{next}</p>
      </Message>
    </div>
  );
}
