import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useParams } from "react-router";
import { useHealing } from "../api/healing";
import { job as jobQuery } from "../api/run-queries";
import { useRunFeed } from "../api/run-feed";
import type { Job, RunSummary, StatusResponse } from "../api/types";
import { EventLog } from "../components/event-log";
import { HealingResults } from "../components/healing-results";
import { NoResults } from "../components/no-results";
import { RunNow } from "../components/run-now";
import { RunBadge, StateBadge } from "../components/state-badge";
import { StepList } from "../components/step-list";
import { targetLabel } from "../components/target-label";
import { actionOf, TaskActions } from "../components/task-actions";
import { CI_LOOKS, lookOf, RUN_LOOKS, TASK_LOOKS } from "../components/tones";
import { useHealingStore } from "../store/healing";
import { Badge } from "../ui/badge";
import { Button, ButtonLink } from "../ui/button";
import { Failure, Message } from "../ui/message";
import { Page } from "../ui/page";
import { Panel } from "../ui/panel";
import { Skeleton } from "../ui/skeleton";

function LiveEvents({ runId }: { runId: string }) {
  return <EventLog feed={useRunFeed(runId)} most={12} />;
}

function LiveRun({ run }: { run: RunSummary }) {
  return <RunNow feed={useRunFeed(run.runId)} startedAt={run.startedAt} />;
}

/** A job in progress: its figures, steps and live events. */
function Watch({ status, run }: { status: StatusResponse; run: RunSummary | undefined }) {
  const runId = run?.runId;
  return (
    <>
      {run && <LiveRun run={run} />}
      <div className="grid grid-cols-1 gap-5 lg:grid-cols-[20rem_minmax(0,1fr)]">
        <Panel title="Progress" className="self-start">
          <StepList currentStep={status.currentStep} progress={status.progress ?? undefined} />
        </Panel>
        <Panel title="Live events" flush>
          {runId ? (
            <LiveEvents runId={runId} />
          ) : (
            <Message icon="clock" title="Waiting for a worker">
              The job is in the queue. It begins as soon as a worker is free.
            </Message>
          )}
        </Panel>
      </div>
    </>
  );
}

const BADGES = {
  queued: (
    <Badge tone="neutral" icon="clock">
      Queued
    </Badge>
  ),
  running: (
    <Badge tone="info" icon="spinner">
      Running
    </Badge>
  ),
  completed: <Badge tone="good">Completed</Badge>,
  failed: <Badge tone="bad">Failed</Badge>,
};

/** How the job stands. What was cancelled or given up is "failed" to the API; its task says more. */
function badgeOf({ status, results }: StatusResponse, job: Job | undefined) {
  const state = job?.task.state;
  if (status === "completed" && results?.ciStatus === "FAILED") {
    return job?.run ? <RunBadge run={job.run} /> : <StateBadge looks={CI_LOOKS} value="FAILED" />;
  }
  return status === "failed" && (state === "CANCELLED" || state === "QUARANTINED") ? (
    <StateBadge looks={TASK_LOOKS} value={state} />
  ) : (
    BADGES[status]
  );
}

function Content({ jobId, job }: { jobId: string; job: Job | undefined }) {
  const { status, results, error, isTimeUp } = useHealing();
  const watch = useHealingStore((state) => state.watch);
  const task = job?.task;
  if (!status)
    return error ? <Failure error={error} onRetry={() => watch(jobId)} /> : <Skeleton lines={8} className="h-8" />;
  return (
    <>
      {isTimeUp && (
        <Message
          icon="clock"
          title="Still running"
          action={<Button onClick={() => watch(jobId)}>Keep watching</Button>}
        >
          This page stopped asking after several hours. The job itself continues.
        </Message>
      )}
      {results && <HealingResults results={results} />}
      {status.status === "failed" && !results && (
        <NoResults
          reason={task?.state}
          error={status.error ?? undefined}
          task={task}
          action={<ButtonLink to="/">Try another repository</ButtonLink>}
        />
      )}
      {status.status !== "completed" && status.status !== "failed" && (
        <Watch status={status} run={job?.run ?? undefined} />
      )}
    </>
  );
}

/** A job from its submission to its results. */
export function JobPage() {
  const { jobId = "" } = useParams();
  const watched = useHealingStore((state) => state.jobId);
  const watch = useHealingStore((state) => state.watch);
  const { status } = useHealing();
  const { data: job } = useQuery(jobQuery(jobId));
  // The address decides which job is watched, also after a reload or on another machine.
  useEffect(() => {
    if (watched !== jobId) watch(jobId);
  }, [watched, jobId, watch]);
  const runId = job?.run?.runId;
  const repository = job?.task.target ?? status?.results?.repository;
  const name = repository ? targetLabel(repository) : "Healing";
  return (
    <Page
      title={name}
      tab={job && `${lookOf(job.run ? RUN_LOOKS : TASK_LOOKS, job.run?.state ?? job.task.state).label}: ${name}`}
      lead={
        <>
          {status && watched === jobId && badgeOf(status, job)}
          <code className="font-mono text-xs break-all">{jobId}</code>
        </>
      }
      actions={
        <>
          {job && actionOf(job.task) === "cancel" && <TaskActions task={job.task} kind="danger" />}
          {runId && <ButtonLink to={`/runs/${runId}`}>Open the run</ButtonLink>}
        </>
      }
    >
      {watched === jobId ? <Content jobId={jobId} job={job} /> : <Skeleton lines={8} className="h-8" />}
    </Page>
  );
}
