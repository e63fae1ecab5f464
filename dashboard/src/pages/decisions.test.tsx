import { screen, waitFor, within } from "@testing-library/react";
import { http } from "msw";
import { describe, expect, it } from "vitest";
import { failure } from "../mocks/answers";
import { makeWorld, type World } from "../mocks/world";
import { renderApp } from "../test/render-app";
import { server, use } from "../test/server";

const sourceIn = (world: World, wanted: string) => world.sources.find(({ name }) => name === wanted);
const decisionsIn = (world: World, name: string) => world.decisions.get(name)?.map(({ decision }) => decision);

async function rejectBread(world: World, reason: string) {
  const { user } = renderApp("/sources/bread-recipe");
  await user.click(await screen.findByRole("button", { name: "Reject" }));
  const dialog = screen.getByRole("dialog", { name: "Reject version 2?" });
  expect(dialog).toHaveTextContent("The same fix is not proposed again; you can undo this in the history.");
  expect(sourceIn(world, "bread-recipe")?.waitsForApproval).toBe(true);
  if (reason) await user.type(within(dialog).getByLabelText("Reason (optional)"), reason);
  await user.click(within(dialog).getByRole("button", { name: "Reject" }));
  expect(await screen.findByText("The fix is rejected")).toBeVisible();
  await waitFor(() => expect(screen.queryByRole("link", { name: "Review the fix" })).toBeNull());
  return { user };
}

describe("a rejection", () => {
  it("is confirmed first, and stores no reason unless there is one", async () => {
    const world = use(makeWorld());
    await rejectBread(world, "");
    expect(sourceIn(world, "bread-recipe")?.waitsForApproval).toBe(false);
    expect(world.decisions.get("bread-recipe")?.[0]).toMatchObject({ decision: "REJECTED", version: 2 });
    expect(world.decisions.get("bread-recipe")?.[0]?.note).toBeUndefined();
  });

  it("can be undone at once", async () => {
    const world = use(makeWorld());
    const { user } = await rejectBread(world, "");
    await user.click(within(screen.getByRole("region", { name: "Notices" })).getByRole("button", { name: "Undo" }));
    expect(await screen.findByText("Version 2 waits for a review again")).toBeVisible();
    expect(await screen.findByRole("link", { name: "Review the fix" })).toBeVisible();
    expect(decisionsIn(world, "bread-recipe")).toEqual(["RECONSIDERED", "REJECTED"]);
  });

  it("is listed with its reason, and can be undone there", async () => {
    const world = use(makeWorld());
    const { user } = await rejectBread(world, "  The price is the one of another bread. ");
    await user.click(screen.getByRole("tab", { name: "History" }));
    const list = await screen.findByRole("list", { name: "Decisions" });
    const [rejection] = within(list).getAllByRole("listitem");
    expect(rejection).toHaveTextContent("Rejected, version 2, by dashboard");
    expect(within(list).getByText("The price is the one of another bread.")).toBeVisible();
    await user.click(within(list).getByRole("button", { name: "Let it wait again" }));
    await waitFor(() => expect(sourceIn(world, "bread-recipe")?.waitsForApproval).toBe(true));
    await waitFor(() => expect(screen.queryByRole("button", { name: "Let it wait again" })).toBeNull());
    expect(within(list).getByText(/^Reconsidered, version 2, by dashboard/)).toBeVisible();
  });
});

describe("changed values", () => {
  async function openDialog() {
    const { user } = renderApp("/sources/job-board");
    await user.click(await screen.findByRole("button", { name: "Accept these values" }));
    const dialog = screen.getByRole("dialog", { name: "Are these values right?" });
    return { user, dialog, table: await within(dialog).findByRole("table", { name: "Values to accept" }) };
  }

  it("are displayed next to the last good ones, then accepted", async () => {
    const world = use(makeWorld());
    const { user, dialog, table } = await openDialog();
    const rowOf = (field: string) => within(table).getByText(field).closest("tr");
    expect(rowOf("title")).toHaveTextContent("Site reliability engineer");
    expect(rowOf("title")).not.toHaveTextContent("Changed");
    expect(rowOf("price")).toHaveTextContent(/none.*another price.*Changed/);
    expect(sourceIn(world, "job-board")?.state).toBe("DEGRADED");
    await user.click(within(dialog).getByRole("button", { name: "Accept" }));
    expect(await screen.findByText("The values are accepted; later reads are compared with them")).toBeVisible();
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(sourceIn(world, "job-board")?.state).toBe("ACTIVE");
    expect(decisionsIn(world, "job-board")?.[0]).toBe("ACCEPTED");
  });

  it("that the server does not accept stay as they are, with its reason in the dialog", async () => {
    const world = use(makeWorld());
    const { user, dialog } = await openDialog();
    const reason = "the rule of `price` finds nothing: edit the rule instead";
    server.use(http.post("*/api/sources/job-board/accept", () => failure(409, "CONFLICT", reason)));
    await user.click(within(dialog).getByRole("button", { name: "Accept" }));
    expect(await within(dialog).findByRole("alert")).toHaveTextContent(
      "The rule of `price` finds nothing: edit the rule instead.",
    );
    expect(within(screen.getByRole("region", { name: "Notices" })).queryByRole("listitem")).toBeNull();
    expect(sourceIn(world, "job-board")?.state).toBe("DEGRADED");
  });

  it("are not offered when a rule finds nothing", async () => {
    renderApp("/sources/tide-table");
    const trouble = await screen.findByRole("region", { name: "What is wrong, and what comes next" });
    expect(await within(trouble).findByRole("link", { name: "Failed run" })).toBeVisible();
    expect(within(trouble).queryByRole("button", { name: "Accept these values" })).toBeNull();
  });
});
