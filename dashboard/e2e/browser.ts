/** A real browser for tests: how it starts, what is checked on every page, and screenshots. */

import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import axe from "axe-core";
import { chromium, type Browser, type Page } from "playwright-core";
import { expect } from "vitest";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The program of a browser. `CHROMIUM` names another one. */
export const browserPath = [process.env.CHROMIUM ?? "", ...PLACES].find((path) => existsSync(path));

export const SCREENSHOTS = join(import.meta.dirname, "../screenshots");
export const THEMES = ["light", "dark"] as const;
const WIDTHS = [320, 768, 1440];
const HEIGHT = 900;
const WIDE = { width: 1440, height: HEIGHT };

/** Says loudly that a part cannot be tested on this machine, where the whole repository's checks collect such lines. */
export function skip(part: string, reason: string): void {
  const line = `SKIPPED: ${part}: ${reason}\n`;
  process.stderr.write(line);
  if (process.env.AUTOHEAL_SKIP_LOG) appendFileSync(process.env.AUTOHEAL_SKIP_LOG, line);
}

export const skipWithoutBrowser = (part: string): void =>
  skip(part, "there is no Chromium; install it or name it by CHROMIUM");

/** Returns whether a part can be tested: with a browser, and with the programs that these environment variables name. */
export function canTest(part: string, ...variables: readonly string[]): boolean {
  const missing = variables.find((variable) => !existsSync(process.env[variable] ?? ""));
  if (missing !== undefined) skip(part, `${missing} names no program`);
  else if (!browserPath) skipWithoutBrowser(part);
  return missing === undefined && browserPath !== undefined;
}

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: browserPath ?? "",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-sync"],
  });

/** Opens a wide page without transitions, so that no colour is between two others. Exceptions are added to `problems`. */
export async function openPage(browser: Browser, problems: string[]): Promise<Page> {
  const page = await browser.newPage({ viewport: WIDE, reducedMotion: "reduce" });
  page.on("pageerror", (error) => problems.push(String(error)));
  return page;
}

/** Waits until the page and all its parts are loaded. */
export async function loaded(page: Page): Promise<void> {
  // By its tag: behind a dialog it has no role.
  await page.locator("h1").first().waitFor();
  await page.getByText("Loading", { exact: true }).first().waitFor({ state: "detached" });
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Returns what axe finds wrong in a page, colours included. */
export async function faultsOf(page: Page): Promise<string[]> {
  // Not as an element of the page, which the policy of the page would refuse.
  await page.evaluate(axeSource);
  return page.evaluate(async () => {
    const { violations } = await (window as unknown as { axe: typeof axe }).axe.run({ exclude: ["iframe"] });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
  });
}

/** Returns the elements that stick out of the page to the right. */
const elementsOutside = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    if (document.documentElement.scrollWidth <= window.innerWidth) return [];
    const all = [...document.querySelectorAll("body *")];
    const wide = all.filter((element) => element.getBoundingClientRect().right > window.innerWidth);
    return wide.map((element) => `${element.tagName} ${element.className}: ${element.textContent.slice(0, 60)}`);
  });

/** Keeps how a page looks at each width in both themes. Nothing may stick out of it, and axe may find nothing. */
export async function look(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  await loaded(page);
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: HEIGHT });
      expect(await elementsOutside(page), `${name} at ${width} px`).toEqual([]);
      await page.screenshot({ path: join(SCREENSHOTS, `${name}-${colorScheme}-${width}.png`), fullPage: true });
    }
    expect(await faultsOf(page), `${name} in the ${colorScheme} theme`).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(WIDE);
}
