import { describe, expect, it } from "vitest";
import type { RunEvent } from "../api/types";
import { makeClock } from "../mocks/clock";
import { healingEvents, WORKFLOWS } from "../mocks/healing";
import { formatInterval, formatMillis, formatRelative, words } from "../ui/format";
import { linesOf as diffLinesOf } from "../ui/diff";
import { safeAddress } from "../ui/safe-link";
import { formatTotalTime, secondsOf } from "./duration";
import { groupsOf } from "./openapi-document";
import { progressOf, withFailure } from "./run-progress";
import { EMPTY_SOURCE, sourceProblem, sourceRequest } from "./source-form";
import { columnOf, linesOf } from "./workflow-layout";

describe("durations", () => {
  it("reads and writes minutes and seconds", () => {
    expect(secondsOf("4m 59s")).toBe(299);
    expect(secondsOf("soon")).toBeUndefined();
    expect(formatTotalTime("1m 75s")).toBe("2m 15s");
    expect(formatTotalTime("soon")).toBe("soon");
  });

  it("writes times in the unit that people would use", () => {
    expect([340, 12_400, 262_000, 7_500_000, 200_000_000].map(formatMillis)).toEqual([
      "340 ms",
      "12 s",
      "4m 22s",
      "2h 5m",
      "2 days",
    ]);
    expect([45, 60, 900, 3_600, 7_200, 86_400].map(formatInterval)).toEqual([
      "every 45 s",
      "every minute",
      "every 15 min",
      "every hour",
      "every 2 h",
      "every day",
    ]);
    expect(formatRelative(0, 3 * 3_600_000)).toBe("3 hr. ago");
    expect(formatRelative(120_000, 0)).toBe("in 2 min.");
    expect(words("monitor_ci")).toBe("Monitor CI");
  });
});

describe("diffs", () => {
  it("tells lines by their place: a removed line may itself begin with dashes", () => {
    const patch = "--- a/x.sql\n+++ b/x.sql\n@@ -1,3 +1,2 @@\n same\n--- a comment\n+new\n";
    expect(diffLinesOf(patch).map(({ kind }) => kind)).toEqual(["file", "file", "place", "same", "removed", "added"]);
  });

  it("sees where the next file begins", () => {
    const patch = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-c\n+d\n";
    expect(diffLinesOf(patch).map(({ kind }) => kind)).toEqual([
      "file",
      "file",
      "place",
      "removed",
      "added",
      "file",
      "file",
      "place",
      "removed",
      "added",
    ]);
  });
});

describe("links", () => {
  it("follows nothing but http", () => {
    expect(safeAddress("https://example.org/a")).toBe("https://example.org/a");
    expect(safeAddress("javascript:alert(1)")).toBeUndefined();
    expect(safeAddress("data:text/html,x")).toBeUndefined();
    expect(safeAddress("parcel")).toBeUndefined();
  });
});

describe("the progress of a run", () => {
  const events = healingEvents(makeClock(0), 10);

  it("counts visits and time of each agent", () => {
    const { nodes, current, stopReason } = progressOf(events);
    expect(nodes.get("patch_code")).toEqual({ state: "done", visits: 2, millis: 84_000, attempt: 1 });
    expect(current).toBeUndefined();
    expect(stopReason).toBe("GREEN");
  });

  it("knows the agent that works, also when it tries again", () => {
    const failed = events.findIndex(({ type }) => type === "node_failed");
    const { nodes, current } = progressOf(events.slice(0, failed + 2));
    expect(current).toBe("commit_push");
    expect(nodes.get("commit_push")).toEqual({ state: "running", visits: 1, millis: 0, attempt: 2 });
    expect(nodes.get("monitor_ci")).toBeUndefined();
  });
});

describe("the layout of a workflow", () => {
  it("puts the end last, and gives each line that leaves the column a lane of its own where they overlap", () => {
    for (const workflow of Object.values(WORKFLOWS)) {
      const column = columnOf(workflow);
      expect(column).toEqual([...workflow.nodes, "end"]);
      const lines = linesOf(workflow);
      expect(lines).toHaveLength(workflow.edges.length);
      const beside = lines.filter(({ lane }) => lane !== undefined);
      for (const one of beside) {
        for (const other of beside) {
          if (one === other || one.lane !== other.lane) continue;
          const apart =
            Math.max(one.from, one.to) < Math.min(other.from, other.to) ||
            Math.max(other.from, other.to) < Math.min(one.from, one.to);
          expect(apart).toBe(true);
        }
      }
    }
  });
});

