import { screen, waitFor, within } from "@testing-library/react";
import { http, HttpResponse } from "msw";
import { describe, expect, it } from "vitest";
import { makeEmptyWorld, makeWorld } from "../mocks/world";
import { renderApp } from "../test/render-app";
import { server, use } from "../test/server";

async function cells(table: string, column: number): Promise<(string | null)[]> {
  const [, ...rows] = within(await screen.findByRole("table", { name: table })).getAllByRole("row");
  return rows.map((row) => within(row).getAllByRole("cell")[column]?.textContent ?? null);
}

const heading = (name: string) => screen.getByRole("columnheader", { name });

describe("the order of a list", () => {
  it("is in the address, and the way back leads to it", async () => {
    const { user } = renderApp("/runs?kind=HEAL_REPO");
    await user.click(await screen.findByRole("button", { name: "Took" }));
    expect(heading("Took")).toHaveAttribute("aria-sort", "descending");
    expect((await cells("Runs", 5))[0]).toBe("4m 22s");
    await user.click(screen.getByTitle("night-shift/attic").closest("a") as HTMLElement);
    await screen.findByRole("heading", { name: "night-shift/attic", level: 1 });
    await user.click(within(screen.getByRole("main")).getByRole("link", { name: "Runs" }));
    await screen.findByRole("table", { name: "Runs" });
    expect(heading("Took")).toHaveAttribute("aria-sort", "descending");
    expect(screen.getByLabelText("Kind")).toHaveValue("HEAL_REPO");
  });

  it("is taken from the address", async () => {
    renderApp("/runs?kind=HEAL_REPO&sort=Took&direction=ascending");
    const took = await cells("Runs", 5);
    expect(heading("Took")).toHaveAttribute("aria-sort", "ascending");
    expect(took[0]).toBe("5 s");
    // What still runs took no time yet.
    expect(took.at(-1)).toBe("");
  });

  it("is not offered for the loaded part of a longer list", async () => {
    const { user } = renderApp("/runs?sort=Took&direction=ascending");
    expect(await cells("Runs", 5)).toHaveLength(25);
    expect(heading("Took")).not.toHaveAttribute("aria-sort");
    expect(screen.queryByRole("button", { name: "Took" })).toBeNull();
    expect(screen.getByText(/Columns can be sorted once all are loaded/)).toBeVisible();
    await user.click(screen.getByRole("button", { name: "Load more" }));
    await waitFor(() => expect(heading("Took")).toHaveAttribute("aria-sort", "ascending"));
    expect(await cells("Runs", 5)).toHaveLength(40);
  });
});

describe("the address of a list", () => {
  it("keeps how much was loaded", async () => {
    renderApp("/runs?pages=2");
    await waitFor(async () => expect(await cells("Runs", 0)).toHaveLength(40));
  });

  it("asks for no more after a failure until someone does", async () => {
    let asked = 0;
    server.use(
      http.get("*/api/runs", ({ request }) => {
        if (!new URL(request.url).searchParams.has("before")) return undefined;
        asked += 1;
        return asked === 1 ? HttpResponse.error() : undefined;
      }),
    );
    const { user } = renderApp("/runs?pages=2");
    await waitFor(() => expect(asked).toBe(1));
    await waitFor(() => expect(screen.getByRole("button", { name: "Load more" })).toBeEnabled());
    expect(asked).toBe(1);
    await user.click(screen.getByRole("button", { name: "Load more" }));
    await waitFor(async () => expect(await cells("Runs", 0)).toHaveLength(40));
  });

  it("may hold a value that is no choice: then the list is not filtered", async () => {
    renderApp("/runs?state=bogus");
    expect(await cells("Runs", 0)).toHaveLength(25);
    expect(screen.getByLabelText("State")).toHaveValue("");
  });

  it("is kept by the way back from an entry", async () => {
    const { user } = renderApp("/sources?order=failures&state=QUARANTINED");
    await user.click(await screen.findByRole("link", { name: "tide-table" }));
    await screen.findByRole("heading", { name: "tide-table", level: 1 });
    await user.click(within(screen.getByRole("main")).getByRole("link", { name: "Sources" }));
    expect(await screen.findByLabelText("State")).toHaveValue("QUARANTINED");
    expect(screen.getByLabelText("Order")).toHaveValue("failures");
  });
});

describe("saved views", () => {
  it("name an address, lead to it, and can be removed", async () => {
    const { user } = renderApp("/alerts");
    await screen.findByText("tide-table");
    expect(screen.queryByRole("button", { name: "Save this view" })).toBeNull();
    await user.type(screen.getByLabelText("Search"), "lamp{Enter}");
    await user.click(screen.getByRole("button", { name: "Save this view" }));
    const dialog = screen.getByRole("dialog", { name: "Save this view" });
    await user.click(within(dialog).getByRole("button", { name: "Save" }));
    expect(within(dialog).getByLabelText("Name")).toBeInvalid();
    await user.type(within(dialog).getByLabelText("Name"), "My lamps{Enter}");
    const views = screen.getByRole("navigation", { name: "Saved views" });
    expect(within(views).getByRole("link", { name: "My lamps" })).toHaveAttribute("aria-current", "true");
    expect(localStorage.getItem("autoheal-views")).toContain("?search=lamp");
    await user.clear(screen.getByLabelText("Search"));
    await user.type(screen.getByLabelText("Search"), "{Enter}");
    await screen.findByText("tide-table");
    await user.click(within(views).getByRole("link", { name: "My lamps" }));
    await waitFor(() => expect(screen.getByLabelText("Search")).toHaveValue("lamp"));
    await user.click(within(views).getByRole("button", { name: "Remove the view My lamps" }));
    expect(screen.queryByRole("link", { name: "My lamps" })).toBeNull();
  });
});

describe("the queue", () => {
  it("opens on what runs and waits, with worker and age", async () => {
    const { user } = renderApp("/queue");
    const table = await screen.findByRole("table", { name: "Tasks" });
    expect(await cells("Tasks", 1)).toEqual(["Running", "Waiting", "Waiting"]);
    expect(table).toHaveTextContent("host-a:2217");
    expect(table).toHaveTextContent("started 2 min. ago");
    expect(table).toHaveTextContent(/due in [34] min\./);
    await user.selectOptions(screen.getByLabelText("State"), "All states");
    await waitFor(async () => expect(await cells("Tasks", 1)).toHaveLength(makeWorld().tasks.length));
  });

  it("says so when nothing runs or waits", async () => {
    use(makeEmptyWorld());
    renderApp("/queue");
    expect(await screen.findByText("Nothing runs or waits")).toBeVisible();
    expect(screen.getByRole("link", { name: "See all tasks" })).toHaveAttribute("href", "/queue?state=all");
  });
});

describe("what needs you", () => {
  it("is filtered by kind and text", async () => {
    const { user } = renderApp("/needs?kind=DEAD_LETTER");
    const entries = async () => within(await screen.findByRole("list", { name: "Needs you" })).getAllByRole("listitem");
    expect(await entries()).toHaveLength(2);
    await user.type(screen.getByLabelText("Search"), "device{Enter}");
    await waitFor(async () => expect(await entries()).toHaveLength(1));
    expect((await entries())[0]).toHaveTextContent("night-shift/relay");
    await user.selectOptions(screen.getByLabelText("Kind"), "REVIEW");
    expect(await screen.findByText("No entry fits the filter")).toBeVisible();
  });
});
