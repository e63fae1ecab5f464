import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { browserPath, faultsOf, loaded, skipWithoutBrowser, THEMES } from "./browser";
import { PATHS, setStage, type Stage } from "./preview";

describe("colours", () => {
  let stage: Stage | undefined;
  beforeAll(async () => {
    if (browserPath) stage = await setStage();
  });
  afterAll(() => stage?.close());

  it.each(THEMES)(
    "have enough contrast on every page in the %s theme, and axe finds nothing else",
    async (colorScheme) => {
      if (!stage) {
        skipWithoutBrowser(`the contrast of the ${colorScheme} theme`);
        return;
      }
      const page = await stage.browser.newPage({ colorScheme, reducedMotion: "reduce" });
      for (const path of PATHS) {
        await page.goto(`${stage.address}${path}`);
        await loaded(page);
        expect(await faultsOf(page), path).toEqual([]);
      }
    },
  );

  it.each(THEMES)(
    "have enough contrast in dialogs in the %s theme, which give the focus back when they close",
    async (colorScheme) => {
      if (!stage) {
        skipWithoutBrowser(`the contrast of dialogs in the ${colorScheme} theme`);
        return;
      }
      const page = await stage.browser.newPage({ colorScheme, reducedMotion: "reduce" });
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
      for (const [path, button, title, content] of [
        ["/sources/bread-recipe", "Reject", /^Reject version/, "Reason (optional)"],
        ["/sources/job-board", "Accept these values", /^Are these values/, "Last good value"],
      ] as const) {
        await page.goto(`${stage.address}${path}`);
        await page.getByRole("button", { name: button }).click();
        await page.getByRole("dialog", { name: title }).getByText(content).waitFor();
        expect(await faultsOf(page), path).toEqual([]);
      }
    },
  );

  it("are those of the chosen theme, whatever the system prefers", async () => {
    if (!stage) {
      skipWithoutBrowser("the choice of a theme");
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
