import fc from "fast-check";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { browserPath, loaded, skipWithoutBrowser } from "./browser";
import { PATHS, setStage, type Stage } from "./preview";

const NARROWEST = 320;
const WIDEST = 1920;
const SMALLEST_TEXT = 12;

/** Any width; those where the layout changes, and the limits, are not left to chance. */
const width = fc.oneof(
  fc.integer({ min: NARROWEST, max: WIDEST }),
  fc.constantFrom(NARROWEST, 639, 640, 767, 768, 1023, 1024, 1279, 1280, WIDEST),
);

/** What sticks out to the right, and text that is too small to read. Both are named, so that they can be mended. */
function faultsOf(page: Page, smallest: number): Promise<string[]> {
  return page.evaluate((smallest) => {
    const root = document.documentElement;
    const faults: string[] = [];
    const name = (element: Element) => `${element.tagName}.${element.getAttribute("class")?.slice(0, 60) ?? ""}`;
    if (root.scrollWidth > root.clientWidth) {
      const wide = [...document.querySelectorAll("body *")].filter(
        (element) => element.getBoundingClientRect().right > root.clientWidth + 1,
      );
      faults.push(`overflow of ${root.scrollWidth - root.clientWidth} px: ${wide.slice(0, 4).map(name).join(", ")}`);
    }
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const element = walker.currentNode.parentElement;
      if (!element || !walker.currentNode.textContent?.trim() || element.getClientRects().length === 0) continue;
      const size = parseFloat(getComputedStyle(element).fontSize);
      if (size < smallest) faults.push(`text of ${size} px: ${name(element)}`);
    }
    return faults;
  }, smallest);
}

describe("Feature: autoheal-ci-agent, Property 24: Responsive Layout Adaptation", () => {
  let stage: Stage | undefined;
  beforeAll(async () => {
    if (browserPath) stage = await setStage();
  });
  afterAll(() => stage?.close());

  // Feature: autoheal-ci-agent, Property 24: Responsive Layout Adaptation
  it("shows every page without horizontal overflow and with readable text, at any width", async (context) => {
    if (!stage) {
      skipWithoutBrowser("the responsive layout (Property 24)");
      context.skip();
      return;
    }
    const { browser, address } = stage;
    const refused: string[] = [];
    const tabs = new Map<string, Page>();
    // A tab is opened once and resized from then on, as a reader would.
    const tabOf = async (path: string): Promise<Page> => {
      const open = tabs.get(path);
      if (open) return open;
      const page = await browser.newPage({ reducedMotion: "reduce" });
      page.on("console", (message) => {
        if (message.text().includes("Content Security Policy")) refused.push(message.text());
      });
      await page.goto(`${address}${path}`);
      await loaded(page);
      tabs.set(path, page);
      return page;
    };
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...PATHS), width, async (path, width) => {
        const page = await tabOf(path);
        await page.setViewportSize({ width, height: 900 });
        expect(await faultsOf(page, SMALLEST_TEXT), `${path} at ${width} px`).toEqual([]);
      }),
      { numRuns: 100, examples: PATHS.map((path): [string, number] => [path, NARROWEST]) },
    );
    expect(refused).toEqual([]);
  });
});
