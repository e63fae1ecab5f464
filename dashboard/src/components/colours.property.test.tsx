import { cleanup, render } from "@testing-library/react";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fix, results } from "../test/arbitrary";
import { panel } from "../test/panel";
import { isGreen, isRed } from "../test/tones";
import { FixesTable } from "./fixes-table";
import { RunSummaryCard } from "./run-summary-card";

function badges(root: HTMLElement): HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>("[data-tone]")];
}

describe("Feature: autoheal-ci-agent, Property 17: Fix Status Color Coding", () => {
  // Feature: autoheal-ci-agent, Property 17: Fix Status Color Coding
  it("shows every fix that is Fixed in green and every one that Failed in red", () => {
    fc.assert(
      fc.property(fc.array(fix, { minLength: 1, maxLength: 8 }), (fixes) => {
        cleanup();
        render(<FixesTable fixes={fixes} />);
        const rows = [...panel("Fixes applied").querySelectorAll<HTMLElement>("tbody tr")];
        expect(rows).toHaveLength(fixes.length);
        rows.forEach((row, index) => {
          const [badge, ...more] = badges(row);
          expect(more).toEqual([]);
          expect(badge).toHaveTextContent(fixes[index]?.status ?? "");
          expect(badge && isGreen(badge)).toBe(fixes[index]?.status === "Fixed");
          expect(badge && isRed(badge)).toBe(fixes[index]?.status === "Failed");
        });
      }),
      { numRuns: 100 },
    );
  });
});

describe("Feature: autoheal-ci-agent, Property 18: CI Status Badge Color", () => {
  // Feature: autoheal-ci-agent, Property 18: CI Status Badge Color
  it("shows a green badge for PASSED and a red one for FAILED", () => {
    fc.assert(
      fc.property(results, (results) => {
        cleanup();
        render(<RunSummaryCard results={results} />);
        const [badge] = badges(panel("Run summary"));
        expect(badge).toHaveTextContent(results.ciStatus);
        expect(badge && isGreen(badge)).toBe(results.ciStatus === "PASSED");
        expect(badge && isRed(badge)).toBe(results.ciStatus === "FAILED");
      }),
      { numRuns: 100 },
    );
  });
});
