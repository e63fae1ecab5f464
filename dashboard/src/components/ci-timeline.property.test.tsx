import { cleanup, render, screen } from "@testing-library/react";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { iterations } from "../test/arbitrary";
import { CITimelineComponent } from "./ci-timeline";

describe("Feature: autoheal-ci-agent, Property 39: Timeline Iteration Display", () => {
  // Feature: autoheal-ci-agent, Property 39: Timeline Iteration Display
  it("shows exactly N entries, each with its status, time and number of failures", () => {
    fc.assert(
      fc.property(iterations, fc.nat({ max: 20 }), (iterations, retryLimit) => {
        cleanup();
        render(<CITimelineComponent iterations={iterations} retryLimit={retryLimit} />);
        const entries = screen.queryAllByTestId("iteration");
        expect(entries).toHaveLength(iterations.length);
        entries.forEach((entry, index) => {
          const { status, timestamp, failureCount } = iterations[index] ?? {
            status: "",
            timestamp: "",
            failureCount: -1,
          };
          expect(entry.querySelector("[data-tone]")?.textContent).toBe(status);
          expect(entry.querySelector("time")).toHaveAttribute("datetime", timestamp);
          expect(entry.querySelector("time")?.textContent).toContain(String(new Date(timestamp).getFullYear()));
          expect(entry.textContent).toMatch(new RegExp(`${status}${failureCount} failures?`));
        });
        expect(screen.getByTestId("iterations-used")).toHaveTextContent(
          `${iterations.length}/${retryLimit + 1} iterations`,
        );
      }),
      { numRuns: 100 },
    );
  });
});
