/** Runs of the mock world: one of each kind, and a history. */

import type { RunSummary } from "../api/types";
import type { Clock } from "./clock";
import { REPOSITORY } from "./healing";

export const runIdOf = (number: number): string => `01a2008c-96f2-72eb-94e4-${String(number).padStart(12, "0")}`;

export const HEALED_RUN = runIdOf(1);
export const RUNNING_RUN = runIdOf(2);
export const SOURCE_RUN = runIdOf(3);
export const GIVEN_UP_RUN = runIdOf(4);
export const CANCELLED_RUN = runIdOf(5);

function endOf(isRead: boolean, isWell: boolean): Pick<RunSummary, "state" | "isWell" | "stopReason" | "explanation"> {
  if (isRead && isWell) {
    const explanation = "every page gave its values, which are the same as before";
    return { state: "fetched", isWell, stopReason: "GOOD", explanation };
  }
  if (isRead) {
    const explanation = "a selector of the recipe finds nothing on the page";
    return { state: "broken", isWell, stopReason: "PARSE_ERROR", explanation };
  }
  if (isWell) {
    const explanation = "the branch, cloned fresh, passes everything";
    return { state: "fixed", isWell, stopReason: "GREEN", explanation };
  }
  const explanation = "no fix that could be verified was found for what is left";
  return { state: "partly_fixed", isWell, stopReason: "NO_PROGRESS", explanation };
}

export function makeRuns(clock: Clock): RunSummary[] {
  const runs: RunSummary[] = [
    {
      runId: RUNNING_RUN,
      taskId: 902,
      kind: "HEAL_REPO",
      target: "https://github.com/night-shift/invoice-service",
      startedAt: clock.ago(2),
      state: "running",
    },
    {
      runId: HEALED_RUN,
      taskId: 901,
      kind: "HEAL_REPO",
      target: REPOSITORY,
      startedAt: clock.ago(34),
      finishedAt: clock.ago(29),
      state: "fixed",
      isWell: true,
      stopReason: "GREEN",
      explanation: "the branch, cloned fresh, passes everything",
      next: "Review the branch and merge it.",
      millis: 262_000,
      ciStatus: "PASSED",
      fixesApplied: 4,
      totalFailures: 5,
    },
    {
      runId: SOURCE_RUN,
      taskId: 900,
      kind: "FIX_SOURCE",
      target: "desk-lamp",
      startedAt: clock.ago(52),
      finishedAt: clock.ago(51),
      state: "healed",
      isWell: true,
      stopReason: "HEALED",
      explanation: "a new recipe passed its validation and is active",
      millis: 8_400,
    },
    {
      runId: GIVEN_UP_RUN,
      taskId: 896,
      kind: "HEAL_REPO",
      target: "https://github.com/night-shift/relay",
      startedAt: clock.ago(90),
      finishedAt: clock.ago(88),
      state: "failed",
      isWell: false,
      stopReason: "DEAD_LETTER",
      explanation: "the task failed until its retries were used up",
      next: "Correct the cause that the task's error names, then retry the task.",
      millis: 120_000,
    },
    {
      runId: CANCELLED_RUN,
      taskId: 897,
      kind: "HEAL_REPO",
      target: "https://github.com/night-shift/attic",
      startedAt: clock.ago(100),
      finishedAt: clock.ago(99),
      state: "cancelled",
      isWell: false,
      stopReason: "CANCELLED",
      explanation: "a user cancelled the run; what was accepted until then is kept",
      millis: 41_000,
    },
  ];
  for (let number = 6; number <= 40; number += 1) {
    const minutes = number * 23;
    const well = number % 5 !== 0;
    const isRead = number % 3 !== 0;
    runs.push({
      runId: runIdOf(number),
      taskId: 900 - number,
      kind: isRead ? "REFRESH_SOURCE" : "HEAL_REPO",
      target: isRead ? "tide-table" : `https://github.com/night-shift/service-${number}`,
      startedAt: clock.ago(minutes),
      finishedAt: clock.ago(minutes - 1),
      ...endOf(isRead, well),
      millis: 900 * number,
      ...(isRead
        ? {}
        : { ciStatus: well ? ("PASSED" as const) : ("FAILED" as const), fixesApplied: well ? 3 : 1, totalFailures: 3 }),
    });
  }
  // The oldest read failed because of its values, not because of a selector.
  const explanation = "a value on the page is not what the blueprint describes";
  Object.assign(runs.at(-1) ?? {}, { target: "job-board", stopReason: "SCHEMA_MISMATCH", explanation });
  return runs;
}
