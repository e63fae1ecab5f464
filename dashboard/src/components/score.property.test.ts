import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { totalTime } from "../test/arbitrary";
import { scoreOf } from "./score";

const FIVE_MINUTES = 300;
/** The limit itself and its neighbours are hardly found by chance. */
const anyTime = fc.oneof(
  totalTime,
  fc.constantFrom(299, 300, 301).map((seconds) => ({ seconds, text: `${Math.floor(seconds / 60)}m ${seconds % 60}s` })),
);

describe("Feature: autoheal-ci-agent, Property 14: Speed Bonus Calculation", () => {
  // Feature: autoheal-ci-agent, Property 14: Speed Bonus Calculation
  it("adds exactly 10 points for less than 5 minutes, and 0 otherwise", () => {
    fc.assert(
      fc.property(anyTime, fc.nat({ max: 100 }), ({ seconds, text }, commits) => {
        const bonus = seconds < FIVE_MINUTES ? 10 : 0;
        const { speedBonus, commitPenalty, finalScore } = scoreOf(text, commits);
        expect(speedBonus).toBe(bonus);
        expect(finalScore).toBe(100 + bonus - commitPenalty);
      }),
      { numRuns: 100 },
    );
  });
});

describe("Feature: autoheal-ci-agent, Property 15: Commit Penalty Calculation", () => {
  // Feature: autoheal-ci-agent, Property 15: Commit Penalty Calculation
  it("takes exactly 2 points for each commit over 20, and 0 up to there", () => {
    fc.assert(
      fc.property(anyTime, fc.oneof(fc.nat({ max: 400 }), fc.constantFrom(19, 20, 21)), ({ text }, commits) => {
        const penalty = commits > 20 ? (commits - 20) * 2 : 0;
        const { speedBonus, commitPenalty, finalScore } = scoreOf(text, commits);
        expect(commitPenalty).toBe(penalty);
        expect(finalScore).toBe(100 + speedBonus - penalty);
      }),
      { numRuns: 100 },
    );
  });
});
