import { screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { REPOSITORY } from "../mocks/healing";
import { makeEmptyWorld, makeWorld } from "../mocks/world";
import { renderApp } from "../test/render-app";
import { use } from "../test/server";

const panel = () => screen.findByRole("region", { name: "Last 30 days" });

describe("the trends", () => {
  it("are charts with their sums in words, and one tooltip for each day", async () => {
    const { trends } = use(makeWorld());
    renderApp("/");
    const runs = await within(await panel()).findByRole("img", { name: /^Runs by day/ });
    const notWell = trends.days.reduce((sum, day) => sum + day.notWell, 0);
    expect(runs).toHaveAccessibleName(expect.stringContaining(`${notWell} not well (below)`));
    expect(runs.querySelectorAll("title")).toHaveLength(30);
    const [first] = trends.days;
    expect(runs.querySelector("title")).toHaveTextContent(
      `${first?.day}: ${first?.well} well, ${first?.notWell} not well`,
    );
  });

  it("are a table as well, the newest day first", async () => {
    const { trends } = use(makeWorld());
    const { user } = renderApp("/");
    await user.click(await within(await panel()).findByRole("button", { name: "As a table" }));
    const table = within(await panel()).getByRole("table", { name: "Last 30 days" });
    const [, newest] = within(table).getAllByRole("row");
    const last = trends.days.at(-1);
    expect(within(table).getAllByRole("row")).toHaveLength(31);
    expect(newest).toHaveTextContent(`${last?.day}${last?.well}${last?.notWell}${last?.fixesPassed}`);
    await user.click(within(await panel()).getByRole("button", { name: "As charts" }));
    expect(within(await panel()).queryByRole("table")).toBeNull();
  });

  it("lead from the slowest and noisiest targets to more about them", async () => {
    use(makeWorld());
    renderApp("/");
    const slowest = await within(await panel()).findByRole("list", { name: "Slowest" });
    expect(within(slowest).getByRole("link", { name: "parcel-team/parcel" })).toHaveAttribute(
      "href",
      `/runs?search=${encodeURIComponent(REPOSITORY)}`,
    );
    expect(slowest).toHaveTextContent("4m 22s on average, 6 runs");
    const noisiest = within(await panel()).getByRole("list", { name: "Most alerts" });
    expect(within(noisiest).getByRole("link", { name: "tide-table" })).toHaveAttribute("href", "/sources/tide-table");
  });

  it("say what comes when nothing has run", async () => {
    use(makeEmptyWorld());
    renderApp("/");
    const trends = within(await panel());
    expect(await trends.findByText("Nothing has run in these days")).toBeVisible();
    expect(trends.queryByRole("img")).toBeNull();
    expect(trends.queryByRole("button", { name: "As a table" })).toBeNull();
  });
});
