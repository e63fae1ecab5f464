import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { validateGitHubUrl } from "./repository-url";

/** The rule, said in another way than the pattern says it: part by part. */
function isAddress(text: string): boolean {
  const [scheme, nothing, host, owner, repository, ...rest] = text.split("/");
  const isWord = (part: string | undefined, more: string) =>
    part !== undefined &&
    part.length > 0 &&
    Array.from(part).every((letter) => /^[A-Za-z0-9_-]$/.test(letter) || more.includes(letter));
  return (
    scheme === "https:" &&
    nothing === "" &&
    host === "github.com" &&
    isWord(owner, "") &&
    isWord(repository, ".") &&
    repository !== "." &&
    repository !== ".." &&
    rest.length === 0
  );
}

const name = fc.stringMatching(/^[\w.-]{0,8}$/);
/** Addresses and what is nearly one: the interesting texts are never found by chance. */
const near = fc
  .tuple(
    fc.constantFrom("https://", "http://", "HTTPS://", "https:/", "git@", " https://", ""),
    fc.constantFrom(
      "github.com",
      "www.github.com",
      "github.com.evil.example",
      "gitlab.com",
      "user@github.com",
      "github.com:443",
    ),
    fc.constantFrom("/", ":", "//", ""),
    name,
    fc.constantFrom("/", "", "//", "\\"),
    name,
    fc.constantFrom("", "", "", "/", ".git", "/tree/main", "?tab=x", "#a", " ", "\n", "%2e", "é"),
  )
  .map((parts) => parts.join(""));
const valid = fc
  .tuple(fc.stringMatching(/^[\w-]{1,12}$/), fc.stringMatching(/^[\w-]{1,12}$/))
  .map(([owner, repository]) => `https://github.com/${owner}/${repository}`);

describe("Feature: autoheal-ci-agent, Property 1: GitHub URL Validation", () => {
  // Feature: autoheal-ci-agent, Property 1: GitHub URL Validation
  it("accepts exactly the addresses of the form https://github.com/[owner]/[repo]", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), near, valid), (text) => {
        expect(validateGitHubUrl(text)).toBe(isAddress(text));
      }),
      { numRuns: 100 },
    );
  });

  // Feature: autoheal-ci-agent, Property 1: GitHub URL Validation
  it("accepts whatever the specification's own pattern accepts", () => {
    fc.assert(
      fc.property(valid, (text) => {
        expect(/^https:\/\/github\.com\/[\w-]+\/[\w-]+$/.test(text)).toBe(true);
        expect(validateGitHubUrl(text)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});
