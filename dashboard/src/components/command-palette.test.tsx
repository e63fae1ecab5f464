import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { delay, http } from "msw";
import { describe, expect, it } from "vitest";
import { useTheme } from "../store/theme";
import { renderApp } from "../test/render-app";
import { server } from "../test/server";

const input = () => screen.findByRole("combobox", { name: "Page, source, repository, run or action" });
const dialog = () => within(screen.getByRole("dialog"));
const options = () =>
  dialog()
    .queryAllByRole("option")
    .map(({ textContent }) => textContent);
const active = () =>
  document.getElementById(dialog().getByRole("combobox").getAttribute("aria-activedescendant") ?? "");

async function open(path = "/usage") {
  const view = renderApp(path);
  await screen.findByRole("heading", { level: 1 });
  await view.user.keyboard("{Control>}k{/Control}");
  return { ...view, input: await input() };
}

describe("the command palette", () => {
  it("opens by its button, lists pages and actions, and gives the focus back", async () => {
    const { user } = renderApp("/usage");
    const [button] = screen.getAllByRole("button", { name: /^Go to/ });
    await user.click(button as HTMLElement);
    expect(await input()).toHaveFocus();
    expect(screen.getByRole("group", { name: "Pages" })).toHaveTextContent("Queue");
    expect(screen.getByRole("group", { name: "Actions" })).toHaveTextContent("Add a source");
    await user.click(screen.getByRole("button", { name: "Close" }));
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(button).toHaveFocus();
  });

  it("moves by arrows through its listbox, around its ends, and goes there by Enter", async () => {
    const { user } = await open();
    expect(active()).toHaveTextContent("Overview");
    expect(active()).toHaveAttribute("aria-selected", "true");
    await user.keyboard("{ArrowUp}");
    expect(active()).toHaveTextContent("Keyboard shortcuts");
    await user.keyboard("{ArrowDown}{ArrowDown}{ArrowDown}{ArrowDown}");
    expect(active()).toHaveTextContent("Sources");
    await user.keyboard("{Enter}");
    expect(await screen.findByRole("heading", { name: "Sources", level: 1 })).toBeVisible();
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(screen.getByRole("main")).toHaveFocus();
  });

  it("finds sources, repositories and runs on the server", async () => {
    const { user, input } = await open();
    await user.type(input, "tide");
    await waitFor(() => expect(options()[0]).toMatch(/^tide-tableQuarantined/));
    expect(screen.getByRole("group", { name: "Runs" })).toHaveTextContent("Read source, Fetched, 2 hr. ago");
    await user.clear(input);
    await user.type(input, "relay");
    await waitFor(() => expect(options()).toHaveLength(2));
    expect(dialog().getByRole("status")).toHaveTextContent("2 results");
    await user.click(within(screen.getByRole("group", { name: "Repositories" })).getByRole("option"));
    expect(await screen.findByRole("heading", { name: "Runs", level: 1 })).toBeVisible();
    expect(screen.getByLabelText("Search")).toHaveValue("https://github.com/night-shift/relay");
  });

  it("asks once the typing pauses, and cancels a request that a newer one supersedes", async () => {
    const asked: [string | null, AbortSignal][] = [];
    server.use(
      http.get("*/api/sources", async ({ request }) => {
        asked.push([new URL(request.url).searchParams.get("search"), request.signal]);
        if (asked.length === 1) await delay("infinite");
        return undefined;
      }),
    );
    const { input } = await open();
    // At once, for a slow machine would pause between the keys of `user.type`.
    for (const value of ["l", "la", "lam", "lamp"]) fireEvent.change(input, { target: { value } });
    await waitFor(() => expect(asked).toHaveLength(1));
    fireEvent.change(input, { target: { value: "lampx" } });
    await waitFor(() => expect(asked.map(([search]) => search)).toEqual(["lamp", "lampx"]));
    expect(asked[0]?.[1].aborted).toBe(true);
    expect(await screen.findByText("Nothing fits")).toBeVisible();
  });

  it("acts: a theme, and the form of a repository", async () => {
    const { user, input: field } = await open();
    await user.type(field, "theme dark{Enter}");
    expect(useTheme.getState().theme).toBe("dark");
    await user.keyboard("{Meta>}k{/Meta}");
    await user.type(await input(), "heal rep{Enter}");
    expect(await screen.findByRole("heading", { name: "Overview" })).toBeVisible();
    await waitFor(() => expect(screen.getByLabelText("Repository")).toHaveFocus());
  });

  it("says when the server cannot be reached, and still goes to pages", async () => {
    server.use(http.get("*/api/sources", () => Response.error()));
    const { user, input } = await open();
    await user.type(input, "runs");
    expect(await screen.findByText("The server cannot be reached", { selector: "dialog p" })).toBeVisible();
    await user.keyboard("{Enter}");
    expect(await screen.findByRole("heading", { name: "Runs", level: 1 })).toBeVisible();
  });
});

describe("shortcuts", () => {
  it("are listed, and those without Control can be turned off", async () => {
    const { user } = renderApp("/alerts");
    await screen.findByText("tide-table");
    await user.keyboard("/");
    expect(screen.getByLabelText("Search")).toHaveFocus();
    // Where one types, it is a letter.
    await user.keyboard("?");
    expect(screen.getByLabelText("Search")).toHaveValue("?");
    await user.click(document.body);
    await user.keyboard("?");
    const list = await screen.findByRole("dialog", { name: "Keyboard shortcuts" });
    expect(list).toHaveTextContent("Search the list/");
    await user.click(within(list).getByRole("checkbox"));
    expect(list).not.toHaveTextContent("Search the list");
    await user.click(within(list).getByRole("button", { name: "Close" }));
    await user.keyboard("?/");
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(screen.getByLabelText("Search")).not.toHaveFocus();
  });
});
