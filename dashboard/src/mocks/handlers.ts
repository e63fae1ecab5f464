/** The mock API: the same for unit tests, for development and for the tests in a browser. */

import { http, HttpResponse } from "msw";
import { failure, filtered, pageOf } from "./answers";
import { healHandlers } from "./heal-handlers";
import { runHandlers } from "./run-handlers";
import { sourceHandlers } from "./source-handlers";
import type { World } from "./world";

function overviewOf(world: World) {
  const count = <T>(rows: readonly T[], fits: (row: T) => boolean) => rows.filter(fits).length;
  return {
    queue: {
      pending: count(world.tasks, ({ state }) => state === "PENDING"),
      running: count(world.tasks, ({ state }) => state === "IN_PROGRESS"),
    },
    runs: { today: world.runs.length, healed: count(world.runs, ({ state }) => state === "healed") },
    sources: {
      active: count(world.sources, ({ state }) => state === "ACTIVE"),
      degraded: count(world.sources, ({ state }) => state === "DEGRADED"),
      quarantined: count(world.sources, ({ state }) => state === "QUARANTINED"),
      dead: count(world.sources, ({ state }) => state === "DEAD"),
    },
    alertsToday: count(world.alerts, () => true),
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
    http.get("*/api/usage", () => HttpResponse.json({ rows: world.usage })),
    ...healHandlers(world),
    ...runHandlers(world),
    ...sourceHandlers(world),
  ];
}
