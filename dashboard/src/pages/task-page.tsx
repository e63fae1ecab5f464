import { useQuery } from "@tanstack/react-query";
import { Link, Navigate, useLocation, useParams } from "react-router";
import { task as taskQuery } from "../api/queries";
import { KIND_LABELS, RunsTable } from "../components/runs-table";
import { StateBadge } from "../components/state-badge";
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

/** Whether the reader came from adding a source and waits for it. */
function opensSource(state: unknown): boolean {
  return typeof state === "object" && state !== null && "opensSource" in state && state.opensSource === true;
}

/** One task: how it stands and the runs that came of it. */
export function TaskPage() {
  const { taskId = "" } = useParams();
  const query = useQuery(taskQuery(Number(taskId)));
  const task = query.data?.task;
  const location = useLocation();
  if (task?.state === "COMPLETED" && opensSource(location.state)) return <Navigate to={placeOf(task.target)} replace />;
  return (
    <Page
      title={`Task ${taskId}`}
      back={{ to: "/queue", label: "Queue" }}
      lead={task ? <StateBadge looks={TASK_LOOKS} value={task.state} /> : "\u00a0"}
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
                    <Link key="target" to={placeOf(task.target)} className="text-accent hover:underline">
                      {targetLabel(task.target)}
                    </Link>,
                  ],
                  ["Priority", task.priority],
                  ["Retries", `${task.retryCount} of ${task.maxRetries}`],
                  ["Workers that died at it", `${task.deaths} of 3`],
                  ["Created", <Time key="created" at={task.createdAt} />],
                  ["Due", <Time key="due" at={task.runAt} />],
                  ["Began", <Time key="began" at={task.startedAt} />],
                  ["Ended", <Time key="ended" at={task.completedAt} />],
                  ["Worker", task.worker ?? "none"],
                ]}
              />
              {task.errorMessage && (
                <p className="mt-4 border-t border-line pt-3 break-words text-bad">{task.errorMessage}</p>
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
