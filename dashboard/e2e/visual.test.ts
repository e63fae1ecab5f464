import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { browserPath, faultsOf, loaded, SCREENSHOTS, skipWithoutBrowser, THEMES } from "./browser";
import { differences, gridOf, gridOfPicture, pictureOf } from "./grid";
import { GIVEN_UP_RUN, HEALED_RUN, RUNNING_RUN, setStage, type Stage } from "./preview";

const BASELINES = join(import.meta.dirname, "baselines");
const isUpdate = process.env.UPDATE_BASELINES === "1";

/** The main pages, by the name of their pictures. */
const PAGES: Record<string, string> = {
  overview: "/",
  needs: "/needs",
  runs: "/runs",
  "run-fixed": `/runs/${HEALED_RUN}`,
  "run-running": `/runs/${RUNNING_RUN}`,
  "run-failed": `/runs/${GIVEN_UP_RUN}`,
  sources: "/sources",
  "new-source": "/new-source",
  source: "/sources/tide-table",
  review: "/sources/bread-recipe",
  values: "/sources/desk-lamp?tab=values",
  queue: "/queue?state=all",
  alerts: "/alerts",
  usage: "/usage",
};

/** Each width, with a height that has the most of a page. */
const SIZES = [
  [320, 2400],
  [768, 1600],
  [1440, 1200],
] as const;

/** Cells that may differ: the pictures of two machines are never quite the same. */
const MOST_DIFFERENCES = 3;

/**
 * A font in which every character is a box of half an em, and a space is empty: fonts of the machine decide neither how
 * texts look nor where they wrap.
 */
const FONT = readFileSync(join(import.meta.dirname, "boxes.ttf")).toString("base64");
const STYLE =
  `@font-face { font-family: Boxes; src: url(data:font/ttf;base64,${FONT}); } ` +
  "*, ::before, ::after { font-family: Boxes !important; }";

/** Opens a page at a fixed time, with the font of boxes from its first layout on. */
async function open({ browser, address }: Stage, path: string, colorScheme: "light" | "dark"): Promise<Page> {
  const [[width, height]] = SIZES;
  const page = await browser.newPage({
    viewport: { width, height },
    colorScheme,
    reducedMotion: "reduce",
    locale: "en-GB",
    timezoneId: "UTC",
    // The policy of the page would refuse the font.
    bypassCSP: true,
  });
  await page.clock.setFixedTime(new Date("2026-03-02T10:00:00Z"));
  await page.addInitScript((style) => {
    new MutationObserver((_, observer) => {
      // While a document begins it has no head, whatever its type says.
      const head = document.querySelector("head");
      if (!head) return;
      observer.disconnect();
      head.append(Object.assign(document.createElement("style"), { textContent: style }));
      void document.fonts.load("16px Boxes");
    }).observe(document, { childList: true, subtree: true });
  }, STYLE);
  await page.goto(`${address}${path}`);
  await loaded(page);
  return page;
}

/** A screenshot of a page once it does not change any more: charts and live events come late. */
async function settled(page: Page): Promise<Buffer> {
  const shoot = () => page.screenshot({ animations: "disabled", caret: "hide" });
  let last = await shoot();
  let unchanged = 0;
  for (let attempt = 0; attempt < 60 && unchanged < 2; attempt += 1) {
    await page.waitForTimeout(100);
    const next = await shoot();
    unchanged = next.equals(last) ? unchanged + 1 : 0;
    last = next;
  }
  expect(unchanged, "the page does not come to rest").toBe(2);
  return last;
}

describe("the look of the pages", () => {
  let stage: Stage | undefined;
  let canvas: Page | undefined;
  beforeAll(async () => {
    if (!browserPath) {
      skipWithoutBrowser("the look of the pages");
      return;
    }
    stage = await setStage();
    canvas = await stage.browser.newPage();
    mkdirSync(BASELINES, { recursive: true });
  });
  afterAll(() => stage?.close());

  const cases = Object.keys(PAGES).flatMap((name) => THEMES.map((theme) => [name, theme] as const));

  it.each(cases)("is as it was, without overflow and faults: %s, %s", async (name, theme) => {
    if (!stage || !canvas) return;
    const page = await open(stage, PAGES[name] ?? "", theme);
    const changes: string[] = [];
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height });
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(overflow, `overflow at ${width} px`).toBeLessThanOrEqual(0);
      const screenshot = await settled(page);
      const grid = await gridOf(canvas, screenshot);
      const picture = `${name}-${width}-${theme}.png`;
      const path = join(BASELINES, picture);
      if (isUpdate) writeFileSync(path, await pictureOf(canvas, grid));
      if (!existsSync(path)) {
        changes.push(`${picture}: there is no baseline`);
        continue;
      }
      const differing = differences(await gridOfPicture(canvas, readFileSync(path)), grid);
      if (differing.length <= MOST_DIFFERENCES) continue;
      mkdirSync(SCREENSHOTS, { recursive: true });
      writeFileSync(join(SCREENSHOTS, picture), screenshot);
      changes.push(`${picture}: ${differing.length} cells differ, such as at ${differing.slice(0, 5).join("; ")}`);
    }
    expect(
      changes,
      "look at dashboard/screenshots; if the change is deliberate, set UPDATE_BASELINES=1 and run this again",
    ).toEqual([]);
    await page.setViewportSize({ width: SIZES[0][0], height: SIZES[0][1] });
    expect(await faultsOf(page)).toEqual([]);
    await page.close();
  });

  it("has no baseline without a page", () => {
    if (!stage) return;
    const wanted = cases.flatMap(([name, theme]) => SIZES.map(([width]) => `${name}-${width}-${theme}.png`));
    const stale = readdirSync(BASELINES).filter((picture) => !wanted.includes(picture));
    if (isUpdate) for (const picture of stale) rmSync(join(BASELINES, picture));
    else expect(stale).toEqual([]);
  });

  it.each([
    ["another colour of one state", ":root { --bad: #7a2ba8 !important; --bad-soft: #f0dcff !important; }"],
    ["figures that are hidden", "dl { display: none !important; }"],
    ["an order of columns that is another one", "tr { direction: rtl; }"],
    ["padding that is gone", "td { padding-block: 0 !important; }"],
  ])("would be found to have changed: %s", async (_change, style) => {
    if (!stage || !canvas) return;
    const page = await open(stage, PAGES["sources"] ?? "", "light");
    const [width, height] = SIZES[2];
    await page.setViewportSize({ width, height });
    const before = await gridOf(canvas, await settled(page));
    await page.addStyleTag({ content: style });
    const after = await gridOf(canvas, await settled(page));
    expect(differences(before, after).length).toBeGreaterThan(MOST_DIFFERENCES);
    await page.close();
  });
});
