import { describe, expect, it } from "vitest";
import type { FixAttempt, RunSummary } from "../api/types";
import { healingFixes, healingResults } from "../mocks/healing";
import { makeClock } from "../mocks/clock";
import { makeSourceFixes, makeRecipes, makeSources } from "../mocks/sources";
import { failedRead, validationErrors, versionOf } from "./fix-reasons";
import { joinedPatch, partsOf, withoutReordering } from "./patches";
import { comparedVersions, fieldChanges, markedValues } from "./recipe-fields";
import { pairedFixes, sentenceOf } from "./repository-fixes";
import { mergeCommand } from "./run-delivery";

const clock = makeClock(Date.parse("2026-11-20T12:00:00Z"));

describe("patches", () => {
  const definition = (lines: string) => `--- active definition\n+++ staged definition\n@@ -1,8 +1,8 @@\n${lines}`;
  const recipe = "--- active recipe\n+++ staged recipe\n@@ -1 +1 @@\n-a\n+b\n";

  it("have a first changed line and a name for each file", () => {
    expect(partsOf(healingFixes(clock, 9)[0]?.patch ?? "")).toMatchObject([{ file: "parcel/rates.py", line: 25 }]);
    expect(partsOf("--- a/gone.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n")[0]?.file).toBe("gone.py");
    expect(partsOf("")).toEqual([]);
    expect(joinedPatch(["a", "", "b\n"])).toBe("a\nb\n");
  });

  it("lose a comparison of definitions that differ only in the order of their fields", () => {
    const swapped = definition(
      ' [\n {\n-"name": "title",\n-"required": true\n+"name": "height",\n+"required": false\n },\n {\n-"name": "height",\n-"required": false\n+"name": "title",\n+"required": true\n }\n',
    );
    expect(withoutReordering(recipe + swapped)).toBe(recipe);
  });

  it("keep a definition in which a value moved from one field to another", () => {
    const moved = definition(
      ' {\n "name": "title",\n-"required": true\n+"required": false\n },\n {\n "name": "height",\n-"required": false\n+"required": true\n }\n',
    );
    expect(withoutReordering(recipe + moved)).toBe(recipe + moved);
  });

  it("keep a recipe whose lines moved", () => {
    const moved = "--- active recipe\n+++ staged recipe\n@@ -1,2 +1,2 @@\n-a\n b\n+a\n";
    expect(withoutReordering(moved)).toBe(moved);
  });
});

describe("the fixes of a repository", () => {
  const results = healingResults(clock, 30);

  it("are paired with their diffs, those that failed at the end", () => {
    const pairs = pairedFixes(results.fixes, healingFixes(clock, 30), []);
    expect(pairs.map(({ fix, attempt }) => [fix?.file, attempt?.errorType])).toEqual([
      ["parcel/rates.py", "SYNTAX"],
      ["parcel/label.py", undefined],
      ["parcel/address.py", "LINTING"],
      ["parcel/carriers/regional/north/timetable_of_the_night_service.py", undefined],
      ["parcel/tracking.py", undefined],
    ]);
    expect(pairs[0]?.sentence).toBe("insert the missing `:`");
  });

  it("have the sentences of the notes while there are no results", () => {
    const note = "SYNTAX error in parcel/rates.py line 27 → Fix: insert the missing `:`";
    const pairs = pairedFixes([], healingFixes(clock, 30), ["took the newest fix back: CI fails as before", note]);
    expect(pairs.map(({ sentence }) => sentence)).toEqual(["insert the missing `:`", undefined]);
  });

  it("never lose an attempt that the results do not list", () => {
    const [first] = healingFixes(clock, 30);
    expect(pairedFixes([], [first as FixAttempt], [])).toHaveLength(1);
  });

  it("have a sentence without kind and place", () => {
    expect(sentenceOf("LOGIC error in a.py line 1 → not fixed: AssertionError")).toBe("AssertionError");
    expect(sentenceOf("something else")).toBe("something else");
  });

  it("are merged by a command that needs no quotes", () => {
    expect(mergeCommand(results)).toBe("git fetch origin NIGHT_SHIFT_ADA_LOVELACE_AI_Fix && git merge FETCH_HEAD");
    expect(mergeCommand({ ...results, repository: "/srv/parcel" })).toBe("git merge NIGHT_SHIFT_ADA_LOVELACE_AI_Fix");
    expect(mergeCommand({ ...results, branchName: "a; rm -rf ~" })).toBeUndefined();
    expect(mergeCommand({ ...results, branchName: "--upload-pack=x" })).toBeUndefined();
  });
});

describe("the fixes of a source", () => {
  const source = makeSources(clock).find(({ name }) => name === "bread-recipe");
  const fixes = source ? makeSourceFixes(clock, source) : [];
  const run = (runId: string, kind: RunSummary["kind"], startedAt: string, finishedAt: string): RunSummary => ({
    runId,
    taskId: 1,
    kind,
    target: "bread-recipe",
    startedAt,
    finishedAt,
    state: "running",
  });

  it("know their version", () => {
    const recipes = makeRecipes(clock, "STAGING");
    expect(versionOf(fixes[0] as FixAttempt, fixes, recipes)?.version).toBe(2);
    expect(versionOf({ ...(fixes[0] as FixAttempt), at: clock.ago(9_000) }, [], recipes)).toBeUndefined();
  });

  it("lead back to the failed read that was in progress then", () => {
    const reads = [
      run("before", "REFRESH_SOURCE", clock.ago(1_500), clock.ago(1_499)),
      run("read", "REFRESH_SOURCE", clock.ago(1_441), clock.ago(1_440)),
      run("fix", "FIX_SOURCE", clock.ago(1_441), clock.ago(1_440)),
    ];
    expect(failedRead(fixes, reads)?.runId).toBe("read");
    expect(failedRead([], reads)).toBeUndefined();
  });

  it("are read from documents of any form", () => {
    const odd = (validation: unknown): FixAttempt => ({ ...(fixes[0] as FixAttempt), validation, diagnosis: 3 });
    expect([null, [], "x", { errors: "x" }, { errors: [1, "one"] }].map((each) => validationErrors(odd(each)))).toEqual(
      [[], [], [], [], ["one"]],
    );
    expect(failedRead([odd(null)], [])).toBeUndefined();
  });
});

describe("a review", () => {
  it("compares the active version with the waiting one, which replaced nothing yet", () => {
    expect(comparedVersions(makeRecipes(clock, "STAGING"))).toEqual({ before: 1, after: 2 });
    expect(comparedVersions(makeRecipes(clock, "PRODUCTION"))).toEqual({ before: 1, after: 2 });
    expect(comparedVersions([])).toEqual({});
  });

  it("lists changed fields first", () => {
    const before = { items: { select: "li" }, fields: { a: { select: ".a" }, gone: { select: "b" } } };
    const after = { items: { select: "li" }, fields: { a: { select: ".a" }, new: { take: "title" } } };
    expect(fieldChanges(before, after)).toEqual([
      { field: "gone", before: "b", after: undefined },
      { field: "new", before: undefined, after: '{"take":"title"}' },
      { field: "(items)", before: "li", after: "li" },
      { field: "a", before: ".a", after: ".a" },
    ]);
    expect(fieldChanges(null, 7)).toEqual([]);
  });

  it("reads the marked values of a page as texts", () => {
    const html =
      "<p data-autoheal-field=a>one\n <b>two</b></p><p data-autoheal-field=a><img src=x onerror=alert(1)></p>";
    expect(markedValues(html).get("a")).toEqual(["one two", ""]);
  });
});
