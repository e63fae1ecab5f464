import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import * as queries from "../api/run-queries";
import * as sourceQueries from "../api/source-queries";
import type { FixAttempt, RunSummary } from "../api/types";
import { failedRead } from "./fix-reasons";
import { isFailed } from "./run-failure";
import { placeOf } from "./target-place";

const LINK = "text-accent underline underline-offset-2";

/** Returns the fix runs that were made for a failed read: those whose diagnosis has a time within the read. */
export function fixesOfRead(
  read: RunSummary,
  attempts: readonly FixAttempt[],
  runs: readonly RunSummary[],
): RunSummary[] {
  const times = attempts
    .filter((attempt) => failedRead([attempt], [read]) !== undefined)
    .map(({ at }) => Date.parse(at));
  return runs.filter(
    ({ kind, startedAt, finishedAt }) =>
      kind === "FIX_SOURCE" &&
      times.some((at) => Date.parse(startedAt) <= at && (!finishedAt || at <= Date.parse(finishedAt))),
  );
}

/** Links from a run of a source to the source, and between a failed read and the fix that was made for it. */
export function SourceRelations({ run }: { run: RunSummary }) {
  const runs = useQuery(queries.targetRuns(run.target));
  const fixes = useQuery({ ...sourceQueries.sourceFixes(run.target), enabled: run.kind !== "ADD_SOURCE" });
  const attempts = fixes.data?.fixes ?? [];
  const all = runs.data?.runs ?? [];
  const own = attempts.filter(
    ({ at }) =>
      Date.parse(run.startedAt) <= Date.parse(at) && (!run.finishedAt || Date.parse(at) <= Date.parse(run.finishedAt)),
  );
  const read = run.kind === "FIX_SOURCE" ? failedRead(own, all) : undefined;
  const followers = run.kind === "REFRESH_SOURCE" && isFailed(run) ? fixesOfRead(run, attempts, all) : [];
  return (
    <>
      {(run.kind !== "ADD_SOURCE" || !isFailed(run)) && (
        <Link to={placeOf(run.target)} className={LINK}>
          Open the source
        </Link>
      )}
      {read && (
        <Link to={`/runs/${read.runId}`} className={LINK}>
          Failed read that led to it
        </Link>
      )}
      {followers.map(({ runId }) => (
        <Link key={runId} to={`/runs/${runId}`} className={LINK}>
          Fix that was tried for it
        </Link>
      ))}
    </>
  );
}
