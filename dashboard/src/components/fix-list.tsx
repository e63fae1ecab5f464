import { Suspense } from "react";
import type { Fix, FixAttempt } from "../api/types";
import { Badge } from "../ui/badge";
import { counted, words } from "../ui/format";
import { JsonText } from "../ui/json-view";
import { lazyPart } from "../ui/lazy-part";
import { Message } from "../ui/message";
import { Skeleton } from "../ui/skeleton";
import { FixCard } from "./fix-card";
import { diagnosisOf, triedBefore } from "./fix-reasons";
import { partsOf } from "./patches";
import { pairedFixes, sectionOf, type RepositoryFix } from "./repository-fixes";
import { StateBadge } from "./state-badge";
import { FIX_LOOKS } from "./tones";

const ReportView = lazyPart(async () => (await import("./report-view")).default);

const REFUSED = "What else was tried";

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
        fix ? <StateBadge looks={FIX_LOOKS} value={fix.status} /> : <Badge tone="neutral">Accepted in the run</Badge>
      }
      kind={
        words(fix?.bugType ?? attempt?.errorType ?? "") +
        (tried ? `, ${counted(tried, "other candidate")} refused before it` : "")
      }
      place={place}
      at={attempt?.at}
      problem={attempt && diagnosisOf(attempt)?.message}
      patch={attempt?.patch ?? ""}
      diffLabel={`Diff of ${file}`}
    >
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
  report?: string | undefined;
}

/** The fixes of a repository, each as a card with its diff, and the candidates that were refused. */
export function FixList({ fixes, attempts, notes = [], report = "" }: FixListProps) {
  const all = pairedFixes(fixes, attempts, notes);
  const refused = sectionOf(report, REFUSED);
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
      {refused && (
        <details className="border-t border-line px-4 py-3">
          <summary className="font-medium">Refused candidates and the reasons</summary>
          <Suspense fallback={<Skeleton lines={3} />}>
            <ReportView report={refused} />
          </Suspense>
        </details>
      )}
    </>
  );
}
