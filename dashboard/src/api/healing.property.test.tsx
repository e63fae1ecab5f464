import { QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, render, screen } from "@testing-library/react";
import fc from "fast-check";
import type { ReactNode } from "react";
import { describe, expect, it } from "vitest";
import { useHealingStore } from "../store/healing";
import { results } from "../test/arbitrary";
import { makeTestClient } from "../test/render-app";
import { NetworkError } from "./errors";
import { useHealing } from "./healing";
import type { StatusResponse } from "./types";

const JOB = "01a2008c-96f2-72eb-94e4-000000000500";

/** Tells what it sees of the state; it is given nothing. */
function Probe() {
  const { isLoading, results, error } = useHealing();
  const seen = { isLoading, branch: results?.branchName ?? null, error: error instanceof Error ? error.message : null };
  return <output data-testid="probe">{JSON.stringify(seen)}</output>;
}

/** Parts within parts, none of which passes anything on. */
function Nest({ depth, children }: { depth: number; children: ReactNode }) {
  return depth === 0 ? (
    <div>{children}</div>
  ) : (
    <section>
      <Nest depth={depth - 1}>{children}</Nest>
    </section>
  );
}

type Change =
  { kind: "submitting" } | { kind: "refused"; message: string } | { kind: "answer"; status: StatusResponse };

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.constant<Change>({ kind: "submitting" }),
  fc.string({ minLength: 1 }).map((message): Change => ({ kind: "refused", message })),
  fc
    .constantFrom("queued" as const, "running" as const, "failed" as const)
    .map((status): Change => ({ kind: "answer", status: { jobId: JOB, status } })),
  results.map((results): Change => ({ kind: "answer", status: { jobId: JOB, status: "completed", results } })),
);

function expected(change: Change) {
  switch (change.kind) {
    case "submitting":
      return { isLoading: true, error: null };
    case "refused":
      return { error: change.message };
    case "answer": {
      const { status, results } = change.status;
      return {
        isLoading: status === "queued" || status === "running",
        branch: results?.branchName ?? null,
        error: null,
      };
    }
  }
}

describe("Feature: autoheal-ci-agent, Property 25: State Update Propagation", () => {
  // Feature: autoheal-ci-agent, Property 25: State Update Propagation
  it("reaches every component, however deep, without anything being passed on", () => {
    fc.assert(
      fc.property(
        fc.array(change, { minLength: 1, maxLength: 6 }),
        fc.array(fc.nat({ max: 6 }), { minLength: 1, maxLength: 4 }),
        (changes, depths) => {
          cleanup();
          const client = makeTestClient();
          useHealingStore.setState(useHealingStore.getInitialState(), true);
          render(
            <QueryClientProvider client={client}>
              {depths.map((depth, index) => (
                <Nest key={index} depth={depth}>
                  <Probe />
                </Nest>
              ))}
            </QueryClientProvider>,
          );
          for (const change of changes) {
            act(() => {
              const { submitting, submitFailed, watch } = useHealingStore.getState();
              if (change.kind === "submitting") submitting();
              else if (change.kind === "refused") submitFailed(new NetworkError(change.message));
              else {
                client.setQueryData(["status", JOB], change.status);
                watch(JOB);
              }
            });
            const seen = screen.getAllByTestId("probe").map((probe) => JSON.parse(probe.textContent) as object);
            expect(seen).toHaveLength(depths.length);
            for (const each of seen) expect(each).toMatchObject(expected(change));
          }
          client.clear();
        },
      ),
      { numRuns: 100 },
    );
  });
});
