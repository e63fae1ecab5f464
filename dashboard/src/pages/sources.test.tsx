import { act, screen, waitFor, within } from "@testing-library/react";
import { http, HttpResponse } from "msw";
import { describe, expect, it, vi } from "vitest";
import { makeEmptyWorld, makeWorld } from "../mocks/world";
import { renderApp } from "../test/render-app";
import { server, use } from "../test/server";
import { download } from "../ui/download";

vi.mock("../ui/download");

describe("sources", () => {
  it("are listed with the worst first", async () => {
    renderApp("/sources");
    const [, first, second] = within(await screen.findByRole("table", { name: "Sources" })).getAllByRole("row");
    expect(first).toHaveTextContent("old-archive");
    expect(second).toHaveTextContent("tide-table");
    expect(second).toHaveTextContent("Quarantined");
  });

  it("say how to begin when there is none", async () => {
    use(makeEmptyWorld());
    renderApp("/sources");
    expect(await screen.findByText("No sources yet")).toBeVisible();
  });

  it("are added by a form that is checked first", async () => {
    const world = use(makeWorld());
    const { user } = renderApp("/new-source");
    await user.click(await screen.findByRole("button", { name: "Add the source" }));
    const address = screen.getByLabelText("Address");
    expect(address).toHaveFocus();
    expect(address).toBeInvalid();
    await user.type(address, "https://lamps.example/floor");
    expect(address).toBeValid();
    await user.click(screen.getByRole("button", { name: "Add an example" }));
    await user.type(screen.getByLabelText("Field 1"), "price");
    await user.type(screen.getByLabelText("Value 1"), "39.90");
    await user.click(screen.getByRole("button", { name: "Add the source" }));
    expect(await screen.findByRole("heading", { name: /^Task \d+$/ })).toBeVisible();
    expect(await screen.findByRole("link", { name: "lamps-example" })).toHaveAttribute(
      "href",
      "/sources/lamps-example",
    );
    expect(world.sources.at(-1)).toMatchObject({ url: "https://lamps.example/floor", intervalSeconds: 21_600 });
  });

  it("that cannot be added leave the form as it was, with the reason", async () => {
    const world = use(makeWorld());
    const { user, client } = renderApp("/new-source");
    await user.type(await screen.findByLabelText("Address"), "https://lamps.example/nothing-here");
    await user.type(screen.getByLabelText("Name"), "ghost");
    await user.click(screen.getByRole("button", { name: "Add the source" }));
    expect(await screen.findByRole("heading", { name: /^Task \d+$/ })).toBeVisible();
    const [task] = world.tasks;
    const run = { runId: "added-not", taskId: task?.taskId ?? 0, target: "ghost", startedAt: world.clock.ago(0) };
    Object.assign(task ?? {}, { state: "COMPLETED", completedAt: world.clock.ago(0) });
    world.runs.unshift({ ...run, kind: "ADD_SOURCE", state: "broken", stopReason: "NOT_ADDED" });
    server.use(
      http.get("*/api/runs/added-not", () =>
        HttpResponse.json({
          run: world.runs[0],
          document: { source: "ghost", added: null, error: "https://lamps.example/nothing-here answers 404" },
        }),
      ),
    );
    await act(() => client.refetchQueries());
    expect(await screen.findByText("https://lamps.example/nothing-here answers 404")).toBeVisible();
    expect(screen.getByRole("heading", { name: "Add a source" })).toBeVisible();
    expect(screen.getByLabelText("Address")).toHaveValue("https://lamps.example/nothing-here");
    expect(screen.getByLabelText("Name")).toHaveValue("ghost");
  });

  it("keep a click on a button that an error would move", async () => {
    const { user } = renderApp("/new-source");
    await user.type(await screen.findByLabelText("Name"), "a b");
    const button = screen.getByRole("button", { name: "Add an example" });
    await user.pointer({ keys: "[MouseLeft>]", target: button });
    expect(screen.getByLabelText("Name")).not.toHaveFocus();
    expect(screen.getByLabelText("Name")).toBeValid();
    await user.pointer({ keys: "[/MouseLeft]", target: button });
    await waitFor(() => expect(screen.getByLabelText("Name")).toBeInvalid());
    expect(screen.getByLabelText("Field 1")).toBeVisible();
  });

  it("say in the form that a name is taken", async () => {
    const { user } = renderApp("/new-source");
    await user.type(await screen.findByLabelText("Address"), "https://lamps.example");
    await user.type(screen.getByLabelText("Name"), "desk-lamp{Enter}");
    expect(await screen.findByText("There is a source named desk-lamp already.")).toBeVisible();
  });
});

