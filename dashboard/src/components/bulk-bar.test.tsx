import { screen, waitFor, within } from "@testing-library/react";
import { delay, http, HttpResponse } from "msw";
import { describe, expect, it } from "vitest";
import { AT_ONCE, forEachBounded } from "../api/bounded";
import { failure } from "../mocks/answers";
import { makeWorld, type World } from "../mocks/world";
import { renderApp } from "../test/render-app";
import { server, use } from "../test/server";

/** A world with many sources, of which one is in quarantine. */
function manySources(count: number): World {
  const world = makeWorld();
  const [lamp] = world.sources.filter(({ name }) => name === "desk-lamp");
  const quarantined = world.sources.filter(({ state }) => state === "QUARANTINED");
  const copies = Array.from({ length: count - 1 }, (_, index) => ({
    ...(lamp as (typeof world.sources)[0]),
    name: `lamp-${index}`,
  }));
  return { ...world, sources: [...quarantined, ...copies] };
}

const action = (name: RegExp | string) => screen.getByRole("button", { name });
const result = (name: string) => screen.findByRole("region", { name });

describe("actions on many sources", () => {
  it("runs what is selected, four at a time, and tells how far it is", async () => {
    use(manySources(12));
    let open = 0;
    let most = 0;
    const asked: string[] = [];
    const waiting: (() => void)[] = [];
    server.use(
      http.post("*/api/sources/:name/run", async ({ params }) => {
        asked.push(String(params.name));
        most = Math.max(most, (open += 1));
        await new Promise<void>((resolve) => waiting.push(resolve));
        open -= 1;
        return HttpResponse.json({});
      }),
    );
    const { user } = renderApp("/sources");
    await user.click(await screen.findByRole("checkbox", { name: "Select all 12 shown" }));
    expect(screen.getByText("12 selected")).toBeVisible();
    await user.click(action("Run now"));
    await waitFor(() => expect(waiting).toHaveLength(AT_ONCE));
    expect(within(await result("Run now")).getByRole("status")).toHaveTextContent("Run now: 0 of 12");
    for (const end of waiting.splice(0, 2)) end();
    await waitFor(() => expect(screen.getByText("Run now: 2 of 12")).toBeVisible());
    while (asked.length < 12 || waiting.length > 0) {
      for (const end of waiting.splice(0)) end();
      await delay(1);
    }
    expect(await screen.findByText("Run now: 12 of 12 in the queue")).toBeVisible();
    expect(most).toBe(AT_ONCE);
    expect(new Set(asked).size).toBe(12);
    expect(screen.queryByText("12 selected")).toBeNull();
  });

  it("leaves out what an action does not apply to, and says so before and after", async () => {
    const world = use(makeWorld());
    const { user } = renderApp("/sources");
    for (const name of ["tide-table", "desk-lamp", "old-archive"])
      await user.click(await screen.findByRole("checkbox", { name: `Select ${name}` }));
    expect(action("Run the Doctor (1 of 3)")).toBeEnabled();
    await user.click(action("Release from quarantine (1 of 3)"));
    const panel = await result("Release from quarantine");
    await within(panel).findByText(/1 of 1 released/);
    expect(panel).toHaveTextContent("2 left out, as it does not apply");
    expect(panel).toHaveTextContent("desk-lamp: not in quarantine");
    expect(world.sources.find(({ name }) => name === "tide-table")?.state).toBe("ACTIVE");
    await user.click(within(panel).getByRole("button", { name: "Dismiss" }));
    expect(screen.queryByRole("region", { name: "Release from quarantine" })).toBeNull();
  });

  it("names each failure with its reason, and keeps it selected", async () => {
    use(makeWorld());
    server.use(http.post("*/api/sources/desk-lamp/heal", () => failure(409, "CONFLICT", "a fix is running already")));
    const { user } = renderApp("/sources?state=ACTIVE");
    await user.click(await screen.findByRole("checkbox", { name: "Select all 3 shown" }));
    await user.click(action("Run the Doctor"));
    const panel = await result("Run the Doctor");
    await within(panel).findByText(/2 of 3 in the queue/);
    expect(panel).toHaveTextContent("1 failed");
    expect(panel).toHaveTextContent("desk-lamp: That does not fit what is there. A fix is running already.");
    expect(screen.getByRole("checkbox", { name: "Select desk-lamp" })).toBeChecked();
    expect(screen.getByRole("checkbox", { name: "Select bread-recipe" })).not.toBeChecked();
    expect(screen.getByRole("checkbox", { name: "Select all 3 shown" })).toBePartiallyChecked();
  });

  it("asks before it deletes, and names what goes", async () => {
    const world = use(makeWorld());
    const { user } = renderApp("/sources?search=example");
    await user.click(await screen.findByRole("checkbox", { name: /^Select all/ }));
    await user.click(screen.getByRole("checkbox", { name: "Select desk-lamp" }));
    await user.click(action("Delete"));
    const dialog = screen.getByRole("dialog", { name: "Delete 5 sources?" });
    expect(
      within(dialog)
        .getAllByRole("listitem")
        .map(({ textContent }) => textContent),
    ).toContain("tide-table");
    expect(dialog).not.toHaveTextContent("desk-lamp");
    await user.click(within(dialog).getByRole("button", { name: "Keep them" }));
    expect(world.sources).toHaveLength(6);
    await user.click(action("Delete"));
    await user.click(screen.getByRole("button", { name: "Delete 5 sources" }));
    expect(await screen.findByText("Delete: 5 of 5 deleted")).toBeVisible();
    expect(world.sources.map(({ name }) => name)).toEqual(["desk-lamp"]);
  });

  it("tells what was done when the list is empty afterwards", async () => {
    use(makeWorld());
    const { user } = renderApp("/sources?state=DEAD");
    await user.click(await screen.findByRole("checkbox", { name: "Select old-archive" }));
    await user.click(action("Delete"));
    await user.click(screen.getByRole("button", { name: "Delete 1 source" }));
    expect(await screen.findByText("No source fits the filter")).toBeVisible();
    expect(screen.getByText("Delete: 1 of 1 deleted")).toBeVisible();
  });

  it("stops on demand, and names what was not started", async () => {
    use(manySources(9));
    const ends: (() => void)[] = [];
    server.use(
      http.post("*/api/sources/:name/run", async () => {
        await new Promise<void>((resolve) => ends.push(resolve));
        return HttpResponse.json({});
      }),
    );
    const { user } = renderApp("/sources");
    await user.click(await screen.findByRole("checkbox", { name: "Select all 9 shown" }));
    await user.click(action("Run now"));
    await waitFor(() => expect(ends).toHaveLength(AT_ONCE));
    await user.click(action("Stop"));
    for (const end of ends) end();
    expect(await screen.findByText("Run now: 4 of 9 in the queue")).toBeVisible();
    expect(screen.getByText("5 not started")).toBeVisible();
    expect(screen.getByText("5 selected")).toBeVisible();
  });
});

describe("forEachBounded", () => {
  it("does nothing for nothing, and goes on after a failure", async () => {
    const told: [number, boolean][] = [];
    const { signal } = new AbortController();
    const act = (item: number) => (item % 2 ? Promise.reject(new Error("odd")) : Promise.resolve());
    await forEachBounded([], act, (item, error) => told.push([item, error !== undefined]), signal);
    expect(told).toEqual([]);
    await forEachBounded([1, 2, 3, 4, 5, 6], act, (item, error) => told.push([item, error !== undefined]), signal);
    expect(told.toSorted(([a], [b]) => a - b)).toEqual([
      [1, true],
      [2, false],
      [3, true],
      [4, false],
      [5, true],
      [6, false],
    ]);
  });
});
