import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { makeEmptyWorld, makeWorld } from "../mocks/world";
import { renderApp } from "../test/render-app";
import { use } from "../test/server";

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
    expect(world.sources.at(-1)).toMatchObject({ url: "https://lamps.example/floor", intervalSeconds: 3_600 });
  });

  it("say in the form that a name is taken", async () => {
    const { user } = renderApp("/new-source");
    await user.type(await screen.findByLabelText("Address"), "https://lamps.example");
    await user.type(screen.getByLabelText("Name"), "desk-lamp{Enter}");
    expect(await screen.findByText("There is a source named desk-lamp already.")).toBeVisible();
  });
});

describe("the page of a source", () => {
  it("lets a person approve what waits, and shows what it changes", async () => {
    const world = use(makeWorld());
    const { user } = renderApp("/sources/bread-recipe?tab=history");
    const diff = await screen.findByRole("region", { name: "What version 2 changed" });
    expect(within(diff).getByText('- "select": "h1.product-title",')).toHaveAttribute("data-line", "removed");
    await user.click(screen.getByRole("button", { name: "Approve the fix" }));
    expect(await screen.findByText("The recipe that waited is in force")).toBeVisible();
    await waitFor(() => expect(screen.queryByRole("button", { name: "Approve the fix" })).toBeNull());
    expect(world.sources.find(({ name }) => name === "bread-recipe")?.waitsForApproval).toBe(false);
  });

  it("releases, rolls back and changes", async () => {
    const world = use(makeWorld());
    const source = () => world.sources.find(({ name }) => name === "tide-table");
    const { user } = renderApp("/sources/tide-table?tab=history");
    await user.click(await screen.findByRole("button", { name: "Release" }));
    await waitFor(() => expect(source()?.state).toBe("ACTIVE"));
    await user.click(await screen.findByRole("button", { name: "Roll back to version 1" }));
    await waitFor(() => expect(source()?.recipeVersion).toBe(1));
    await user.click(screen.getByRole("tab", { name: "Settings" }));
    const minutes = screen.getByLabelText("Read every (minutes)");
    await user.clear(minutes);
    await user.type(minutes, "15{Enter}");
    await waitFor(() => expect(source()?.intervalSeconds).toBe(900));
  });

  it("asks before it removes", async () => {
    const world = use(makeWorld());
    const { user } = renderApp("/sources/desk-lamp");
    await user.click(await screen.findByRole("button", { name: "Remove" }));
    const dialog = screen.getByRole("dialog", { name: "Remove desk-lamp?" });
    expect(world.sources.some(({ name }) => name === "desk-lamp")).toBe(true);
    await user.click(within(dialog).getByRole("button", { name: "Remove" }));
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
    const { user } = renderApp("/queue");
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
