import { createRequire } from "node:module";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { browserPath, PATHS, sayWithoutBrowser, setStage, type Stage } from "./preview";

const axeSource = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

async function faultsOf(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: axeSource });
  return page.evaluate(async () => {
    const { violations } = await (window as unknown as { axe: typeof axe }).axe.run({ exclude: ["iframe"] });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
  });
}

describe("colours", () => {
  let stage: Stage | undefined;
  beforeAll(async () => {
    if (browserPath) stage = await setStage();
  });
  afterAll(() => stage?.close());

  it.each(["light", "dark"] as const)(
    "have enough contrast on every page in the %s theme, and axe finds nothing else",
    async (colorScheme) => {
      if (!stage) {
        sayWithoutBrowser(`the contrast of the ${colorScheme} theme`);
        return;
      }
      // The policy of the page would refuse the checker as well.
      const page = await stage.browser.newPage({ colorScheme, bypassCSP: true, reducedMotion: "reduce" });
      for (const path of PATHS) {
        await page.goto(`${stage.address}${path}`);
        await page.getByRole("heading", { level: 1 }).waitFor();
        await page.getByText("Loading", { exact: true }).first().waitFor({ state: "detached" });
        expect(await faultsOf(page), path).toEqual([]);
      }
    },
  );

  it.each(["light", "dark"] as const)(
    "have enough contrast in dialogs in the %s theme, which give the focus back when they close",
    async (colorScheme) => {
      if (!stage) {
        sayWithoutBrowser(`the contrast of dialogs in the ${colorScheme} theme`);
        return;
      }
      const page = await stage.browser.newPage({ colorScheme, bypassCSP: true, reducedMotion: "reduce" });
      await page.goto(`${stage.address}/sources`);
      const everything = page.getByRole("checkbox", { name: /^Select all/ });
      await everything.check();
      const closes = async () => {
        expect(await faultsOf(page)).toEqual([]);
        await page.keyboard.press("Escape");
        await page.getByRole("dialog").waitFor({ state: "detached" });
        expect(await everything.evaluate((element) => element === document.activeElement)).toBe(true);
      };
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: /^Page, source/ }).fill("tide");
      await page.getByRole("option", { name: /^tide-table Quarantined/ }).waitFor();
      await closes();
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
      await closes();
      await page.getByRole("button", { name: "Delete" }).click();
      await page.getByRole("dialog", { name: /^Delete/ }).waitFor();
      expect(await faultsOf(page)).toEqual([]);
    },
  );

  it("are those of the chosen theme, whatever the system prefers", async () => {
    if (!stage) {
      sayWithoutBrowser("the choice of a theme");
      return;
    }
    const page = await stage.browser.newPage({ reducedMotion: "reduce" });
    await page.goto(`${stage.address}/nowhere`);
    const choose = (name: string) => page.getByRole("radio", { name }).check();
    const looks: string[] = [];
    for (const [colorScheme, theme] of [
      ["light", "Light"],
      ["dark", "Light"],
      ["light", "Dark"],
      ["dark", "Dark"],
      ["light", "As the system"],
      ["dark", "As the system"],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await choose(theme);
      looks.push(await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor));
    }
    const [light, , dark] = looks;
    expect(light).not.toBe(dark);
    expect(looks).toEqual([light, light, dark, dark, light, dark]);
  });
});
