import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { JobRequest } from "../api/types";
import { problemOf } from "./heal-form";
import { InputForm } from "./input-form";
import { validateGitHubUrl } from "./repository-url";

const NAMES = ["repositoryUrl", "teamName", "leaderName"] as const;

const blank = fc.stringMatching(/^[ \t]{0,4}$/);
const validUrl = fc.constantFrom("https://github.com/owner/repo", " https://github.com/a-b/next.js ");
const name = fc.stringMatching(/^[A-Za-z][\w ]{0,20}$/);
const request: fc.Arbitrary<JobRequest> = fc.record({
  repositoryUrl: fc.oneof(validUrl, fc.string(), fc.webUrl(), blank),
  teamName: fc.oneof(name, blank),
  leaderName: fc.oneof(name, blank),
});

/** By name: a look for labels goes through the whole document, a hundred times over. */
function input(name: keyof JobRequest): HTMLElement {
  return document.querySelector<HTMLElement>(`[name="${name}"]`) ?? document.body;
}

function fill(values: JobRequest) {
  for (const name of NAMES) fireEvent.change(input(name), { target: { value: values[name] } });
}

function form(): HTMLElement {
  return document.querySelector("form") ?? document.body;
}

describe("Feature: autoheal-ci-agent, Property 19: Loading State Prevention", () => {
  // Feature: autoheal-ci-agent, Property 19: Loading State Prevention
  it("neither offers nor takes a submission while it is loading", () => {
    fc.assert(
      fc.property(request, fc.array(fc.constantFrom("click", "enter", "submit"), { maxLength: 5 }), (values, tries) => {
        cleanup();
        const onSubmit = vi.fn(() => Promise.resolve());
        const view = render(<InputForm onSubmit={onSubmit} isLoading={false} />);
        fill(values);
        view.rerender(<InputForm onSubmit={onSubmit} isLoading />);
        const button = screen.getByText("Healing…");
        expect(button).toBeDisabled();
        for (const way of tries) {
          if (way === "click") fireEvent.click(button);
          else if (way === "enter") fireEvent.keyDown(input("teamName"), { key: "Enter" });
          else fireEvent.submit(form());
        }
        expect(onSubmit).not.toHaveBeenCalled();
      }),
      { numRuns: 100 },
    );
  });
});

describe("Feature: autoheal-ci-agent, Property 20: Input Validation Error Display", () => {
  // Feature: autoheal-ci-agent, Property 20: Input Validation Error Display
  it("shows an error at every field that is wrong, at no other, and sends nothing until all are right", () => {
    fc.assert(
      fc.property(request, (values) => {
        cleanup();
        const onSubmit = vi.fn(() => Promise.resolve());
        render(<InputForm onSubmit={onSubmit} isLoading={false} />);
        fill(values);
        fireEvent.submit(form());
        const isWrong = {
          repositoryUrl: !validateGitHubUrl(values.repositoryUrl.trim()),
          teamName: values.teamName.trim() === "",
          leaderName: values.leaderName.trim() === "",
        };
        for (const name of NAMES) {
          const field = input(name);
          if (isWrong[name]) {
            expect(field).toBeInvalid();
            expect(field).toHaveAccessibleDescription(problemOf(name, values[name]));
          } else {
            expect(field).toBeValid();
            expect(field).not.toHaveAccessibleDescription();
          }
        }
        const wrong = NAMES.filter((name) => isWrong[name]).length;
        expect(screen.queryAllByRole("alert")).toHaveLength(wrong);
        expect(onSubmit).toHaveBeenCalledTimes(wrong === 0 ? 1 : 0);
      }),
      { numRuns: 100 },
    );
  });
});
