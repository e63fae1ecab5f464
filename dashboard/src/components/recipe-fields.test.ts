import { describe, expect, it } from "vitest";
import type { Decision, FieldTrial, RecipeVersion } from "../api/types";
import { makeClock } from "../mocks/clock";
import { makeRecipes } from "../mocks/sources";
import { undoable } from "./decision-list";
import { acceptedValues, hasChanged } from "./recipe-fields";

describe("accepted values", () => {
  it("are those of one record, of a list of records, and of a field with many values", () => {
    expect(acceptedValues({ price: "39.90 EUR" }, "price")).toEqual(["39.90 EUR"]);
    expect(acceptedValues([{ title: "a" }, {}, { title: 3 }], "title")).toEqual(["a", "3"]);
    expect(acceptedValues({ tags: ["a", "b"] }, "tags")).toEqual(["a", "b"]);
  });

  it("may be missing, or no record at all", () => {
    expect([undefined, null, "text", 3, {}].flatMap((values) => acceptedValues(values, "price"))).toEqual([]);
    expect(acceptedValues({}, "toString")).toEqual([]);
  });
});

describe("a trial", () => {
  const trial = (values: string[], total = values.length): FieldTrial => ({ name: "x", values, total, problems: [] });

  it("has changed if a value or the number of values is another one", () => {
    expect(hasChanged(["a", "b"], trial(["a", "b"]))).toBe(false);
    expect(hasChanged(["a", "b"], trial(["a", "c"]))).toBe(true);
    expect(hasChanged(["a", "b"], trial(["a"]))).toBe(true);
    expect(hasChanged([], trial([]))).toBe(false);
  });

  it("is compared with the beginning of what it does not return as a whole", () => {
    expect(hasChanged(["a", "b", "c"], trial(["a", "b"], 3))).toBe(false);
    expect(hasChanged(["x".repeat(900)], trial(["x".repeat(400)]))).toBe(false);
    expect(hasChanged([`y${"x".repeat(900)}`], trial(["x".repeat(400)]))).toBe(true);
  });
});

describe("the rejection that can be undone", () => {
  const clock = makeClock(0);
  const rejected = (minutes: number, version: number): Decision => ({
    at: clock.ago(minutes),
    decision: "REJECTED",
    askedBy: "ada",
    version,
  });
  const recipes = makeRecipes(clock, "REJECTED");

  it("is the newest one of a version that is still rejected", () => {
    const [older, newer] = [rejected(20, 2), rejected(10, 2)];
    expect(undoable([older, newer], recipes)).toBe(newer);
    expect(undoable([{ ...older, decision: "APPROVED" }], recipes)).toBeUndefined();
    expect(undoable([rejected(5, 1), older], recipes)).toBe(older);
  });

  it("is none while a version waits", () => {
    const waiting: RecipeVersion[] = [...recipes, { ...(recipes[0] as RecipeVersion), version: 3, waits: true }];
    expect(undoable([rejected(10, 2)], waiting)).toBeUndefined();
  });
});
