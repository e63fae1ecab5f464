import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { ApiError, NetworkError, TimeoutError } from "../api/errors";
import { makeQueryClient } from "../api/query-client";
import { useToasts } from "../store/toasts";
import { Failure } from "../ui/message";
import { Toaster } from "./toaster";

const HEALING_CODES = [
  "REPO_CLONE_FAILED",
  "REPO_NOT_FOUND",
  "REPO_ACCESS_DENIED",
  "TEST_DISCOVERY_FAILED",
  "TEST_EXECUTION_FAILED",
  "DOCKER_BUILD_FAILED",
  "DOCKER_RUN_FAILED",
  "LLM_API_ERROR",
  "LLM_TIMEOUT",
  "PATCH_APPLY_FAILED",
  "SYNTAX_VALIDATION_FAILED",
  "GIT_PUSH_FAILED",
  "CI_TIMEOUT",
  "RETRY_LIMIT_REACHED",
  "INVALID_INPUT",
  "STORE_UNAVAILABLE",
  "DISK_FAILED",
  "STEP_FAILED",
];
const CODES = [
  ...HEALING_CODES,
  "JOB_NOT_FOUND",
  "RATE_LIMITED",
  "CONFLICT",
  "INTERNAL",
  "A_CODE_OF_TOMORROW",
  "constructor",
];
/** Where trying again can help, it must be offered. */
const RETRIED = new Set([
  "REPO_CLONE_FAILED",
  "LLM_API_ERROR",
  "LLM_TIMEOUT",
  "CI_TIMEOUT",
  "GIT_PUSH_FAILED",
  "RATE_LIMITED",
  "INTERNAL",
  "A_CODE_OF_TOMORROW",
]);

/** What servers say: fit for people or not. */
const message = fc.oneof(
  fc.string(),
  fc.constantFrom(
    "REPO_CLONE_FAILED: fatal: could not read from remote",
    'thread "main" panicked at src/main.rs:12:5',
    "Traceback (most recent call last):\n  File x",
    "<script>alert(1)</script>",
  ),
);
const failure: fc.Arbitrary<{ error: Error; mustRetry: boolean }> = fc.oneof(
  fc
    .tuple(fc.constantFrom(...CODES), fc.constantFrom(400, 404, 409, 429, 500, 502), message)
    .map(([code, status, text]) => ({
      error: new ApiError(status, { code, message: text, details: { code } }),
      mustRetry: RETRIED.has(code),
    })),
  message.map((text) => ({ error: new NetworkError(text), mustRetry: true })),
  message.map((text) => ({ error: new TimeoutError(text), mustRetry: true })),
  message.map((text) => ({ error: new Error(text), mustRetry: true })),
);

/** No codes, no traces, no places in programs; whole sentences. */
function expectForPeople(text: string) {
  expect(text.length).toBeGreaterThan(15);
  expect(text).not.toMatch(/[A-Z]{2,}_[A-Z]/);
  expect(text).not.toMatch(/Traceback|panicked at|\bat .+:\d+/);
}

describe("Feature: autoheal-ci-agent, Property 28: Error Message User-Friendliness", () => {
  // Feature: autoheal-ci-agent, Property 28: Error Message User-Friendliness
  it("tells any error in words where it happened, with a way to try again where that may help", () => {
    fc.assert(
      fc.property(failure, ({ error, mustRetry }) => {
        cleanup();
        const onRetry = vi.fn();
        render(<Failure error={error} onRetry={onRetry} />);
        const alert = screen.getByRole("alert");
        expectForPeople(alert.textContent);
        const retry = within(alert).queryByRole("button", { name: "Retry" });
        if (mustRetry) expect(retry).not.toBeNull();
        if (retry) fireEvent.click(retry);
        expect(onRetry).toHaveBeenCalledTimes(retry ? 1 : 0);
      }),
      { numRuns: 100 },
    );
  });

  // Feature: autoheal-ci-agent, Property 28: Error Message User-Friendliness
  it("tells any failed action by a toast in words, tries it again on demand, and leaves the details to the console", async () => {
    await fc.assert(
      fc.asyncProperty(failure, async ({ error, mustRetry }) => {
        cleanup();
        useToasts.setState({ toasts: [] });
        const log = vi.mocked(console.error).mockClear();
        render(<Toaster />);
        const act1 = vi.fn<() => Promise<void>>().mockRejectedValueOnce(error).mockResolvedValue();
        const client = makeQueryClient();
        const mutation = client.getMutationCache().build(client, { mutationFn: act1 });
        await act(() => mutation.execute(undefined).catch(() => undefined));
        const notices = screen.getByRole("region", { name: "Notices" });
        expectForPeople(notices.textContent);
        expect(log.mock.calls.flat()).toContain(error);
        const retry = within(notices).queryByRole("button", { name: "Retry" });
        if (mustRetry) expect(retry).not.toBeNull();
        if (!retry) return;
        await act(async () => {
          fireEvent.click(retry);
          await Promise.resolve();
        });
        expect(act1).toHaveBeenCalledTimes(2);
      }),
      { numRuns: 100 },
    );
  });
});
