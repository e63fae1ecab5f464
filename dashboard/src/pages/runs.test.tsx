import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import {
  CANCELLED_RUN,
  GIVEN_UP_RUN,
  HEALED_RUN,
  makeEmptyWorld,
  makeWorld,
  RUNNING_RUN,
  SOURCE_RUN,
} from "../mocks/world";
import { renderApp } from "../test/render-app";
import { use } from "../test/server";
import { download } from "../ui/download";

vi.mock("../ui/download");

async function rows(): Promise<HTMLElement[]> {
  const [, ...rows] = within(await screen.findByRole("table", { name: "Runs" })).getAllByRole("row");
  return rows;
}

describe("the list of runs", () => {
  it("goes on when asked to", async () => {
    const { user } = renderApp("/runs");
    expect(await rows()).toHaveLength(25);
    await user.click(screen.getByRole("button", { name: "Load more" }));
    await screen.findByText("night-shift/", { exact: false, selector: "[title='night-shift/service-39'] *" });
    expect(await rows()).toHaveLength(40);
    expect(screen.queryByRole("button", { name: "Load more" })).toBeNull();
  });

  it("is filtered, and says when nothing fits", async () => {
    const { user } = renderApp("/runs");
    await rows();
    await user.selectOptions(screen.getByLabelText("State"), "running");
    await screen.findByTitle("night-shift/invoice-service");
    await user.type(screen.getByLabelText("Search"), "nowhere{Enter}");
    expect(await screen.findByText("No run fits the filter")).toBeVisible();
    await user.click(screen.getByRole("button", { name: "Clear the filter" }));
    expect(await rows()).toHaveLength(25);
  });

  it("says how to begin when there is none", async () => {
    use(makeEmptyWorld());
    renderApp("/runs");
    expect(await screen.findByText("Nothing has run yet")).toBeVisible();
    expect(screen.getByRole("link", { name: "Heal a repository" })).toHaveAttribute("href", "/");
  });
});

