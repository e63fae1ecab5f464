/** The mock API in the browser, for `npm run dev:mock` and the tests in Chromium. */

import { setupWorker } from "msw/browser";
import { handlersFor } from "./handlers";
import { makeEmptyWorld, makeWorld } from "./world";

const LIVE_PACE_MILLIS = 400;

/** Starts it. `?world=empty` in the first address shows an installation without anything in it. */
export async function startMockApi(): Promise<void> {
  const isEmpty = new URLSearchParams(window.location.search).get("world") === "empty";
  const world = { ...(isEmpty ? makeEmptyWorld() : makeWorld()), pace: LIVE_PACE_MILLIS };
  await setupWorker(...handlersFor(world)).start({ quiet: true, onUnhandledRequest: "bypass" });
}
