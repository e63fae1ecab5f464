import { act, cleanup, render } from "@testing-library/react";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { results } from "../test/arbitrary";
import { panel } from "../test/panel";
import { formatTotalTime } from "./duration";
import { HealingResults } from "./healing-results";
import { scoreOf } from "./score";

describe("Feature: autoheal-ci-agent, Property 38: Dashboard Results Display Completeness", () => {
  // Feature: autoheal-ci-agent, Property 38: Dashboard Results Display Completeness
  it("shows summary, score, fixes and timeline of every healing that is completed", async () => {
    // The score is loaded when it is first shown.
    await import("./score-breakdown-panel");
    await fc.assert(
      fc.asyncProperty(results, async (results) => {
        cleanup();
        await act(async () => {
          render(<HealingResults results={results} />);
          await Promise.resolve();
        });
        const summary = panel("Run summary");
        expect(summary.textContent).toContain(results.repository);
        expect(summary.textContent).toContain(results.branchName);
        expect(summary.textContent).toContain(results.ciStatus);
        expect(summary.textContent).toContain(formatTotalTime(results.totalTime));
        const { finalScore } = scoreOf(results.totalTime, results.commitCount);
        const score = panel("Score").querySelector("strong")?.textContent;
        expect(score).toBe(results.ciStatus === "PASSED" ? String(finalScore) : undefined);
        expect(panel("Score").textContent.includes("No score: CI did not pass")).toBe(results.ciStatus === "FAILED");
        expect(panel("Fixes applied").querySelectorAll("tbody tr")).toHaveLength(results.fixes.length);
        expect(panel("CI/CD timeline").querySelectorAll("ol > li")).toHaveLength(results.iterationHistory.length);
      }),
      { numRuns: 100 },
    );
  });
});
