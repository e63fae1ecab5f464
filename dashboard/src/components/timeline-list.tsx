import { Link } from "react-router";
import { sentence } from "../api/describe";
import type { EventKind, TimelineEvent } from "../api/types";
import { Badge, type Tone } from "../ui/badge";
import { counted, words } from "../ui/format";
import { Message } from "../ui/message";
import { Time } from "../ui/time";

const TONES: Record<EventKind, Tone> = {
  FAILED: "bad",
  RECOVERED: "good",
  FIX_PROMOTED: "good",
  FIX_PROPOSED: "info",
  FIX_REFUSED: "warn",
  NO_FIX: "warn",
  SLOWED_DOWN: "warn",
  QUARANTINED: "bad",
  DEAD: "bad",
  ROLLED_BACK: "warn",
  FIELD_GONE: "warn",
  BLOCKED: "bad",
  DECIDED: "neutral",
};

/** The events of a source, the newest first. */
export function TimelineList({ events }: { events: readonly TimelineEvent[] }) {
  if (events.length === 0) {
    return <Message title="No events">No read has failed, and nothing was decided.</Message>;
  }
  return (
    <ol aria-label="Timeline" className="divide-y divide-line">
      {events.map(({ at, since, kind, code, count, message, runId }, index) => (
        <li key={index} className="p-4">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Badge tone={TONES[kind]}>{words(kind)}</Badge>
            {code && <span className="font-mono text-xs text-muted">{code}</span>}
            {count > 1 && (
              <span className="text-xs text-muted">
                {counted(count, "run")}
                {since && (
                  <>
                    , the first <Time at={since} />
                  </>
                )}
              </span>
            )}
            <span className="text-xs text-muted sm:ms-auto">
              <Time at={at} />
            </span>
          </div>
          <p className="mt-1.5 wrap-anywhere">
            {sentence(message)}{" "}
            {runId && (
              <Link to={`/runs/${runId}`} className="text-accent underline underline-offset-2">
                Run
              </Link>
            )}
          </p>
        </li>
      ))}
    </ol>
  );
}
