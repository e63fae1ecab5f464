import { act, screen } from "@testing-library/react";
import axe from "axe-core";
import { describe, expect, it } from "vitest";
import { GIVEN_UP_RUN, HEALED_RUN, makeEmptyWorld, makeWorld, RUNNING_RUN } from "../mocks/world";
import { renderApp } from "../test/render-app";
import { use } from "../test/server";

const PAGES = [
  "/",
  "/jobs/nobody",
  "/needs",
  "/runs",
  `/runs/${HEALED_RUN}?tab=fixes`,
  `/runs/${RUNNING_RUN}`,
  `/runs/${GIVEN_UP_RUN}`,
  "/sources",
  "/new-source",
  "/sources/desk-lamp?tab=snapshots",
  "/sources/job-board",
  "/sources/bread-recipe",
  "/sources/bread-recipe?tab=history",
  "/sources/desk-lamp?tab=values",
  "/sources/tide-table?tab=fixes",
  "/sources/tide-table?tab=edit",
  "/queue",
  "/queue/899",
  "/alerts",
  "/usage",
  "/reference",
  "/nowhere",
];

/** What axe finds wrong. Colours need a real browser: `npm run test:browser` looks at those. */
async function faults(): Promise<string[]> {
  const { violations } = await axe.run(document, {
    resultTypes: ["violations"],
    iframes: false,
    rules: { "color-contrast": { enabled: false } },
  });
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}

async function open(path: string) {
  const { client } = renderApp(path);
  await screen.findByRole("heading", { level: 1 });
  // All that the page asks for has come.
  await act(async () => {
    while (client.isFetching() > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  });
}

describe("every page is fit for all readers", () => {
  it.each(PAGES)("%s", async (path) => {
    document.documentElement.lang = "en";
    use(makeWorld());
    await open(path);
    expect(await faults()).toEqual([]);
  });

  it.each(["/", "/runs", "/sources", "/queue", "/alerts", "/usage"])("%s without anything in it", async (path) => {
    document.documentElement.lang = "en";
    use(makeEmptyWorld());
    await open(path);
    expect(await faults()).toEqual([]);
  });
});
