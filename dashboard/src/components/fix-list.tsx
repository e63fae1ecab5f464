import type { FixAttempt } from "../api/types";
import { Badge } from "../ui/badge";
import { Diff } from "../ui/diff";
import { words } from "../ui/format";
import { JsonText } from "../ui/json-view";
import { Message } from "../ui/message";
import { Time } from "../ui/time";

/** Fixes with what they change. */
export function FixList({ fixes }: { fixes: readonly FixAttempt[] }) {
  if (fixes.length === 0) {
    return <Message title="No fixes">Each change that is accepted or refused appears here with its diff.</Message>;
  }
  return (
    <ul aria-label="Fixes" className="divide-y divide-line">
      {fixes.map(({ at, target, errorType, deployedTo, patch, diagnosis, validation }, index) => (
        <li key={index} className="py-3">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4">
            <h3 className="min-w-0 font-mono text-xs font-semibold break-all">{target}</h3>
            <span>{words(errorType)}</span>
            <Badge tone="neutral">{words(deployedTo)}</Badge>
            <span className="text-xs text-muted sm:ms-auto">
              <Time at={at} />
            </span>
          </div>
          <div className="mt-2 border-y border-line">
            <Diff patch={patch} label={`Diff of ${target}`} />
          </div>
          <details className="mt-2 px-4">
            <summary className="text-xs text-muted">Diagnosis and validation</summary>
            <div className="mt-2 grid gap-2 lg:grid-cols-2">
              <JsonText label="Diagnosis" value={diagnosis} />
              <JsonText label="Validation" value={validation} />
            </div>
          </details>
        </li>
      ))}
    </ul>
  );
}
