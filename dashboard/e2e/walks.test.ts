import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Autoheal, Site } from "./autoheal";
import { canTest } from "./browser";
import { Walker } from "./walker";

const BINARY = process.env.AUTOHEAL_BINARY ?? "";
/** The most clicks that lead from the overview to a decision, which is the last of them. */
const MOST_CLICKS = 3;

const canDecide = canTest("decisions in the dashboard", "AUTOHEAL_BINARY");
const canBeLarge = canTest("the dashboard of 1,000 sources", "AUTOHEAL_BINARY", "AUTOHEAL_TEST_DATABASE");

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
/** The rule still finds a price, which is unlike the earlier ones. */
const withoutPrice = shop('<h1 class="title">Brass lamp</h1><p class="price">Ask us</p><p>A lamp for the desk.</p>');

interface Source {
  state: string;
  recipeVersion?: number;
  waitsForApproval: boolean;
  successCount: number;
  lastValues?: unknown;
}

describe.skipIf(!canDecide)("decisions in the dashboard", () => {
  const autoheal = new Autoheal(BINARY);
  const site = new Site();
  let lampAddress: string;
  let walker: Walker;

  beforeAll(async () => {
    site.page = before;
    lampAddress = await site.start();
    await autoheal.start();
    walker = await Walker.start(autoheal);
  });

  afterAll(async () => {
    await autoheal.stop();
    site.stop();
    await walker.stop();
  });

  const source = async (name: string) => (await autoheal.ask<{ source: Source }>("GET", `/api/sources/${name}`)).source;

  async function ended({ taskId }: { taskId: number }) {
    const task = () => autoheal.ask<{ task: { state: string } }>("GET", `/api/tasks/${taskId}`);
    const state = async () => (await task()).task.state;
    await expect.poll(state, { timeout: 90_000, interval: 100 }).toMatch(/COMPLETED|DEAD|FAILED|CANCELLED/);
  }

  const command = (name: string, what: string) =>
    autoheal.ask<{ taskId: number }>("POST", `/api/sources/${name}/${what}`, {});

  /** A source with three good runs of the page as it was. */
  async function add(name: string, healPolicy: string) {
    site.page = before;
    const { task } = await autoheal.ask<{ task: { taskId: number } }>("POST", "/api/sources", {
      url: lampAddress,
      name,
      healPolicy,
      examples: { name: "Brass lamp", price: "£ 49.00" },
    });
    await ended(task);
    for (let run = 0; run < 2; run++) await ended(await command(name, "run"));
    expect((await source(name)).state).toBe("ACTIVE");
  }

  /** Waits for the attempt at a fix that follows a failed read. */
  async function attempted(name: string) {
    const path = `/api/tasks?kind=FIX_SOURCE&search=${name}`;
    const fixing = async () => (await autoheal.ask<{ tasks: { taskId: number }[] }>("GET", path)).tasks[0];
    await expect.poll(fixing, { timeout: 30_000 }).toBeDefined();
    await ended((await fixing()) as { taskId: number });
  }

  it("a fix is approved", async () => {
    await add("reviewed", "review");
    site.page = redesigned;
    await ended(await command("reviewed", "run"));
    await expect.poll(async () => (await source("reviewed")).waitsForApproval, { timeout: 90_000 }).toBe(true);
    await walker.open("/");
    await walker.page.getByRole("link", { name: "Review the fix" }).first().waitFor();
    await walker.look("walk-needs-review");
    await walker.click("Review the fix");
    await walker.page.getByRole("table", { name: "Fields of the fix" }).waitFor();
    await walker.look("walk-review");
    await walker.click("Approve", "button");
    await walker.click("Approve", "button", "dialog");
    await expect.poll(async () => (await source("reviewed")).recipeVersion, { timeout: 30_000 }).toBe(2);
    expect(walker.clicks).toBeLessThanOrEqual(MOST_CLICKS);
  });

  it("a source that cannot be healed says why, and its rule is edited by pointing", async () => {
    await add("pointed", "auto");
    site.page = unclear;
    await ended(await command("pointed", "run"));
    await attempted("pointed");
    expect(await source("pointed")).toMatchObject({ state: "DEGRADED", recipeVersion: 1 });
    await walker.open("/");
    await walker.click("Sources");
    await walker.click("pointed");
    const trouble = walker.page.getByRole("region", { name: "What is wrong, and what comes next" });
    await trouble.getByText(/price/).first().waitFor();
    await walker.look("walk-trouble");
    await walker.click("Edit the rule by pointing");
    await expect.poll(() => walker.page.getByLabel("Field").inputValue()).toBe("price");
    const frame = walker.page.frameLocator('iframe[title^="Stored page"]');
    await frame.getByText("£ 57.25").click();
    await walker.page.getByRole("table", { name: "Values on the stored pages" }).waitFor();
    await walker.page.getByRole("radio", { name: ".two", exact: true }).check();
    await walker.look("walk-pointing");
    expect(walker.clicks).toBeLessThanOrEqual(MOST_CLICKS);
    await walker.click("Save and run", "button");
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
    await walker.open("/");
    await walker.page.getByRole("link", { name: "Edit or release" }).first().waitFor();
    await walker.click("Edit or release");
    await walker.page.getByRole("button", { name: "Release from quarantine" }).waitFor();
    await walker.look("walk-quarantine");
    await walker.click("Release from quarantine", "button");
    await expect.poll(async () => (await source("quarantined")).state, { timeout: 30_000 }).toBe("DEGRADED");
    expect(walker.clicks).toBeLessThanOrEqual(MOST_CLICKS);
    await walker.open("/");
    await expect
      .poll(() => walker.page.getByRole("link", { name: "Edit or release" }).count(), { timeout: 20_000 })
      .toBe(0);
  });

  it("values that have changed are accepted", async () => {
    await add("changed", "auto");
    site.page = withoutPrice;
    await ended(await command("changed", "run"));
    await attempted("changed");
    expect((await source("changed")).state).toBe("DEGRADED");
    await walker.open("/sources/changed");
    await walker.click("Accept these values", "button");
    const row = walker.page.getByRole("table", { name: "Values to accept" }).getByRole("row", { name: /^price/ });
    await row.getByText("Ask us").waitFor();
    expect(await row.textContent()).toMatch(/£ 49\.00.*Changed/);
    await walker.look("walk-accept");
    await walker.click("Accept", "button", "dialog");
    await expect.poll(async () => (await source("changed")).state, { timeout: 30_000 }).toBe("ACTIVE");
    expect((await source("changed")).lastValues).toMatchObject({ price: "Ask us" });
    await ended(await command("changed", "run"));
    expect((await source("changed")).state).toBe("ACTIVE");
  });

  it("nothing went wrong in the page", () => {
    expect(walker.problems, autoheal.log).toEqual([]);
  });
});