describe("the form of a source", () => {
  it("asks for an address of the web and a whole number of minutes", () => {
    expect(sourceProblem("url", EMPTY_SOURCE)).toBeDefined();
    expect(sourceProblem("url", { ...EMPTY_SOURCE, url: "file:///etc/passwd" })).toBeDefined();
    expect(sourceProblem("url", { ...EMPTY_SOURCE, url: "https://shop.example" })).toBeUndefined();
    expect(
      ["", "0", "1.5", "x"].map((minutes) => sourceProblem("minutes", { ...EMPTY_SOURCE, minutes })).every(Boolean),
    ).toBe(true);
  });

  it("sends only what was filled in", () => {
    const examples = [
      { field: "price", value: "39.90" },
      { field: "", value: "x" },
    ];
    expect(sourceRequest({ ...EMPTY_SOURCE, url: "https://shop.example", examples })).toEqual({
      url: "https://shop.example",
      intervalSeconds: 21_600,
      healPolicy: "auto",
      onUncertain: "skip_run",
      examples: { price: "39.90" },
    });
  });
});

describe("an OpenAPI document", () => {
  it("is listed by tag, with references followed, also those that go round", () => {
    const document = {
      paths: {
        "/a/{id}": {
          parameters: [{ $ref: "#/components/parameters/Id" }],
          post: {
            tags: ["Things"],
            operationId: "make",
            requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/Node" } } } },
            responses: { 200: { description: "made" } },
          },
        },
      },
      components: {
        parameters: { Id: { name: "id", in: "path", required: true, schema: { type: "string" } } },
        schemas: { Node: { type: "object", properties: { next: { $ref: "#/components/schemas/Node" } } } },
      },
    };
    const [group] = groupsOf(document);
    expect(group?.tag).toBe("Things");
    expect(group?.operations[0]).toMatchObject({
      method: "POST",
      parameters: [{ name: "id", place: "path", required: true, type: "string" }],
      body: { type: "object" },
      responses: [{ status: "200", description: "made" }],
    });
  });

  it("is empty when it is something else", () => {
    expect([undefined, null, 3, "x", [], { paths: 7 }].map(groupsOf)).toEqual(Array.from({ length: 6 }, () => []));
  });
});

describe("agents that fail", () => {
  const at = "2026-11-20T08:00:00Z";
  const started = (sequence: number, node: string): RunEvent => ({
    sequence,
    at,
    type: "node_started",
    node,
    attempt: 1,
  });
  const finished = (sequence: number, node: string): RunEvent => ({
    sequence,
    at,
    type: "node_finished",
    node,
    millis: 9,
  });

  it("stay failed with their error when they finish", () => {
    const { nodes } = progressOf([
      started(1, "analyze_repo"),
      { sequence: 2, at, type: "node_failed", node: "analyze_repo", attempt: 1, error: "no access", retry: false },
      finished(3, "analyze_repo"),
    ]);
    expect(nodes.get("analyze_repo")).toMatchObject({ state: "failed", error: "no access" });
  });

  it("may report it by a note", () => {
    const { nodes } = progressOf([
      started(1, "refresh"),
      { sequence: 2, at, type: "note", node: "refresh", topic: "failed", message: "Missing field: title" },
      finished(3, "refresh"),
    ]);
    expect(nodes.get("refresh")).toMatchObject({ state: "failed", error: "Missing field: title" });
  });

  it("have the error of the run if they report none and are the only one", () => {
    const progress = progressOf([started(1, "scout"), finished(2, "scout")]);
    expect(withFailure(progress, "it answers 404").nodes.get("scout")).toMatchObject({
      state: "failed",
      error: "it answers 404",
    });
    expect(withFailure(progress, undefined)).toBe(progress);
  });

  it("are well again after a later visit", () => {
    const { nodes } = progressOf([
      started(1, "fix"),
      { sequence: 2, at, type: "node_failed", node: "fix", attempt: 1, error: "busy", retry: false },
      started(3, "fix"),
      finished(4, "fix"),
    ]);
    expect(nodes.get("fix")).toMatchObject({ state: "done", error: undefined });
  });
});
