import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Autoheal, Site, skip } from "./autoheal";

const BINARY = process.env.AUTOHEAL_BINARY ?? "";
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const SCREENSHOTS = join(import.meta.dirname, "../screenshots");
const WIDTHS = [320, 768, 1440];
const SCHEMES = ["light", "dark"] as const;
/** The most clicks that lead from the overview to a decision. */
const MOST_CLICKS = 3;

const missing = [BINARY, CHROMIUM].find((program) => !existsSync(program));
if (missing !== undefined) skip("decisions in the dashboard", `there is no ${missing || "AUTOHEAL_BINARY"}`);

const shop = (goods: string) =>
  `<!doctype html><html><head><title>Lamps</title></head><body><header><a href="/">Shop</a></header>
<main>${goods}</main><footer>Since 1987</footer></body></html>`;
const before = shop('<h1 class="title">Brass lamp</h1><p class="price">£ 49.00</p><p>A lamp for the desk.</p>');
const redesigned = shop(
  '<section class="hd"><h1 class="hd__t">Brass lamp</h1></section><div class="buy"><span class="buy__amount">£ 49.00</span></div><p>A lamp for the desk.</p>',
);
/** Three amounts, none of which is the earlier one: nothing tells which of them is meant. */
const unclear = shop(
  '<h1 class="title">Brass lamp</h1><ul><li class="one">£ 31.50</li><li class="two">£ 57.25</li><li class="three">£ 83.75</li></ul><p>A lamp for the desk.</p>',
);

interface Source {
  state: string;
  recipeVersion?: number;
  waitsForApproval: boolean;
  successCount: number;
  lastValues?: unknown;
}

