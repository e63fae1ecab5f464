import { useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useEffect } from "react";
import { useParams } from "react-router";
import { useCancelRun } from "../api/actions";
import * as queries from "../api/queries";
import { useRunFeed, type Feed } from "../api/run-feed";
import type { Run } from "../api/types";
import { DiagnosticsList } from "../components/diagnostics-list";
import { EventLog } from "../components/event-log";
import { FixList } from "../components/fix-list";
import { HealingResults } from "../components/healing-results";
import { NoResults } from "../components/no-results";
import { OutputList } from "../components/output-list";
import { failureOf, isFailed } from "../components/run-failure";
import { progressOf, withFailure } from "../components/run-progress";
import { KIND_LABELS } from "../components/runs-table";
import { RunBadge } from "../components/state-badge";
import { reasonInWords } from "../components/stop-reasons";
import { targetLabel } from "../components/target-label";
import { WorkflowGraph } from "../components/workflow-graph";
import { Button, ButtonLink } from "../ui/button";
import { formatMillis } from "../ui/format";
import { JsonText } from "../ui/json-view";
import { Loaded } from "../ui/loaded";
import { Page } from "../ui/page";
import { Panel } from "../ui/panel";
import { Skeleton } from "../ui/skeleton";
import { Tabs, type Tab } from "../ui/tabs";
import { Time } from "../ui/time";

const ReportView = lazy(() => import("../components/report-view"));

function Graph({ detail, feed }: { detail: Run; feed: Feed }) {
  const workflow = useQuery(queries.workflow(detail.run.kind));
  return (
    <Loaded query={workflow} lines={9}>
      {(workflow) => (
        <WorkflowGraph
          workflow={workflow}
          progress={withFailure(progressOf(feed.events), failureOf(detail))}
          isFailed={isFailed(detail.run)}
        />
      )}
    </Loaded>
  );
}

function Parts({ detail, feed }: { detail: Run; feed: Feed }) {
  const { runId, state } = detail.run;
  const live = state === "running";
  const diagnostics = useQuery(queries.runDiagnostics(runId, live));
  const fixes = useQuery(queries.runFixes(runId, live));
  const outputs = useQuery(queries.runOutputs(runId, live));
  const tabs: Tab[] = [
    { key: "log", label: "Log", content: () => <EventLog feed={feed} failure={failureOf(detail)} /> },
    {
      key: "diagnostics",
      label: "Diagnostics",
      count: diagnostics.data?.diagnostics.length,
      content: () => (
        <Loaded query={diagnostics}>{(data) => <DiagnosticsList diagnostics={data.diagnostics} />}</Loaded>
      ),
    },
    {
      key: "fixes",
      label: "Changes",
      count: fixes.data?.fixes.length,
      content: () => <Loaded query={fixes}>{(data) => <FixList fixes={data.fixes} />}</Loaded>,
    },
    {
      key: "outputs",
      label: "Outputs",
      count: outputs.data?.outputs.length,
      content: () => <Loaded query={outputs}>{(data) => <OutputList outputs={data.outputs} />}</Loaded>,
    },
  ];
  if (live || detail.report) {
    tabs.push({
      key: "report",
      label: "Report",
      content: () => (
        <Suspense fallback={<Skeleton lines={8} />}>
          <ReportView report={detail.report ?? undefined} />
        </Suspense>
      ),
    });
  }
  if (detail.document) {
    tabs.push({ key: "document", label: "Result", content: () => <JsonText label="Result" value={detail.document} /> });
  }
  return <Tabs label="Parts of the run" tabs={tabs} />;
}

function Lead({ run }: Run) {
  return (
    <>
      <RunBadge run={run} />
      <span>{KIND_LABELS[run.kind]}</span>
      <span>
        began <Time at={run.startedAt} />
      </span>
      {typeof run.millis === "number" && <span>took {formatMillis(run.millis)}</span>}
      {run.stopReason && <span>{reasonInWords(run.stopReason)}</span>}
    </>
  );
}

/** A run that ended and left neither results nor a report: its task says why. */
function Ended({ run }: Run) {
  const { data, isPending } = useQuery(queries.task(run.taskId));
  if (isPending) return <Skeleton lines={6} />;
  const task = data?.task;
  return <NoResults reason={run.stopReason ?? undefined} error={task?.errorMessage ?? undefined} task={task} />;
}

/** One run: where it is or how it ended, and all that it left. */
export function RunPage() {
  const { runId = "" } = useParams();
  const query = useQuery(queries.run(runId));
  const feed = useRunFeed(runId);
  const cancel = useCancelRun(runId);
  const client = useQueryClient();
  const isOver = feed.state === "ended";
  const isShownRunning = query.data?.run.state === "running";
  // The feed knows of the end first; what is shown of the run is read again then.
  useEffect(() => {
    if (isOver && isShownRunning) void client.invalidateQueries();
  }, [isOver, isShownRunning, client]);
  const detail = query.data;
  return (
    <Page
      title={detail ? targetLabel(detail.run.target) : "Run"}
      back={{ to: "/runs", label: "Runs" }}
      lead={detail ? <Lead {...detail} /> : "\u00a0"}
      actions={
        detail && (
          <>
            <ButtonLink to={`/queue/${detail.run.taskId}`}>Task {detail.run.taskId}</ButtonLink>
            {isShownRunning && (
              <Button kind="danger" icon="stop" busy={cancel.isPending} onClick={() => cancel.mutate(undefined)}>
                Cancel
              </Button>
            )}
          </>
        )
      }
    >
      <Loaded query={query} lines={12}>
        {(detail) => (
          <>
            {detail.results && <HealingResults results={detail.results} />}
            {detail.run.state !== "running" && !detail.results && !detail.document && !detail.report && (
              <Ended {...detail} />
            )}
            <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-[22rem_minmax(0,1fr)]">
              <Panel title="Agents">
                <Graph detail={detail} feed={feed} />
              </Panel>
              <Parts detail={detail} feed={feed} />
            </div>
          </>
        )}
      </Loaded>
    </Page>
  );
}
