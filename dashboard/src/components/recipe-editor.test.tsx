import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { makeWorld } from "../mocks/world";
import { renderApp } from "../test/render-app";
import { use } from "../test/server";

describe("the recipe of a source", () => {
  it("is edited by pointing at an element, by the text it shows", async () => {
    const world = use(makeWorld());
    const { user } = renderApp("/sources/desk-lamp?tab=edit");
    await user.selectOptions(await screen.findByLabelText("Field"), "price");
    await user.type(screen.getByLabelText("Find an element by its text"), "39.90");
    const found = await screen.findByRole("list", { name: "Elements with this text" });
    await user.click(await within(found).findByRole("button", { name: /39\.90 EUR/ }));
    const values = await screen.findByRole("table", { name: "Values on the stored pages" });
    expect(within(values).getAllByRole("row")).toHaveLength(4);
    const rules = screen.getByRole("group", { name: "Rule, the most robust first" });
    const [first, second] = within(rules).getAllByRole("radio");
    expect(first).toBeChecked();
    await user.click(second as HTMLElement);
    await user.click(screen.getByRole("button", { name: "Save and run" }));
    expect(await screen.findByText("The recipe is active; the source is being read")).toBeVisible();
    expect(world.replacedRecipes).toHaveLength(1);
    expect(JSON.stringify(world.replacedRecipes[0])).toContain(second?.closest("label")?.textContent);
    expect(world.tasks[0]?.taskId).not.toBe(905);
    expect(world.tasks[0]).toMatchObject({ kind: "REFRESH_SOURCE", target: "desk-lamp" });
  });

  it("is edited as text, which is tried before it is saved", async () => {
    const world = use(makeWorld());
    const { user } = renderApp("/sources/desk-lamp?tab=edit");
    await user.click(await screen.findByText("Edit the recipe as text"));
    const text = screen.getByLabelText("Recipe in JSON");
    await user.clear(text);
    await user.type(text, "not JSON");
    await user.click(screen.getByRole("button", { name: "Try on the stored pages" }));
    expect(await screen.findByRole("alert")).toBeVisible();
    await user.clear(text);
    await user.type(text, '{{"version":1,"fields":{{"title":{{"select":"h1"}}}');
    expect(screen.queryByRole("button", { name: "Save and run" })).toBeNull();
    await user.click(screen.getByRole("button", { name: "Try on the stored pages" }));
    await user.click(await screen.findByRole("button", { name: /Save as version/ }));
    await waitFor(() => expect(world.replacedRecipes).toHaveLength(1));
    expect(world.tasks[0]?.taskId, "nothing is queued").toBe(905);
  });
});
