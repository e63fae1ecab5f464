import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { CANCELLED_RUN, GIVEN_UP_RUN, HEALED_RUN, makeEmptyWorld, makeWorld, RUNNING_RUN } from "../mocks/world";
import { renderApp } from "../test/render-app";
import { use } from "../test/server";

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
    await user.type(screen.getByLabelText("Target"), "nowhere{Enter}");
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
