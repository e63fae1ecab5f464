import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Suspense, useEffect } from "react";
import { Link, useParams } from "react-router";
import { useCancelRun } from "../api/actions";
import * as queries from "../api/run-queries";
import * as sourceQueries from "../api/source-queries";
import { useRunFeed, type Feed } from "../api/run-feed";
import type { FixAttempt, HealingResults as Results, Run, RunSummary } from "../api/types";
import { DiagnosticsList } from "../components/diagnostics-list";
import { EventLog } from "../components/event-log";
import { FixList } from "../components/fix-list";
import { HealingResults } from "../components/healing-results";
import { NoResults } from "../components/no-results";
import { OutputList } from "../components/output-list";
import { RunDelivery } from "../components/run-delivery";
import { failureOf, isFailed } from "../components/run-failure";
import { fixNotes, RunNow } from "../components/run-now";
import { SourceRelations } from "../components/run-relations";
import { progressOf, withFailure } from "../components/run-progress";
import { KIND_LABELS } from "../components/runs-table";
import { SourceFixList } from "../components/source-fix-list";
import { RunBadge } from "../components/state-badge";
import { targetLabel } from "../components/target-label";
import { placeOf } from "../components/target-place";
import { lookOf, RUN_LOOKS } from "../components/tones";
import { WorkflowGraph } from "../components/workflow-graph";
import { Button, ButtonLink } from "../ui/button";
import { formatMillis, usageOf } from "../ui/format";
import { JsonText } from "../ui/json-view";
import { lazyPart } from "../ui/lazy-part";
import { Loaded } from "../ui/loaded";
import { Page } from "../ui/page";
import { Panel } from "../ui/panel";
import { Skeleton } from "../ui/skeleton";
import { Tabs, type Tab } from "../ui/tabs";
import { Time } from "../ui/time";

const ReportView = lazyPart(async () => (await import("../components/report-view")).default);

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

interface FixesProps {
  detail: Run;
  feed: Feed;
  attempts: readonly FixAttempt[];
}

function Fixes({ detail, feed, attempts }: FixesProps) {
  const { run, results } = detail;
  const recipes = useQuery({ ...sourceQueries.sourceRecipes(run.target), enabled: run.kind !== "HEAL_REPO" });
  const runs = useQuery({ ...queries.targetRuns(run.target), enabled: run.kind !== "HEAL_REPO" });
  if (run.kind !== "HEAL_REPO") {
    return <SourceFixList fixes={attempts} recipes={recipes.data?.recipes ?? []} runs={runs.data?.runs ?? []} />;
  }
  return <FixList fixes={results?.fixes ?? []} attempts={attempts} notes={fixNotes(feed)} refused={results?.refused} />;
}

/** Returns the part of a run that is displayed first. */
function firstTab({ run, results }: Run, fixes = 0): string {
  if (run.state === "running") return "log";
  return (results?.fixes.length ?? 0) > 0 || fixes > 0 ? "fixes" : "log";
}

/** The result of a repository's run, with the patch from its fixes. */
function Delivery({ run, results }: { run: RunSummary; results: Results }) {
  const fixes = useQuery(queries.runFixes(run.runId, false));
  return <RunDelivery run={run} results={results} attempts={fixes.data?.fixes ?? []} />;
}

function Parts({ detail, feed }: { detail: Run; feed: Feed }) {
  const { runId, state, kind } = detail.run;
  const live = state === "running";
  // Runs of sources start no commands.
  const isRepository = kind === "HEAL_REPO";
  const diagnostics = useQuery({ ...queries.runDiagnostics(runId, live), enabled: isRepository });
  const fixes = useQuery(queries.runFixes(runId, live));
  const outputs = useQuery({ ...queries.runOutputs(runId, live), enabled: isRepository });
  const tabs: Tab[] = [
    { key: "log", label: "Log", content: () => <EventLog feed={feed} failure={failureOf(detail)} /> },
    ...(isRepository
      ? [
          {
            key: "diagnostics",
            label: "Diagnostics",
            count: diagnostics.data?.diagnostics.length,
            content: () => (
              <Loaded query={diagnostics}>{(data) => <DiagnosticsList diagnostics={data.diagnostics} />}</Loaded>
            ),
          },
        ]
      : []),
    {
      key: "fixes",
      label: "Changes",
      count: fixes.data?.fixes.length,
      content: () => (
        <Loaded query={fixes}>{({ fixes }) => <Fixes detail={detail} feed={feed} attempts={fixes} />}</Loaded>
      ),
    },
    ...(isRepository
      ? [
          {
            key: "outputs",
            label: "Outputs",
            count: outputs.data?.outputs.length,
            content: () => <Loaded query={outputs}>{(data) => <OutputList outputs={data.outputs} />}</Loaded>,
          },
        ]
      : []),
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
  // A run is watched by its log; when it is over, its changes matter.
  return <Tabs label="Parts of the run" tabs={tabs} initial={firstTab(detail, fixes.data?.fixes.length)} />;
}

function Lead({ run, languageModel }: Run) {
  return (
    <>
      <RunBadge run={run} />
      <span>{KIND_LABELS[run.kind]}</span>
      <span>
        started <Time at={run.startedAt} />
      </span>
      {typeof run.millis === "number" && <span>took {formatMillis(run.millis)}</span>}
      {languageModel && <span>{usageOf(languageModel)}</span>}
      {run.explanation && <span>{run.explanation}</span>}
      {run.kind === "HEAL_REPO" ? (
        <Link to={placeOf(run.target)} className="text-accent underline underline-offset-2">
          All runs of the repository
        </Link>
      ) : (
        <SourceRelations run={run} />
      )}
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

/** One run: its progress or its result, and everything that it left. */
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
      tab={detail && `${lookOf(RUN_LOOKS, detail.run.state).label}: ${targetLabel(detail.run.target)}`}
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
            {detail.run.state === "running" && <RunNow feed={feed} startedAt={detail.run.startedAt} />}
            {detail.results && <Delivery run={detail.run} results={detail.results} />}
            {detail.run.state !== "running" && !detail.results && !detail.document && !detail.report && (
              <Ended {...detail} />
            )}
            <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-[22rem_minmax(0,1fr)]">
              <Panel title="Agents" className={detail.run.state === "running" ? "" : "max-lg:order-last"}>
                <Graph detail={detail} feed={feed} />
              </Panel>
              <Parts detail={detail} feed={feed} />
            </div>
            {detail.results && <HealingResults results={detail.results} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}