describe.skipIf(missing !== undefined)("decisions in the dashboard", () => {
  const autoheal = new Autoheal(BINARY);
  const site = new Site();
  const problems: string[] = [];
  let browser: Browser | undefined;
  let page: Page;
  let lampAddress: string;
  let clicks = 0;

  beforeAll(async () => {
    mkdirSync(SCREENSHOTS, { recursive: true });
    site.page = before;
    lampAddress = await site.start();
    await autoheal.start();
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
    page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    page.on("pageerror", (error) => problems.push(String(error)));
    await page.goto(`${autoheal.address}/#token=${autoheal.token}`);
  });

  afterAll(async () => {
    await browser?.close();
    await autoheal.stop();
    site.stop();
  });

  async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${autoheal.address}${path}`, {
      method,
      headers: { Authorization: `Bearer ${autoheal.token}`, "Content-Type": "application/json" },
      ...content,
    });
    expect(answer.ok, `${method} ${path}: ${answer.status}`).toBe(true);
    return (await answer.json()) as T;
  }

  const source = async (name: string) => (await ask<{ source: Source }>("GET", `/api/sources/${name}`)).source;

  async function ended(task: { taskId: number }) {
    const state = async () => (await ask<{ task: { state: string } }>("GET", `/api/tasks/${task.taskId}`)).task.state;
    await expect.poll(state, { timeout: 90_000, interval: 100 }).toMatch(/COMPLETED|DEAD|FAILED|CANCELLED/);
  }

  const command = (name: string, what: string) => ask<{ taskId: number }>("POST", `/api/sources/${name}/${what}`, {});

  /** A source with three good runs of the page as it was. */
  async function add(name: string, healPolicy: string) {
    site.page = before;
    const { task } = await ask<{ task: { taskId: number } }>("POST", "/api/sources", {
      url: lampAddress,
      name,
      healPolicy,
      examples: { name: "Brass lamp", price: "£ 49.00" },
    });
    await ended(task);
    for (let run = 0; run < 2; run++) await ended(await command(name, "run"));
    expect((await source(name)).state).toBe("ACTIVE");
  }

  async function overview() {
    await page.goto(`${autoheal.address}/`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    clicks = 0;
  }

  async function click(name: string | RegExp, role: "link" | "button" | "tab" = "link") {
    await page.getByRole(role, { name }).first().click();
    clicks += 1;
  }

  /** Keeps how the page looks, and makes sure that nothing stands out of it. */
  async function look(name: string) {
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        const excess = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        expect(excess, `${name} at ${width} px`).toBeLessThanOrEqual(0);
        await page.screenshot({ path: join(SCREENSHOTS, `${name}-${colorScheme}-${width}.png`), fullPage: true });
      }
    }
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 1440, height: 900 });
  }

  it("a fix is approved", async () => {
    await add("reviewed", "review");
    site.page = redesigned;
    await ended(await command("reviewed", "run"));
    await expect.poll(async () => (await source("reviewed")).waitsForApproval, { timeout: 90_000 }).toBe(true);
    await overview();
    await page.getByRole("link", { name: "Review the fix" }).first().waitFor();
    await look("walk-needs-review");
    await click("Review the fix");
    await page.getByRole("table", { name: "Fields of the fix" }).waitFor();
    await look("walk-review");
    await click("Approve", "button");
    await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
    clicks += 1;
    await expect.poll(async () => (await source("reviewed")).recipeVersion, { timeout: 30_000 }).toBe(2);
    expect(clicks).toBeLessThanOrEqual(MOST_CLICKS);
  });

  it("a source that cannot be healed says why, and its rule is edited by pointing", async () => {
    await add("pointed", "auto");
    site.page = unclear;
    await ended(await command("pointed", "run"));
    const fixing = async () =>
      (await ask<{ tasks: { taskId: number }[] }>("GET", "/api/tasks?kind=FIX_SOURCE&search=pointed")).tasks[0];
    await expect.poll(fixing, { timeout: 30_000 }).toBeDefined();
    await ended((await fixing()) as { taskId: number });
    expect(await source("pointed")).toMatchObject({ state: "DEGRADED", recipeVersion: 1 });
    await overview();
    await click("Sources");
    await click("pointed");
    const trouble = page.getByRole("region", { name: "What is wrong, and what comes next" });
    await trouble.getByText(/price/).first().waitFor();
    await look("walk-trouble");
    await click("Edit the rule by pointing");
    await expect.poll(() => page.getByLabel("Field").inputValue()).toBe("price");
    const frame = page.frameLocator('iframe[title^="Stored page"]');
    await frame.getByText("£ 57.25").click();
    await page.getByRole("table", { name: "Values on the stored pages" }).waitFor();
    await page.getByRole("radio", { name: ".two", exact: true }).check();
    await look("walk-pointing");
    expect(clicks).toBeLessThanOrEqual(MOST_CLICKS);
    await click("Save and run", "button");
    await expect
      .poll(async () => JSON.stringify((await source("pointed")).lastValues), { timeout: 60_000 })
      .toContain("57.25");
    expect(await source("pointed")).toMatchObject({ state: "ACTIVE", recipeVersion: 2 });
  });

  it("a quarantine is ended", async () => {
    await add("quarantined", "auto");
    site.page = unclear;
    await ended(await command("quarantined", "run"));
    for (let attempt = 0; attempt < 4 && (await source("quarantined")).state !== "QUARANTINED"; attempt++) {
      await ended(await command("quarantined", "heal"));
    }
    expect((await source("quarantined")).state).toBe("QUARANTINED");
    await overview();
    await page.getByRole("link", { name: "Edit or release" }).first().waitFor();
    await click("Edit or release");
    await page.getByRole("button", { name: "Release from quarantine" }).waitFor();
    await look("walk-quarantine");
    await click("Release from quarantine", "button");
    await expect.poll(async () => (await source("quarantined")).state, { timeout: 30_000 }).toBe("DEGRADED");
    expect(clicks).toBeLessThanOrEqual(MOST_CLICKS);
    await overview();
    await expect.poll(() => page.getByRole("link", { name: "Edit or release" }).count(), { timeout: 20_000 }).toBe(0);
  });

  it("nothing went wrong in the page", () => {
    expect(problems, autoheal.log).toEqual([]);
  });
});
