/** The mock API, for tests. */

import { setupServer } from "msw/node";
import { handlersFor } from "../mocks/handlers";
import type { World } from "../mocks/world";

export const server = setupServer();

/** Has the server answer from this world until the end of the test. */
export function use(world: World): World {
  server.resetHandlers(...handlersFor(world));
  return world;
}
