import { describe, expect, it } from "vitest";
import { usageOf } from "./format";

const usage = {
  calls: 2,
  inputTokens: 3100,
  outputTokens: 466,
  cachedTokens: 0,
  microDollars: 12_300,
  unpricedCalls: 0,
};

describe("the usage of language models", () => {
  it("names the requests, the tokens and the cost", () => {
    expect(usageOf(usage)).toBe("2 questions to a model, 3,566 tokens, $0.0123");
  });

  it("says what is missing from the cost", () => {
    expect(usageOf({ ...usage, unpricedCalls: 1 })).toContain("$0.0123 and 1 of unknown price");
    expect(usageOf({ ...usage, microDollars: 0, unpricedCalls: 2 })).toContain("unknown price");
  });
});