describe("the page of a run", () => {
  it("shows the agents where they are, live", async () => {
    renderApp(`/runs/${RUNNING_RUN}`);
    const agents = await screen.findByRole("list", { name: "Agents" });
    expect(await within(agents).findByRole("listitem", { current: "step" })).toHaveTextContent("Patch code");
    expect(
      within(agents)
        .getAllByRole("listitem")
        .map((node) => node.dataset.state),
    ).toEqual(["done", "done", "done", "done", "done", "running", "waiting", "waiting", "waiting"]);
    expect(await screen.findByText(/^running the tests of/)).toBeVisible();
  });

  it.each([
    [RUNNING_RUN, "Running: night-shift/invoice-service · autoheal"],
    [HEALED_RUN, "Fixed: parcel-team/parcel · autoheal"],
    [GIVEN_UP_RUN, "Failed: night-shift/relay · autoheal"],
  ])("has how it is in the title of the document", async (run, title) => {
    renderApp(`/runs/${run}`);
    await waitFor(() => expect(document.title).toBe(title));
  });

  it("has a run cancelled", async () => {
    const { user } = renderApp(`/runs/${RUNNING_RUN}`);
    await user.click(await screen.findByRole("button", { name: "Cancel" }));
    expect(await screen.findByText(/The run will stop/)).toBeVisible();
  });

  it("shows diagnostics, changes, outputs and the report of a run that is over", async () => {
    const { user } = renderApp(`/runs/${HEALED_RUN}`);
    await user.click(await screen.findByRole("tab", { name: /Diagnostics/ }));
    expect(await screen.findByText("SyntaxError: expected ':'")).toBeVisible();
    await user.keyboard("{ArrowRight}");
    expect(screen.getByRole("tab", { name: /Changes/ })).toHaveFocus();
    const diff = await screen.findByRole("region", { name: "Diff of parcel/rates.py" });
    expect(within(diff).getByText("+ if weight > limit:")).toHaveAttribute("data-line", "added");
    await user.click(screen.getByRole("tab", { name: /Outputs/ }));
    expect(await screen.findByText("python -m pytest -q")).toBeVisible();
    await user.click(screen.getByRole("tab", { name: "Report" }));
    expect(await screen.findByRole("heading", { name: "Left to you" })).toBeVisible();
    expect(within(screen.getByRole("tabpanel")).getByRole("cell", { name: "parcel/rates.py" })).toBeVisible();
  });

  it("ends in the change: branch, merge command, patch, fixes with their sentences, and another run", async () => {
    const { user } = renderApp(`/runs/${HEALED_RUN}`);
    const result = within(await screen.findByRole("region", { name: "Result" }));
    expect(await result.findByText("NIGHT_SHIFT_ADA_LOVELACE_AI_Fix")).toBeVisible();
    expect(result.getByText(/^git fetch origin .* && git merge FETCH_HEAD$/)).toBeVisible();
    expect(result.getByRole("link", { name: /pull\/42/ })).toBeVisible();
    await user.click(result.getByRole("button", { name: "Copy the command that merges the branch" }));
    expect(await navigator.clipboard.readText()).toMatch(/^git fetch origin/);
    await user.click(await result.findByRole("button", { name: "Download the patch" }));
    expect(download).toHaveBeenCalledWith(
      "NIGHT_SHIFT_ADA_LOVELACE_AI_Fix.patch",
      "text/x-diff",
      expect.stringMatching(/\+\+\+ b\/parcel\/rates\.py[^]*\+\+\+ b\/parcel\/address\.py/),
    );
    expect(screen.getByRole("tab", { name: /Changes/ })).toHaveAttribute("aria-selected", "true");
    const fixes = await screen.findByRole("list", { name: "Fixes" });
    const [first] = within(fixes).getAllByRole("listitem");
    expect(first).toHaveTextContent("insert the missing `:`");
    expect(first).toHaveTextContent("parcel/rates.py:27");
    expect(first).toHaveTextContent("2 other candidates refused before it");
    await user.click(screen.getByText("Refused candidates and the reasons"));
    expect(await screen.findByText("test_returns would fail")).toBeVisible();
    await user.click(result.getByRole("button", { name: "Run again" }));
    await waitFor(() => expect(document.title).toMatch(/^(Waiting|Running): parcel-team\/parcel · autoheal$/));
    expect(await screen.findByText("The repository is in the queue again")).toBeVisible();
  });

  it("says how far a run is", async () => {
    renderApp(`/runs/${RUNNING_RUN}`);
    const figure = async (label: string) => (await screen.findByText(label)).parentElement;
    expect(await figure("Elapsed")).toHaveTextContent(/2m \d+s/);
    await waitFor(async () => expect(await figure("Round")).toHaveTextContent("Round1"));
    expect(await figure("Step")).toHaveTextContent("Patch code");
    expect((await screen.findAllByText("Fixes so far"))[0]?.parentElement).toHaveTextContent("Fixes so far1");
  });

  it("leads from a run of a source to the source", async () => {
    renderApp(`/runs/${SOURCE_RUN}`);
    expect(await screen.findByRole("link", { name: "Open the source" })).toHaveAttribute("href", "/sources/desk-lamp");
  });

  it("says why a run that was given up has no results, and has its task done again", async () => {
    const world = use(makeWorld());
    const { user } = renderApp(`/runs/${GIVEN_UP_RUN}`);
    expect(await screen.findByText("Given up after too many failures")).toBeVisible();
    expect(await screen.findByText("No space left on device.")).toBeVisible();
    expect(screen.queryByRole("tab", { name: "Report" })).toBeNull();
    const agents = await screen.findByRole("list", { name: "Agents" });
    await waitFor(() =>
      expect(
        within(agents)
          .getAllByRole("listitem")
          .map((node) => node.dataset.state),
      ).toEqual(["done", "done", "done", "done", "done", "stopped", "waiting", "waiting", "stopped"]),
    );
    await user.click(screen.getByRole("button", { name: "Retry task 896" }));
    expect(await screen.findByText("Task 896 is in the queue again")).toBeVisible();
    expect(world.tasks.find(({ taskId }) => taskId === 896)?.state).toBe("PENDING");
    await waitFor(() => expect(screen.queryByRole("button", { name: "Retry task 896" })).toBeNull());
  });

  it("says of a run that was cancelled no more than that", async () => {
    renderApp(`/runs/${CANCELLED_RUN}`);
    expect(await screen.findByText("Cancelled before it came to a result")).toBeVisible();
    expect(screen.getByText("Cancelled")).toHaveAttribute("data-tone", "neutral");
    expect(await screen.findByRole("button", { name: "Retry task 897" })).toBeVisible();
  });

  it("says that there is no such run", async () => {
    renderApp("/runs/nobody");
    expect(await screen.findByText("There is no such run")).toBeVisible();
  });
});
