import type { Fix, FixAttempt, RefusedChange } from "../api/types";
import { Badge } from "../ui/badge";
import { counted, words } from "../ui/format";
import { JsonText } from "../ui/json-view";
import { Message } from "../ui/message";
import { FixCard } from "./fix-card";
import { diagnosisOf, triedBefore } from "./fix-reasons";
import { partsOf } from "./patches";
import { pairedFixes, type RepositoryFix } from "./repository-fixes";
import { StateBadge } from "./state-badge";
import { FIX_LOOKS, ORIGIN_LOOKS } from "./tones";

/** The documents of an attempt, for those who want everything. */
export function AttemptDetails({ attempt: { diagnosis, validation } }: { attempt: FixAttempt }) {
  return (
    <details className="mt-2 px-4">
      <summary className="text-xs text-muted">Diagnosis and validation</summary>
      <div className="mt-2 grid grid-cols-1 gap-2 lg:grid-cols-2">
        <JsonText label="Diagnosis" value={diagnosis} />
        <JsonText label="Validation" value={validation} />
      </div>
    </details>
  );
}

function placeOf({ fix, attempt }: RepositoryFix): string | undefined {
  if (fix) return `${fix.file}:${fix.line}`;
  const [part] = partsOf(attempt?.patch ?? "");
  return part && (part.line === undefined ? part.file : `${part.file}:${part.line}`);
}

function RepositoryFixCard({ each }: { each: RepositoryFix }) {
  const { fix, attempt, sentence } = each;
  const place = placeOf(each);
  const file = fix?.file ?? partsOf(attempt?.patch ?? "")[0]?.file ?? "";
  const tried = attempt && triedBefore(attempt);
  return (
    <FixCard
      sentence={sentence ?? `Change of ${file}`}
      badge={
        fix ? (
          <>
            <StateBadge looks={FIX_LOOKS} value={fix.status} />
            {fix.origin && <StateBadge looks={ORIGIN_LOOKS} value={fix.origin} />}
          </>
        ) : (
          <Badge tone="neutral">Accepted in the run</Badge>
        )
      }
      kind={
        words(fix?.bugType ?? attempt?.errorType ?? "") +
        (tried ? `, ${counted(tried, "other candidate")} refused before it` : "")
      }
      place={place}
      at={attempt?.at}
      problem={attempt && diagnosisOf(attempt)?.message}
      patch={fix?.diff ?? attempt?.patch ?? ""}
      diffLabel={`Diff of ${file}`}
    >
      {fix?.origin && fix.origin !== "rule" && (
        <p className="mt-2 px-4 text-warn">Only the tests vouch for this change: check that it is what is meant.</p>
      )}
      {fix?.alsoAllowed && fix.alsoAllowed.length > 0 && (
        <details className="mt-2 px-4">
          <summary className="text-xs text-muted">
            The tests allow {counted(fix.alsoAllowed.length, "other change")} as well
          </summary>
          <ul className="mt-1 list-disc ps-5 wrap-anywhere">
            {fix.alsoAllowed.map((change, index) => (
              <li key={index}>{change}</li>
            ))}
          </ul>
        </details>
      )}
      {attempt && <AttemptDetails attempt={attempt} />}
    </FixCard>
  );
}

interface FixListProps {
  /** The fixes of the results; empty while the run is in progress. */
  fixes: readonly Fix[];
  attempts: readonly FixAttempt[];
  /** Notes of the run about accepted changes, in order. */
  notes?: readonly string[];
  refused?: readonly RefusedChange[] | undefined;
}

/** The fixes of a repository, each as a card with its diff, and the candidates that were refused. */
export function FixList({ fixes, attempts, notes = [], refused = [] }: FixListProps) {
  const all = pairedFixes(fixes, attempts, notes);
  return (
    <>
      {all.length === 0 ? (
        <Message title="No fixes">Each accepted change appears here with its diff.</Message>
      ) : (
        <ul aria-label="Fixes" className="divide-y divide-line">
          {all.map((each, index) => (
            <RepositoryFixCard key={index} each={each} />
          ))}
        </ul>
      )}
      {refused.length > 0 && (
        <details className="border-t border-line px-4 py-3">
          <summary className="font-medium">Refused candidates and the reasons</summary>
          <ul aria-label="Refused candidates" className="mt-2 space-y-2">
            {refused.map(({ file, line, description, reason, fixer }, index) => (
              <li key={index} className="wrap-anywhere">
                {description}
                <span className="block text-xs text-muted">
                  <span className="font-mono">
                    {file}:{line}
                  </span>
                  , {words(fixer)}
                </span>
                <span className="block text-bad">{reason}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
