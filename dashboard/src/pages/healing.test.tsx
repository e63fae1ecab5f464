import { screen } from "@testing-library/react";
import { http, HttpResponse } from "msw";
import { describe, expect, it } from "vitest";
import { POLL_MILLIS, WATCH_MILLIS } from "../api/status";
import { makeWorld } from "../mocks/world";
import { useHealingStore } from "../store/healing";
import { makeTestClient, renderApp } from "../test/render-app";
import { server, use } from "../test/server";

async function fillIn(user: ReturnType<typeof renderApp>["user"]) {
  await user.type(screen.getByLabelText("Repository"), "https://github.com/night-shift/ledger");
  await user.type(screen.getByLabelText("Team"), "Night Shift");
  await user.type(screen.getByLabelText("Leader"), "Ada{Enter}");
}

describe("healing a repository", () => {
  it("goes from the form over the steps to the results", async () => {
    const { user, client } = renderApp("/");
    await fillIn(user);
    expect(await screen.findByRole("heading", { name: "night-shift/ledger" })).toBeVisible();
    const { jobId } = useHealingStore.getState();
    const ask = () => client.refetchQueries({ queryKey: ["status", jobId] });
    // The mock server goes one step further each time it is asked.
    await ask();
    expect(await screen.findByRole("listitem", { current: "step" })).toBeVisible();
    for (let step = 1; step <= 7; step += 1) await ask();
    expect(await screen.findByRole("region", { name: "Run summary" })).toHaveTextContent(
      "NIGHT_SHIFT_ADA_LOVELACE_AI_Fix",
    );
    expect(await screen.findByTestId("final-score")).toHaveTextContent("110");
    expect(screen.getByText("Completed")).toBeVisible();
  });

  it("says in the form why a repository was not taken", async () => {
    server.use(
      http.post("*/api/heal", () =>
        HttpResponse.json(
          { error: { code: "CONFLICT", message: "it is being healed for another team", details: {} } },
          { status: 409 },
        ),
      ),
    );
    const { user } = renderApp("/");
    await fillIn(user);
    expect(await screen.findByText("It is being healed for another team.")).toBeVisible();
    expect(screen.getByRole("button", { name: "Heal repository" })).toBeEnabled();
  });

  it("says why a job failed", async () => {
    server.use(
      http.get("*/api/status/:jobId", () =>
        HttpResponse.json({ jobId: "j", status: "failed", error: "The repository could not be cloned." }),
      ),
    );
    renderApp("/jobs/j");
    expect(await screen.findByText("The repository could not be cloned.")).toBeVisible();
    expect(screen.getByRole("link", { name: "Try another repository" })).toBeVisible();
  });

  it("offers to go on with a job that was cancelled", async () => {
    const world = use(makeWorld());
    server.use(
      http.get("*/api/status/:jobId", () =>
        HttpResponse.json({ jobId: "j", status: "failed", error: "it was cancelled before it came to a result" }),
      ),
      http.get("*/api/jobs/:jobId", () =>
        HttpResponse.json({ jobId: "j", task: world.tasks.find(({ state }) => state === "CANCELLED") }),
      ),
    );
    renderApp("/jobs/j");
    expect(await screen.findByText("Cancelled before it came to a result")).toBeVisible();
    expect(screen.getByText("Cancelled")).toHaveAttribute("data-tone", "neutral");
    expect(screen.getByRole("button", { name: "Retry task 897" })).toBeVisible();
  });

  it("says that there is no such job", async () => {
    renderApp("/jobs/nobody");
    expect(await screen.findByText("There is no such job")).toBeVisible();
  });

  it("offers to go on when it has watched for too long", async () => {
    server.use(http.get("*/api/status/:jobId", () => HttpResponse.json({ jobId: "j", status: "running" })));
    useHealingStore.getState().watch("j", Date.now() - WATCH_MILLIS - POLL_MILLIS);
    const { user } = renderApp("/jobs/j", makeTestClient());
    await user.click(await screen.findByRole("button", { name: "Keep watching" }));
    expect(screen.queryByRole("button", { name: "Keep watching" })).toBeNull();
  });
});
