/** Why a run ended, in words. */

const REASONS: Record<string, string> = {
  GREEN: "the branch, cloned fresh, passes everything",
  NOTHING_TO_DO: "the tests pass already; nothing was changed",
  PARTLY_CHECKED: "what was run passes, and CI decides by more than was run here",
  UNMERGED: "the fixes of an earlier run wait on their branch to be merged",
  NO_PROGRESS: "what is left could not be healed",
  REPEATED_PATCH: "the same patch came up twice; what is left needs a person",
  ATTEMPTS: "the rounds are used up; run again to go on from the branch",
  BUDGET: "a budget is used up; raise it and run again",
  FLAKY: "the failures come and go without any change",
  INFRA: "the repository could not be cloned, installed or tested",
  NO_CI_RUN: "the branch was pushed, and no CI run came of it",
  CI_TIMEOUT: "the branch was pushed, and CI had no verdict in time",
  OWN_COMMIT: "the commit to heal is one of autoheal's own",
  CANCELLED: "a person ended the run",
  QUARANTINED: "it failed too often and is given up",
};

/** A reason in words; one that this page does not know, as its own words. */
export function reasonInWords(reason: string): string {
  return Object.hasOwn(REASONS, reason) ? (REASONS[reason] ?? "") : reason.replaceAll("_", " ").toLowerCase();
}
