import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { sentence } from "../api/describe";
import { targetRuns } from "../api/run-queries";
import * as sourceQueries from "../api/source-queries";
import type { Source } from "../api/types";
import { ButtonLink } from "../ui/button";
import { counted } from "../ui/format";
import { Panel } from "../ui/panel";
import { Time } from "../ui/time";
import { AcceptValues } from "./accept-values";
import { diagnosisOf, validationErrors } from "./fix-reasons";

/** The reason for which a read ends whose values are unlike the earlier ones. */
const CHANGED_VALUES = "SCHEMA_MISMATCH";

const LINK = "text-accent underline underline-offset-2";

/** Why a source gives no values, what was tried against it, and what comes next. */
export function SourceTrouble({ source }: { source: Source }) {
  const runs = useQuery(targetRuns(source.name)).data?.runs ?? [];
  const fixes = useQuery(sourceQueries.sourceFixes(source.name)).data?.fixes ?? [];
  const failed = runs.find(({ kind, isWell }) => kind === "REFRESH_SOURCE" && isWell === false);
  const fixing = runs.find(({ kind }) => kind === "FIX_SOURCE");
  const newest = fixes.toSorted((a, b) => b.at.localeCompare(a.at))[0];
  const failure = (newest && diagnosisOf(newest)?.message) ?? failed?.explanation;
  const refusals = newest && newest.deployedTo === "FAILED" ? validationErrors(newest) : [];
  return (
    <Panel title="What is wrong, and what comes next">
      <dl className="grid grid-cols-1 gap-3">
        <div>
          <dt className="text-xs font-medium text-muted">The read fails</dt>
          <dd className="wrap-anywhere">
            {failure ? sentence(failure) : "No failed read is kept."}{" "}
            {failed && (
              <Link to={`/runs/${failed.runId}`} className={LINK}>
                Failed run
              </Link>
            )}
          </dd>
        </div>
        {(refusals.length > 0 || fixing) && (
          <div>
            <dt className="text-xs font-medium text-muted">The Doctor has tried</dt>
            <dd className="wrap-anywhere">
              {refusals[0] ? sentence(refusals[0]) : fixing?.explanation && sentence(fixing.explanation)}{" "}
              {refusals.length > 1 && `And ${counted(refusals.length - 1, "other reason")}. `}
              {fixing && (
                <Link to={`/runs/${fixing.runId}`} className={LINK}>
                  Run of the Doctor
                </Link>
              )}
            </dd>
          </div>
        )}
        <div>
          <dt className="text-xs font-medium text-muted">What comes next</dt>
          <dd>
            {source.waitsForApproval ? (
              "A fix waits for your decision."
            ) : source.state === "QUARANTINED" && source.quarantineUntil ? (
              <>
                The quarantine ends <Time at={source.quarantineUntil} />. Until then no fix is attempted, unless you
                release the source.
              </>
            ) : source.state === "DEAD" ? (
              "The host does not exist any more: nothing more is tried. Correct the address, or remove the source."
            ) : (
              "The next scheduled read, and another attempt if it fails."
            )}
          </dd>
        </div>
      </dl>
      {source.state !== "DEAD" && (
        <div className="mt-4 flex flex-wrap gap-2">
          {failed?.stopReason === CHANGED_VALUES && <AcceptValues source={source} />}
          <ButtonLink to="?tab=edit">Edit the rule by pointing</ButtonLink>
          <ButtonLink to="?tab=snapshots">Compare the pages</ButtonLink>
        </div>
      )}
    </Panel>
  );
}
