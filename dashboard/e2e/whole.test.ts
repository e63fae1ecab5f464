import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Autoheal, Site } from "./autoheal";
import { canTest, launch, look as lookAt, openPage } from "./browser";

const isPossible = canTest("the dashboard with the real server", "AUTOHEAL_BINARY");

const BROKEN = {
  "shop/__init__.py": "",
  "shop/prices.py": "def total(prices)\n    return sum(prices)\n\n\ndef dearest(prices):\n    return max(prices)\n",
  "tests/test_prices.py":
    "import time\n\nfrom shop.prices import dearest, total\n\n\ndef test_total():\n    # Long enough to be watched.\n    time.sleep(2)\n    assert total([1, 2]) == 3\n\n\n" +
    "def test_dearest():\n    assert dearest([1, 2]) == 2\n",
  "pytest.ini": "[pytest]\npythonpath = .\n",
};

const lamp = (
  height: string,
  mark: (name: string, text: string) => string,
) => `<!doctype html><html><head><title>Lamps</title></head><body>
<header><a href="/">Shop</a></header><main>${mark("name", "Brass lamp")}${mark("price", "£ 49.00")}
<dl><dt>Height</dt><dd>${height}</dd><dt>Weight</dt><dd>3 kg</dd></dl></main><footer>Since 1987</footer></body></html>`;
const before = lamp("42 cm", (name, text) =>
  name === "name" ? `<h1 class="title">${text}</h1>` : `<p class="price">${text}</p>`,
);
const after = lamp("43 cm", (name, text) =>
  name === "name"
    ? `<section class="hd"><h1 class="hd__t">${text}</h1></section>`
    : `<div class="buy"><span class="buy__amount">${text}</span></div>`,
);

