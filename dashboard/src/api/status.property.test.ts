import { QueryObserver } from "@tanstack/react-query";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { makeQueryClient } from "./query-client";
import { LONGEST_PAUSE_MILLIS, POLL_MILLIS, statusOptions, WATCH_MILLIS } from "./status";

const JOB = "01a2008c-96f2-72eb-94e4-000000000500";

type Answer = "queued" | "running" | "completed" | "failed" | "network" | "unwell";

const going = fc.constantFrom<Answer>("queued", "running", "running", "network", "unwell");
const isFailure = (answer: Answer) => answer === "network" || answer === "unwell";

/** Watches a job whose server answers so, one answer after another; tells when it was asked. */
async function watch(answers: readonly Answer[], millis: number, watchedBefore = 0): Promise<number[]> {
  const began = Date.now();
  const asked: number[] = [];
  vi.stubGlobal("fetch", () => {
    const answer = answers[asked.length] ?? answers.at(-1);
    asked.push(Date.now() - began);
    if (answer === "network") return Promise.reject(new TypeError("connection refused"));
    if (answer === "unwell") return Promise.resolve(new Response("", { status: 503 }));
    return Promise.resolve(Response.json({ jobId: JOB, status: answer }));
  });
  const client = makeQueryClient();
  const observer = new QueryObserver(client, statusOptions(JOB, began - watchedBefore));
  const stop = observer.subscribe(() => undefined);
  await vi.advanceTimersByTimeAsync(millis);
  stop();
  client.clear();
  return asked;
}

describe("Feature: autoheal-ci-agent, Property 27: Status Polling Continuation", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  // Feature: autoheal-ci-agent, Property 27: Status Polling Continuation
  it("asks at regular intervals until the job is over, goes on after errors, and then asks no more", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(going, { maxLength: 12 }),
        fc.constantFrom<Answer>("completed", "failed"),
        async (before, last) => {
          const answers = [...before, last];
          const asked = await watch(answers, (answers.length + 2) * LONGEST_PAUSE_MILLIS);
          expect(asked).toHaveLength(answers.length);
          answers.slice(0, -1).forEach((answer, index) => {
            const pause = (asked[index + 1] ?? 0) - (asked[index] ?? 0);
            if (isFailure(answer)) {
              expect(pause).toBeGreaterThanOrEqual(POLL_MILLIS);
              expect(pause).toBeLessThanOrEqual(LONGEST_PAUSE_MILLIS);
            } else {
              expect(pause).toBe(POLL_MILLIS);
            }
          });
        },
      ),
      { numRuns: 100 },
    );
  });

  // Feature: autoheal-ci-agent, Property 27: Status Polling Continuation
  it("goes on asking for a job that never ends, up to the time limit and not beyond", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 30 }),
        fc.constantFrom<Answer>("queued", "running"),
        async (left, answer) => {
          const asked = await watch([answer], (left + 10) * POLL_MILLIS, WATCH_MILLIS - left * POLL_MILLIS);
          // Once at the beginning, and once at the end of each interval up to the one that uses up the time.
          expect(asked).toEqual(Array.from({ length: left + 1 }, (_, poll) => poll * POLL_MILLIS));
        },
      ),
      { numRuns: 100 },
    );
  });
});