describe("the page of a source", () => {
  it("shows what a waiting version changes", async () => {
    renderApp("/sources/bread-recipe?tab=history");
    const diff = await screen.findByRole("region", { name: "What version 2 changed" });
    expect(within(diff).getByText('- "select": "h1.product-title",')).toHaveAttribute("data-line", "removed");
  });

  it("asks for the decision with every field, its values and both selectors", async () => {
    renderApp("/sources/bread-recipe");
    const table = await screen.findByRole("table", { name: "Fields of the fix" });
    const row = within(table).getByText("title").closest("tr");
    expect(row).toHaveTextContent("Changed");
    await waitFor(() => expect(row).toHaveTextContent("Desk lamp"));
    expect(
      within(row as HTMLElement)
        .getByText("h1.product-title")
        .closest("del"),
    ).not.toBeNull();
    expect(
      within(row as HTMLElement)
        .getByText("main h1")
        .closest("ins"),
    ).not.toBeNull();
  });

  it("marks the active version in the old page and the waiting one in the new page", async () => {
    use(makeWorld());
    server.use(
      http.get("*/api/sources/:name/snapshots/:snapshotId/page", ({ params, request }) =>
        HttpResponse.html(
          `<p>snapshot ${String(params.snapshotId)} version ${new URL(request.url).searchParams.get("version")}</p>`,
        ),
      ),
    );
    renderApp("/sources/bread-recipe?tab=snapshots");
    expect(await screen.findByTitle("Original snapshot")).toHaveAttribute("srcdoc", "<p>snapshot 1 version 1</p>");
    expect(await screen.findByTitle("Failing snapshot")).toHaveAttribute("srcdoc", "<p>snapshot 3 version 2</p>");
  });

  it("says what approval does, then approves and reads, and everything shown follows", async () => {
    const world = use(makeWorld());
    const { user } = renderApp("/sources/bread-recipe?tab=history");
    await user.click(await screen.findByRole("link", { name: "Review the fix" }));
    await user.click(await screen.findByRole("button", { name: "Approve" }));
    const source = () => world.sources.find(({ name }) => name === "bread-recipe");
    expect(source()?.waitsForApproval).toBe(true);
    const dialog = screen.getByRole("dialog", { name: "Approve version 2?" });
    expect(dialog).toHaveTextContent("Version 2 becomes the active recipe");
    const asked: string[] = [];
    server.events.on("request:start", ({ request }) => void asked.push(new URL(request.url).pathname));
    await user.click(within(dialog).getByRole("button", { name: "Approve" }));
    expect(await screen.findByText("The fix is active; the source is being read")).toBeVisible();
    await waitFor(() => expect(screen.queryByRole("tab", { name: "Review" })).toBeNull());
    expect(source()?.waitsForApproval).toBe(false);
    await waitFor(() => expect(world.tasks[0]).toMatchObject({ kind: "REFRESH_SOURCE", target: "bread-recipe" }));
    await user.click(screen.getByRole("tab", { name: "Fixes" }));
    await waitFor(() =>
      expect(asked).toEqual(
        expect.arrayContaining([
          "/api/overview",
          "/api/sources/bread-recipe",
          "/api/sources/bread-recipe/recipes",
          "/api/sources/bread-recipe/fixes",
        ]),
      ),
    );
    server.events.removeAllListeners();
  });

  it("says why no fix was found, and hides a diff of nothing but order", async () => {
    const { user } = renderApp("/sources/tide-table?tab=fixes");
    const [failed, found] = within(await screen.findByRole("list", { name: "Fixes" })).getAllByRole("heading");
    expect(failed).toHaveTextContent("No fix was found");
    const card = failed?.closest("li") as HTMLElement;
    expect(within(card).getByRole("list", { name: "Reasons" })).toHaveTextContent(
      /cannot be found again with certainty/,
    );
    expect(within(card).queryByRole("region", { name: "Diff of tide-table" })).toBeNull();
    const diff = within(found?.closest("li") as HTMLElement).getByRole("region", { name: "Diff of tide-table" });
    expect(diff).toHaveTextContent("main h1");
    expect(diff).not.toHaveTextContent("staged definition");
    await user.click(screen.getByRole("tab", { name: "Runs" }));
    expect(await screen.findByRole("table", { name: "Runs of the source" })).toBeVisible();
  });

  it("show their events and their counted faults", async () => {
    const { user } = renderApp("/sources/tide-table?tab=timeline");
    const [newest, failed] = within(await screen.findByRole("list", { name: "Timeline" })).getAllByRole("listitem");
    expect(newest).toHaveTextContent("No fix");
    expect(failed).toHaveTextContent("PARSE_ERROR2 runs, the first");
    expect(screen.getByText("MAX_ATTEMPTS_REACHED")).toBeVisible();
    await user.click(screen.getByRole("tab", { name: "Diagnostics" }));
    const list = within(await screen.findByRole("list", { name: "Diagnostics" }));
    expect(list.getByRole("listitem")).toHaveTextContent("OpenParse errorprice2 times, first");
    expect(list.getByText("https://harbour.example/tides/today")).toBeVisible();
  });

  it("links each of its last runs", async () => {
    renderApp("/sources/tide-table");
    const strip = await screen.findByRole("list", { name: "13 of the last 16 runs succeeded" });
    expect(within(strip).getAllByRole("link").at(-1)).toHaveAttribute("href", "/runs/tide-table-15");
    expect(within(strip).getAllByRole("link").at(-1)).toHaveTextContent("Failed");
  });

  it("shows values by field with their changes, and saves them", async () => {
    const { user } = renderApp("/sources/desk-lamp");
    const table = await screen.findByRole("table", { name: "Values by read" });
    const [heads, newest] = within(table).getAllByRole("row");
    expect(heads).toHaveTextContent("ReadVersiontitlepricein_stock");
    expect(within(newest as HTMLElement).getByTitle("Before: 40.90 EUR")).toHaveTextContent("39.90 EURchanged");
    expect(screen.getByRole("img", { name: /^price over 5 reads: 39.9 to 42.9 EUR/ })).toBeVisible();
    await user.click(screen.getByRole("button", { name: "CSV" }));
    expect(download).toHaveBeenLastCalledWith("desk-lamp.csv", "text/csv", expect.stringContaining(",40.90 EUR,"));
    await user.click(screen.getByRole("button", { name: "JSON" }));
    expect(download).toHaveBeenLastCalledWith("desk-lamp.json", "application/json", expect.stringMatching(/^\[/));
  });

  it("shows a list as a table of items", async () => {
    const { user } = renderApp("/sources/job-board");
    const table = await screen.findByRole("table", { name: "Items of one read" });
    const rows = () => within(screen.getByRole("table", { name: "Items of one read" })).getAllByRole("row");
    expect(table).toHaveTextContent("Site reliability engineer");
    expect(rows()).toHaveLength(3);
    expect(rows()[1]).toHaveTextContent("new");
    const [, second] = within(screen.getByLabelText("Read")).getAllByRole("option");
    await user.selectOptions(screen.getByLabelText("Read"), second as HTMLElement);
    expect(rows()).toHaveLength(2);
  });

  it("releases, rolls back and changes", async () => {
    const world = use(makeWorld());
    const source = () => world.sources.find(({ name }) => name === "tide-table");
    const { user } = renderApp("/sources/tide-table?tab=history");
    await user.click(await screen.findByRole("button", { name: "Release from quarantine" }));
    await waitFor(() => expect(source()?.state).toBe("ACTIVE"));
    await user.click(await screen.findByRole("button", { name: "Roll back to version 1" }));
    await waitFor(() => expect(source()?.recipeVersion).toBe(1));
    await user.click(screen.getByRole("tab", { name: "Settings" }));
    const minutes = screen.getByLabelText("Read every (minutes)");
    await user.clear(minutes);
    await user.selectOptions(screen.getByLabelText("If a field is uncertain"), "Accept the other fields");
    await user.type(minutes, "15{Enter}");
    await waitFor(() => expect(source()).toMatchObject({ intervalSeconds: 900, onUncertain: "skip_field" }));
  });

  it("asks before it deletes", async () => {
    const world = use(makeWorld());
    const { user } = renderApp("/sources/desk-lamp");
    await user.click(await screen.findByRole("button", { name: "Delete" }));
    const dialog = screen.getByRole("dialog", { name: "Delete desk-lamp?" });
    expect(world.sources.some(({ name }) => name === "desk-lamp")).toBe(true);
    await user.click(within(dialog).getByRole("button", { name: "Delete" }));
    expect(await screen.findByRole("heading", { name: "Sources" })).toBeVisible();
    expect(world.sources.some(({ name }) => name === "desk-lamp")).toBe(false);
  });

  it("shows snapshots in frames that may do nothing", async () => {
    renderApp("/sources/desk-lamp?tab=snapshots");
    const before = await screen.findByTitle("Original snapshot");
    expect(before).toHaveAttribute("sandbox", "");
    expect(before).toHaveAttribute("srcdoc", expect.stringContaining('data-autoheal-field="title"'));
    expect(await screen.findByTitle("Failing snapshot")).toHaveAttribute("sandbox", "");
  });
});

describe("the queue", () => {
  it("has tasks cancelled and retried", async () => {
    const world = use(makeWorld());
    const stateOf = (taskId: number) => world.tasks.find((task) => task.taskId === taskId)?.state;
    const { user } = renderApp("/queue?state=all");
    await user.click(await screen.findByRole("button", { name: "Cancel task 905" }));
    await waitFor(() => expect(stateOf(905)).toBe("CANCELLED"));
    await user.click(await screen.findByRole("button", { name: "Retry task 899" }));
    await waitFor(() => expect(stateOf(899)).toBe("PENDING"));
  });

  it("shows why a task was given up", async () => {
    renderApp("/queue/899");
    expect(await screen.findByText(/three strikes within 24 hours/)).toBeVisible();
  });
});

describe("usage", () => {
  it("is summed by what is chosen", async () => {
    const { user } = renderApp("/usage");
    expect(await screen.findByText("$3.6708")).toBeVisible();
    await user.selectOptions(screen.getByLabelText("By"), "model");
    expect(await screen.findByRole("heading", { name: "Cost by model" })).toBeVisible();
  });
});

describe("the reference", () => {
  it("lists the operations that the server describes", async () => {
    renderApp("/reference");
    expect(await screen.findByText("/api/heal")).toBeVisible();
    expect(screen.getByText("Start a healing job")).toBeVisible();
  });
});