describe.skipIf(!isPossible)("the dashboard with the real server", () => {
  const autoheal = new Autoheal(process.env.AUTOHEAL_BINARY ?? "");
  const site = new Site();
  const problems: string[] = [];
  let browser: Browser | undefined;
  let page: Page;
  let address: string;
  let lampAddress: string;

  beforeAll(async () => {
    site.page = before;
    lampAddress = await site.start();
    address = await autoheal.start();
    browser = await launch();
    page = await openPage(browser, problems);
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) problems.push(message.text());
    });
  });

  afterAll(async () => {
    await browser?.close();
    await autoheal.stop();
    site.stop();
  });

  const look = (name: string) => lookAt(page, name);

  it("heals a repository while one watches, and shows what came of it", async () => {
    const repository = autoheal.repository("shop", BROKEN);
    await page.goto(`${address}/#token=${autoheal.token}`);
    expect(page.url()).toBe(`${address}/`);
    await page.getByRole("textbox", { name: "Repository" }).fill(repository);
    await page.getByRole("textbox", { name: "Team" }).fill("Night Shift");
    await page.getByRole("textbox", { name: "Leader" }).fill("Ada Lovelace");
    await look("submit");
    await page.getByRole("button", { name: "Heal repository" }).click();
    await page.waitForURL(/\/jobs\/[0-9a-f-]{36}$/);
    await page.getByRole("heading", { name: "Progress" }).waitFor();
    await page.getByRole("list", { name: "Events" }).getByRole("listitem").first().waitFor();
    await look("watch");

    await page.getByRole("heading", { name: "Run summary" }).waitFor({ timeout: 180_000 });
    const part = (name: string) => page.getByRole("region", { name });
    await part("Run summary").getByText("PASSED", { exact: false }).first().waitFor();
    expect(await part("Run summary").textContent()).toContain("NIGHT_SHIFT_ADA_LOVELACE_AI_Fix");
    await part("Score").getByText("110").first().waitFor();
    expect(await part("Fixes applied").textContent()).toContain("shop/prices.py");
    await part("Fixes applied").getByText("Fixed", { exact: true }).first().waitFor();
    const timeline = page.getByRole("list", { name: "Iterations" }).getByRole("listitem");
    expect(await timeline.count()).toBe(1);
    expect(await part("CI/CD timeline").textContent()).toMatch(/1\s*\/\s*6/);
    await look("healed");

    await page.getByRole("link", { name: "Open the run" }).click();
    await page.waitForURL(/\/runs\//);
    await page.getByRole("list", { name: "Agents" }).waitFor();
    await look("run");
    await page.getByRole("tab", { name: /changes/i }).click();
    await page.getByText("+def total(prices):").first().waitFor();
    await look("run-changes");

    await page.getByRole("link", { name: "Runs", exact: true }).first().click();
    await page.getByRole("table").getByText("Fixed", { exact: true }).first().waitFor();
    await look("runs");
  });

  it("adds a source, which breaks and heals", async () => {
    await page.goto(`${address}/new-source`);
    await page.getByRole("textbox", { name: "Address" }).fill(lampAddress);
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("lamp");
    await look("new-source");
    await page.getByRole("button", { name: "Add the source" }).click();
    await page.waitForURL(/\/queue\/\d+$/);
    await expect.poll(() => sourceState(autoheal), { timeout: 60_000, interval: 200 }).toBe("ACTIVE 1");
    await page.goto(`${address}/sources/lamp`);
    await page.getByText("Brass lamp").first().waitFor();
    await look("source");

    // Three good runs, so that what is found on the new page can be compared with what was there before.
    for (const runs of [2, 3]) {
      await page.getByRole("button", { name: "Run now" }).click();
      await expect.poll(() => goodRuns(autoheal), { timeout: 60_000, interval: 200 }).toBeGreaterThanOrEqual(runs);
    }
    site.page = after;
    await page.getByRole("button", { name: "Run now" }).click();
    await expect.poll(() => sourceState(autoheal), { timeout: 120_000, interval: 500 }).toBe("ACTIVE 2");
    // What heals is read once more.
    await expect.poll(() => lastValues(autoheal), { timeout: 60_000, interval: 200 }).toContain("43 cm");
    await page.reload();
    await page.getByText("43 cm").first().waitFor();
    await page.getByRole("tab", { name: "History" }).click();
    await page
      .getByRole("list", { name: "Versions of the recipe" })
      .getByText(/version 2/i)
      .first()
      .waitFor();
    await look("source-history");
    await page.getByRole("tab", { name: "Snapshots" }).click();
    const frame = page.locator("iframe").first().contentFrame();
    await frame.locator("[data-autoheal-field]").first().waitFor();
    await look("source-snapshots");
    await page.getByRole("link", { name: "Sources", exact: true }).first().click();
    await page.getByText("lamp").first().waitFor();
    await look("sources");
  });

  it("has a page for the queue, alerts, usage and the API", async () => {
    for (const [name, path] of Object.entries({
      queue: "/queue",
      alerts: "/alerts",
      usage: "/usage",
      reference: "/reference",
    })) {
      await page.goto(`${address}${path}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.waitForLoadState("networkidle");
      await look(name);
    }
  });

  it("is sent as the build has compressed it", async () => {
    const asset = (path: string, coding: string) =>
      fetch(`${autoheal.address}${path}`, { headers: { Accept: "text/html", "Accept-Encoding": coding } });
    const html = await (await asset("/", "identity")).text();
    const path = /src="(\/assets\/[^"]+\.js)"/.exec(html)?.[1] ?? "";
    const [compressed, plain] = [await asset(path, "gzip"), await asset(path, "identity")];
    expect([compressed, plain].map(({ headers }) => headers.get("content-encoding"))).toEqual(["gzip", null]);
    // A file that is compressed on the way has no length.
    expect(Number(compressed.headers.get("content-length"))).toBeGreaterThan(1000);
    expect(await compressed.text()).toBe(await plain.text());
  });

  it("had nothing to complain of", () => {
    expect(problems, autoheal.log).toEqual([]);
  });
});

interface SourceAnswer {
  source: { state: string; recipeVersion?: number; successCount: number; lastValues?: unknown };
}

async function source(autoheal: Autoheal): Promise<SourceAnswer["source"] | undefined> {
  const answer = await autoheal.ask<SourceAnswer>("GET", "/api/sources/lamp").catch(() => undefined);
  return answer?.source;
}

/** Its health, and the version of its recipe. */
async function sourceState(autoheal: Autoheal) {
  const now = await source(autoheal);
  return now ? `${now.state} ${now.recipeVersion}` : "missing";
}

async function lastValues(autoheal: Autoheal) {
  return JSON.stringify((await source(autoheal))?.lastValues);
}

async function goodRuns(autoheal: Autoheal) {
  return (await source(autoheal))?.successCount ?? 0;
}
