import type { Diagnostic, SourceDiagnostic } from "../api/types";
import { Badge } from "../ui/badge";
import { counted, words } from "../ui/format";
import { Preformatted } from "../ui/long-text";
import { Message } from "../ui/message";
import { Time } from "../ui/time";

/** Of a run on a repository, or of a source. */
type Entry = Diagnostic | SourceDiagnostic;

const isOfRun = (entry: Entry): entry is Diagnostic => "source" in entry;

function place(entry: Entry): string | undefined {
  if (!isOfRun(entry)) return entry.page ?? undefined;
  const { file, line, column } = entry;
  if (!file) return undefined;
  return [file, line, line === undefined ? undefined : column].filter((part) => part !== undefined).join(":");
}

/** What the checks said, what is still open first. */
export function DiagnosticsList({ diagnostics }: { diagnostics: readonly Entry[] }) {
  if (diagnostics.length === 0) {
    return <Message title="No diagnostics">Nothing failed so far, or the checks have not been run yet.</Message>;
  }
  const inOrder = [...diagnostics].sort(
    (a, b) => Number(a.resolvedAt !== undefined) - Number(b.resolvedAt !== undefined),
  );
  return (
    <ul aria-label="Diagnostics" className="divide-y divide-line">
      {inOrder.map((diagnostic, index) => (
        <li key={index} className="p-4">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            {diagnostic.resolvedAt ? <Badge tone="good">Resolved</Badge> : <Badge tone="bad">Open</Badge>}
            <span className="font-medium">{words(diagnostic.category)}</span>
            <span className="text-xs text-muted">{isOfRun(diagnostic) ? diagnostic.source : diagnostic.field}</span>
            <span className="text-xs text-muted sm:ms-auto">
              {counted(diagnostic.occurrenceCount, "time")}, first <Time at={diagnostic.firstSeenAt} />, last{" "}
              <Time at={diagnostic.lastSeenAt} />
            </span>
          </div>
          <p className="mt-1.5 break-words">{diagnostic.message}</p>
          {place(diagnostic) && <p className="mt-1 font-mono text-xs break-all text-muted">{place(diagnostic)}</p>}
          {isOfRun(diagnostic) && diagnostic.stack && (
            <details className="mt-2">
              <summary className="text-xs text-muted">Stack</summary>
              <Preformatted label="Stack">{diagnostic.stack}</Preformatted>
            </details>
          )}
        </li>
      ))}
    </ul>
  );
}
