/** Which colour and word each state has, for all pages. */

import type {
  AlertKind,
  CiStatus,
  FixOrigin,
  FixStatus,
  NeedKind,
  RecipeStage,
  RunState,
  SourceState,
  TaskState,
} from "../api/types";
import type { Tone } from "../ui/badge";
import type { IconName } from "../ui/icon";

export interface Look {
  tone: Tone;
  label: string;
  icon?: IconName;
}

export const FIX_LOOKS: Record<FixStatus, Look> = {
  Fixed: { tone: "good", label: "Fixed" },
  Failed: { tone: "bad", label: "Failed" },
};

export const CI_LOOKS: Record<CiStatus, Look> = {
  PASSED: { tone: "good", label: "PASSED" },
  FAILED: { tone: "bad", label: "FAILED" },
};

export const RUN_LOOKS: Record<RunState, Look> = {
  running: { tone: "info", label: "Running", icon: "spinner" },
  fixed: { tone: "good", label: "Fixed" },
  partly_fixed: { tone: "warn", label: "Partly fixed" },
  nothing_to_fix: { tone: "good", label: "Nothing to fix" },
  could_not_fix: { tone: "bad", label: "Could not fix" },
  unverified: { tone: "warn", label: "Not verified" },
  added: { tone: "good", label: "Added" },
  not_added: { tone: "bad", label: "Not added" },
  fetched: { tone: "good", label: "Fetched" },
  changed: { tone: "good", label: "Changed" },
  healed: { tone: "good", label: "Healed" },
  needs_review: { tone: "info", label: "Needs review", icon: "clock" },
  blocked: { tone: "bad", label: "Blocked" },
  broken: { tone: "bad", label: "Broken" },
  cancelled: { tone: "neutral", label: "Cancelled", icon: "stop" },
  failed: { tone: "bad", label: "Failed" },
};

export const NEED_LOOKS: Record<NeedKind, Look> = {
  REVIEW: { tone: "info", label: "Review a fix", icon: "clock" },
  QUARANTINE: { tone: "bad", label: "Quarantined", icon: "pause" },
  DEAD: { tone: "bad", label: "Dead source" },
  DEAD_LETTER: { tone: "bad", label: "Task failed" },
  MERGE: { tone: "info", label: "Merge fixes" },
  NOT_FIXED: { tone: "warn", label: "Not fixed" },
};

export const ORIGIN_LOOKS: Record<FixOrigin, Look> = {
  rule: { tone: "neutral", label: "By a rule" },
  search: { tone: "warn", label: "Found by search" },
  model: { tone: "warn", label: "By a model" },
};

export const TASK_LOOKS: Record<TaskState, Look> = {
  PENDING: { tone: "neutral", label: "Waiting", icon: "clock" },
  IN_PROGRESS: { tone: "info", label: "Running", icon: "spinner" },
  COMPLETED: { tone: "good", label: "Done" },
  FAILED: { tone: "bad", label: "Failed" },
  QUARANTINED: { tone: "warn", label: "Given up" },
  CANCELLED: { tone: "neutral", label: "Cancelled", icon: "stop" },
};

export const SOURCE_LOOKS: Record<SourceState, Look> = {
  ACTIVE: { tone: "good", label: "Healthy" },
  DEGRADED: { tone: "warn", label: "Degraded" },
  QUARANTINED: { tone: "bad", label: "Quarantined", icon: "pause" },
  DEAD: { tone: "bad", label: "Dead" },
};

export const STAGE_LOOKS: Record<RecipeStage, Look> = {
  PRODUCTION: { tone: "good", label: "Active" },
  STAGING: { tone: "info", label: "Staging", icon: "clock" },
  ARCHIVED: { tone: "neutral", label: "Archived" },
  FAILED: { tone: "bad", label: "Failed" },
  REJECTED: { tone: "bad", label: "Rejected" },
};

export const ALERT_LOOKS: Record<AlertKind, Look> & Record<string, Look> = {
  QUARANTINE: { tone: "bad", label: "Quarantine", icon: "pause" },
  DEAD: { tone: "bad", label: "Dead source" },
  REVIEW: { tone: "info", label: "Review wanted" },
  ROLLBACK: { tone: "warn", label: "Rolled back", icon: "back" },
  FIELD_GONE: { tone: "warn", label: "Field gone", icon: "offline" },
  BLOCKED: { tone: "warn", label: "Page unavailable", icon: "offline" },
  OUTAGE: { tone: "bad", label: "Outage", icon: "offline" },
  RETRY_LIMIT: { tone: "warn", label: "Retry limit" },
  BUDGET: { tone: "warn", label: "Budget used up" },
  DEAD_LETTER: { tone: "bad", label: "Task given up" },
  RUN_FAILED: { tone: "bad", label: "Run failed" },
  WAITING: { tone: "warn", label: "Task waits" },
  NO_ROOM: { tone: "bad", label: "No disk space" },
};

/** The look of a value that a newer server may have and this page does not know. */
export function lookOf(looks: Record<string, Look>, value: string): Look {
  return Object.hasOwn(looks, value) ? (looks[value] as Look) : { tone: "neutral", label: value };
}

/** The values of a state with their words, to choose from. */
export function labelsOf(looks: Record<string, Look>): Record<string, string> {
  return Object.fromEntries(Object.entries(looks).map(([value, { label }]) => [value, label]));
}