interface Listed {
  total: number;
  sources: { name: string }[];
}

describe.skipIf(!canBeLarge)("the dashboard of 1,000 sources", () => {
  // The pages of these sources do not exist: reading them would change their states.
  const autoheal = new Autoheal(BINARY, "[worker.kinds]\nrefresh_source = 0\nfix_source = 0\n");
  let walker: Walker;

  beforeAll(async () => {
    // The first command creates the tables.
    autoheal.run("source", "list");
    const database = `sqlite://${join(autoheal.data, "autoheal.db")}`;
    const amounts = ["--sources", "1000", "--runs", "5000", "--values", "5000"];
    execFileSync(process.env.AUTOHEAL_TEST_DATABASE ?? "", [database, ...amounts], { stdio: "pipe" });
    await autoheal.start();
    walker = await Walker.start(autoheal);
  }, 240_000);

  afterAll(async () => {
    await autoheal.stop();
    await walker.stop();
  });

  const listed = (query: string, limit = 100) => autoheal.ask<Listed>("GET", `/api/sources?${query}&limit=${limit}`);
  const needs = () => walker.page.getByRole("list", { name: "Needs you" });
  const table = () => walker.page.getByRole("table", { name: "Sources" });
  const names = async (query: string) => (await listed(query)).sources.map(({ name }) => name);
  const hasRows = (count: number) =>
    expect.poll(() => table().locator("tbody tr").count(), { timeout: 30_000 }).toBe(count);

  /** The time of the first paint with content, in milliseconds after the page was requested. */
  async function firstPaint(): Promise<number | undefined> {
    await walker.page.waitForLoadState("networkidle");
    return walker.page.evaluate(
      () => performance.getEntriesByType("paint").find(({ name }) => name === "first-contentful-paint")?.startTime,
    );
  }

  it("paints the overview and the list of sources", async () => {
    for (const [name, path] of [
      ["the overview", "/"],
      ["the list of sources", "/sources"],
    ] as const) {
      await walker.open(path);
      const millis = await firstPaint();
      expect(millis, name).toBeDefined();
      console.log(`first contentful paint of ${name} with 1,000 sources: ${Math.round(millis ?? 0)} ms`);
    }
    await walker.page.getByText(/^25 of 1,000 sources$/).waitFor();
    await walker.look("walk-large-sources");
  });

  it("names all that needs a decision", async () => {
    const [reviews, quarantined] = await Promise.all([names("waits=true"), names("state=QUARANTINED")]);
    expect([reviews.length, quarantined.length]).toEqual([10, 2]);
    await walker.open("/");
    // The trends are loaded when they come into view.
    await walker.page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    await walker.page.getByRole("region", { name: "Last 30 days" }).getByRole("img").first().waitFor();
    await walker.look("walk-large-overview");
    await walker.click(/^All \d+$/);
    const count = (badge: string) => needs().getByText(badge, { exact: true }).count();
    await expect.poll(async () => [await count("Review a fix"), await count("Quarantined")]).toEqual([10, 2]);
    for (const name of [...reviews, ...quarantined]) {
      expect(await needs().getByRole("link", { name, exact: true }).count(), name).toBe(1);
    }
    await walker.look("walk-large-needs");
  });

  it("finds the quarantined sources and one source by its name", async () => {
    await walker.open("/");
    await walker.click("Sources");
    await walker.page.getByLabel("State").selectOption({ label: "Quarantined" });
    await hasRows(2);
    for (const name of await names("state=QUARANTINED"))
      await table().getByRole("link", { name, exact: true }).waitFor();
    await walker.look("walk-large-quarantined");

    const [{ name: wanted } = { name: "" }] = (await listed("order=name&offset=617", 1)).sources;
    await walker.open("/sources");
    await walker.page.getByLabel("Search").fill(wanted);
    await walker.page.keyboard.press("Enter");
    await hasRows((await listed(`search=${encodeURIComponent(wanted)}`)).total);
    await table().getByRole("link", { name: wanted, exact: true }).waitFor();
  });

  it("leads to a review in few clicks", async () => {
    await walker.open("/");
    await walker.click("Review the fix");
    await walker.page.getByRole("table", { name: "Fields of the fix" }).waitFor();
    await walker.look("walk-large-review");
    await walker.click("Approve", "button");
    await walker.click("Approve", "button", "dialog");
    expect(walker.clicks).toBeLessThanOrEqual(MOST_CLICKS);
    await expect.poll(async () => (await names("waits=true")).length, { timeout: 30_000 }).toBe(9);
  });

  it("leads to the end of a quarantine in few clicks", async () => {
    await walker.open("/");
    await walker.click(/^All \d+$/);
    await walker.click("Edit or release");
    await walker.click("Release from quarantine", "button");
    expect(walker.clicks).toBeLessThanOrEqual(MOST_CLICKS);
    await expect.poll(async () => (await names("state=QUARANTINED")).length, { timeout: 30_000 }).toBe(1);
  });

  it("has no problems in the page", () => {
    expect(walker.problems, autoheal.log).toEqual([]);
  });
});
