/** Any document of the API that the contract allows. */

import fc from "fast-check";
import type { Fix, HealingResults, IterationStatus } from "../api/types";

const BUG_TYPES: Fix["bugType"][] = ["LINTING", "SYNTAX", "LOGIC", "TYPE_ERROR", "IMPORT", "INDENTATION"];
export const ciStatus = fc.constantFrom("PASSED" as const, "FAILED" as const);

/** Text that can be looked for: something is there when white space is gone. */
export const words = fc.string({ minLength: 1, maxLength: 40 }).filter((text) => /[a-z]/i.test(text));

export const fix: fc.Arbitrary<Fix> = fc.record({
  file: fc
    .array(fc.stringMatching(/^[a-z_]{1,12}$/), { minLength: 1, maxLength: 6 })
    .map((parts) => `${parts.join("/")}.py`),
  bugType: fc.constantFrom(...BUG_TYPES),
  line: fc.integer({ min: 1, max: 99_999 }),
  commitMessage: words.map((text) => `[AI-AGENT] ${text}`),
  status: fc.constantFrom("Fixed" as const, "Failed" as const),
  summary: words,
});

/** Seconds as the API writes them. */
export const totalTime = fc
  .nat({ max: 40_000 })
  .map((seconds) => ({ seconds, text: `${Math.floor(seconds / 60)}m ${seconds % 60}s` }));

export const iterations: fc.Arbitrary<IterationStatus[]> = fc
  .array(
    fc.record({
      status: ciStatus,
      timestamp: fc
        .date({ min: new Date("2020-01-01"), max: new Date("2040-01-01"), noInvalidDate: true })
        .map((date) => date.toISOString()),
      failureCount: fc.nat({ max: 500 }),
    }),
    { maxLength: 12 },
  )
  .map((rounds) => rounds.map((round, index) => ({ iteration: index + 1, ...round })));

export const results: fc.Arbitrary<HealingResults> = fc.record({
  repository: fc.stringMatching(/^[a-z-]{1,12}\/[a-z.-]{1,12}$/).map((name) => `https://github.com/${name}`),
  teamName: words,
  leaderName: words,
  branchName: fc.stringMatching(/^[A-Z0-9_]{1,30}$/).map((name) => `${name}_AI_Fix`),
  totalFailures: fc.nat({ max: 900 }),
  fixesApplied: fc.nat({ max: 900 }),
  iterations: fc.integer({ min: 1, max: 20 }),
  ciStatus,
  totalTime: totalTime.map(({ text }) => text),
  fixes: fc.array(fix, { maxLength: 6 }),
  iterationHistory: iterations,
  commitCount: fc.nat({ max: 80 }),
  retryLimit: fc.nat({ max: 20 }),
  outcome: fc.constantFrom("fixed" as const, "partly_fixed" as const, "could_not_fix" as const, "cancelled" as const),
  explanation: words,
  stopReason: fc.constantFrom("GREEN" as const, "NO_PROGRESS" as const, "ATTEMPTS" as const, "CANCELLED" as const),
  commands: fc.array(words, { maxLength: 2 }),
  warnings: fc.array(words, { maxLength: 2 }),
  notRun: fc.array(words, { maxLength: 2 }),
  flaky: fc.array(
    fc.record({
      test: words,
      kind: fc.constantFrom("order" as const, "time" as const, "unknown" as const),
      evidence: fc.array(words, { maxLength: 2 }),
      reproduction: words,
    }),
    { maxLength: 2 },
  ),
});
