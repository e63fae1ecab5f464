/** The mock API: the same for unit tests, for development and for the tests in a browser. */

import { http, HttpResponse } from "msw";
import type { Need } from "../api/types";
import { failure, filtered, pageOf } from "./answers";
import { healHandlers } from "./heal-handlers";
import { runHandlers } from "./run-handlers";
import { sourceHandlers } from "./source-handlers";
import type { World } from "./world";

function outcomesOf({ runs }: World): Record<string, number> {
  const outcomes: Record<string, number> = {};
  for (const { state } of runs) if (state !== "running") outcomes[state] = (outcomes[state] ?? 0) + 1;
  return outcomes;
}

/** What needs a person, as the server derives it from the state. */
function needsOf({ sources, tasks, runs, clock }: World): Need[] {
  const reviews = sources.filter(({ waitsForApproval }) => waitsForApproval);
  const quarantined = sources.filter(({ state }) => state === "QUARANTINED");
  const dead = tasks.filter(({ state }) => state === "QUARANTINED");
  const fixed = runs.filter(({ kind, state }) => kind === "HEAL_REPO" && state === "fixed").slice(0, 1);
  return [
    ...reviews.map(({ name }): Need => ({ kind: "REVIEW", target: name, since: clock.ago(50), version: 3 })),
    ...quarantined.map(({ name }): Need => ({ kind: "QUARANTINE", target: name, since: clock.ago(300) })),
    ...dead.map(({ taskId, target, errorMessage }): Need => ({
      kind: "DEAD_LETTER",
      target,
      since: clock.ago(88),
      taskId,
      message: errorMessage,
    })),
    ...fixed.map(({ runId, taskId, target, finishedAt }): Need => ({
      kind: "MERGE",
      target,
      since: finishedAt ?? clock.ago(29),
      taskId,
      runId,
      branch: "NIGHT_SHIFT_ADA_LOVELACE_AI_Fix",
    })),
  ];
}

function overviewOf(world: World) {
  const count = <T>(rows: readonly T[], fits: (row: T) => boolean) => rows.filter(fits).length;
  return {
    queue: {
      pending: count(world.tasks, ({ state }) => state === "PENDING"),
      running: count(world.tasks, ({ state }) => state === "IN_PROGRESS"),
    },
    runs: { today: world.runs.length, outcomes: outcomesOf(world) },
    sources: {
      active: count(world.sources, ({ state }) => state === "ACTIVE"),
      degraded: count(world.sources, ({ state }) => state === "DEGRADED"),
      quarantined: count(world.sources, ({ state }) => state === "QUARANTINED"),
      dead: count(world.sources, ({ state }) => state === "DEAD"),
    },
    alertsToday: count(world.alerts, () => true),
    needsYou: needsOf(world).length,
    localRepositories: false,
    version: "0.6.0",
  };
}

export function handlersFor(world: World) {
  return [
    // A server with a token refuses whoever does not show it, whatever the address.
    http.all("*/api/*", ({ request }) => {
      const refused = world.token !== undefined && request.headers.get("Authorization") !== `Bearer ${world.token}`;
      return refused ? failure(401, "UNAUTHORIZED", "a token is needed") : undefined;
    }),
    http.get("*/api/overview", () => HttpResponse.json(overviewOf(world))),
    http.get("*/api/openapi.json", async () => HttpResponse.json((await import("../../../openapi.json")).default)),
    http.get("*/api/alerts", ({ request }) => {
      const { page, next } = pageOf(filtered(world.alerts, request, ["target"]), request, ({ alertId }) => alertId);
      return HttpResponse.json({ alerts: page, next });
    }),
    http.get("*/api/needs", () => HttpResponse.json({ needs: needsOf(world) })),
    http.get("*/api/trends", () => HttpResponse.json(world.trends)),
    http.get("*/api/usage", () => HttpResponse.json({ rows: world.usage })),
    ...healHandlers(world),
    ...runHandlers(world),
    ...sourceHandlers(world),
  ];
}
