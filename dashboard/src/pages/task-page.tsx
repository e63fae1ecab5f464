import { useQuery } from "@tanstack/react-query";
import { Link, Navigate, useLocation, useParams } from "react-router";
import * as queries from "../api/run-queries";
import type { TaskDetail } from "../api/types";
import { failureOf, isFailed } from "../components/run-failure";
import { KIND_LABELS, RunsTable } from "../components/runs-table";
import { addingState, type AddingState } from "../components/source-form";
import { RunBadge, StateBadge } from "../components/state-badge";
import { targetLabel } from "../components/target-label";
import { placeOf } from "../components/target-place";
import { TaskActions } from "../components/task-actions";
import { TASK_LOOKS } from "../components/tones";
import { Facts } from "../ui/facts";
import { Loaded } from "../ui/loaded";
import { Message } from "../ui/message";
import { Page } from "../ui/page";
import { Panel } from "../ui/panel";
import { Time } from "../ui/time";

const NOT_READ = "the task ended before the page was read";

/** Returns why a task that is over did not succeed: the error of its last run, else its own. */
function useReason(data: TaskDetail | undefined) {
  const task = data?.task;
  const last = data?.runs.toSorted((a, b) => a.startedAt.localeCompare(b.startedAt)).at(-1);
  const hasFailed = last !== undefined && isFailed(last);
  const run = useQuery({ ...queries.run(last?.runId ?? ""), enabled: hasFailed });
  const isOver = task?.completedAt !== undefined && task.completedAt !== null;
  if (!isOver) return { isOver, hasFailed: false };
  if (!hasFailed) return { isOver, hasFailed: task.state !== "COMPLETED", reason: task.errorMessage ?? undefined };
  if (run.isPending) return { isOver: false, hasFailed };
  const reason = (run.data && failureOf(run.data)) ?? task.errorMessage ?? last.explanation ?? "";
  return { isOver, hasFailed, reason, run: last };
}

/** One task: its state and the runs that came of it. */
export function TaskPage() {
  const { taskId = "" } = useParams();
  const query = useQuery(queries.task(Number(taskId)));
  const task = query.data?.task;
  const location = useLocation();
  const { isOver, hasFailed, reason, run } = useReason(query.data);
  const adding = addingState(location.state);
  if (task && adding && isOver) {
    if (!hasFailed) return <Navigate to={placeOf(task.target)} replace />;
    // There is no such source: the form comes back with its input and the reason.
    return (
      <Navigate to="/new-source" replace state={{ ...adding, reason: reason ?? NOT_READ } satisfies AddingState} />
    );
  }
  return (
    <Page
      title={`Task ${taskId}`}
      back={{ to: "/queue", label: "Queue" }}
      lead={
        // A task is done as well when its run did not succeed: the run says more.
        task ? (
          run && task.state === "COMPLETED" ? (
            <RunBadge run={run} />
          ) : (
            <StateBadge looks={TASK_LOOKS} value={task.state} />
          )
        ) : (
          "\u00a0"
        )
      }
      actions={task && <TaskActions task={task} kind="secondary" />}
    >
      <Loaded query={query} lines={8}>
        {({ task, runs }) => (
          <>
            <Panel title="Task">
              <Facts
                facts={[
                  ["Kind", KIND_LABELS[task.kind]],
                  [
                    "Target",
                    task.kind === "ADD_SOURCE" && hasFailed ? (
                      targetLabel(task.target)
                    ) : (
                      <Link key="target" to={placeOf(task.target)} className="text-accent hover:underline">
                        {targetLabel(task.target)}
                      </Link>
                    ),
                  ],
                  ["Priority", task.priority],
                  ["Retries", `${task.retryCount} of ${task.maxRetries}`],
                  ["Workers that died at it", `${task.deaths} of 3`],
                  ["Created", <Time key="created" at={task.createdAt} />],
                  ["Due", <Time key="due" at={task.runAt} />],
                  ["Started", <Time key="started" at={task.startedAt} />],
                  ["Finished", <Time key="finished" at={task.completedAt} />],
                  ["Worker", task.worker ?? "none"],
                ]}
              />
              {(reason ?? task.errorMessage) && (
                <p className="mt-4 border-t border-line pt-3 wrap-anywhere text-bad">{reason ?? task.errorMessage}</p>
              )}
            </Panel>
            <Panel title="Runs" flush>
              {runs.length > 0 ? (
                <RunsTable runs={runs} caption="Runs of the task" />
              ) : (
                <Message icon="clock" title={task.completedAt ? "No run" : "No run yet"}>
                  {task.completedAt
                    ? "The task ended before a worker began with it."
                    : "It begins when the task is due and a worker is free."}
                </Message>
              )}
            </Panel>
          </>
        )}
      </Loaded>
    </Page>
  );
}
