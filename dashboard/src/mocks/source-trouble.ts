/** Faults and events of sources. */

import type { Source, SourceDiagnostic, TimelineEvent } from "../api/types";
import type { Clock } from "./clock";

export function makeSourceDiagnostics(clock: Clock, { state, url }: Source): SourceDiagnostic[] {
  const missing: SourceDiagnostic = {
    category: "PARSE_ERROR",
    field: "price",
    page: url,
    message: "Missing field: price (no node matches `.price`)",
    firstSeenAt: clock.ago(1_500),
    lastSeenAt: clock.ago(1_440),
    occurrenceCount: 2,
  };
  return [state === "ACTIVE" ? { ...missing, resolvedAt: clock.ago(1_380) } : missing];
}

export function makeTimeline(clock: Clock, { state }: Source): TimelineEvent[] {
  const failed: TimelineEvent = {
    at: clock.ago(1_440),
    since: clock.ago(1_500),
    kind: "FAILED",
    code: "PARSE_ERROR",
    count: 2,
    message: "a selector of the recipe finds nothing on the page",
  };
  const after: TimelineEvent =
    state === "ACTIVE"
      ? { at: clock.ago(1_439), kind: "FIX_PROMOTED", code: "PARSE_ERROR", count: 1, message: "a fix became active" }
      : { at: clock.ago(1_439), kind: "NO_FIX", code: "PARSE_ERROR", count: 1, message: "no fix was found" };
  return [after, failed];
}
