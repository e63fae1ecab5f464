/** The fixes of a repository: what the results say of each, paired with the diff that was accepted for it. */

import type { Fix, FixAttempt } from "../api/types";
import { partsOf } from "./patches";

export interface RepositoryFix {
  fix: Fix | undefined;
  attempt: FixAttempt | undefined;
  /** The edit or the failure in one sentence. */
  sentence: string | undefined;
}

/** Returns the edit or the failure of a summary, without kind and place, which are displayed beside it. */
export function sentenceOf(summary: string): string {
  const [, sentence] = /→ (?:Fix|not fixed): (.+)$/s.exec(summary) ?? [];
  return sentence ?? summary;
}

/**
 * Pairs the fixes of the results with the attempts, both in order; without results, the attempts with their notes.
 * Attempts that the results do not list, such as those that were taken back, come after the fixes.
 */
export function pairedFixes(
  fixes: readonly Fix[],
  attempts: readonly FixAttempt[],
  notes: readonly string[],
): RepositoryFix[] {
  const sentences = notes.filter((note) => note.includes("→ Fix: ")).map(sentenceOf);
  const left = attempts.map((attempt, index) => ({ attempt, sentence: sentences[index] }));
  const paired = fixes.map((fix): RepositoryFix => {
    const index =
      fix.status === "Fixed"
        ? left.findIndex(
            ({ attempt }) =>
              attempt.errorType === fix.bugType && partsOf(attempt.patch).some(({ file }) => file === fix.file),
          )
        : -1;
    const [match] = index < 0 ? [] : left.splice(index, 1);
    return { fix, attempt: match?.attempt, sentence: sentenceOf(fix.summary) };
  });
  const isFixed = ({ fix }: RepositoryFix) => fix?.status === "Fixed";
  const others = left.map(({ attempt, sentence }): RepositoryFix => ({ fix: undefined, attempt, sentence }));
  return [...paired.filter(isFixed), ...others, ...paired.filter((each) => !isFixed(each))];
}
