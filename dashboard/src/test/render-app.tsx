import { render } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { makeQueryClient } from "../api/query-client";
import { App } from "../app";

/** Nothing is tried again by itself unless a test is about that. */
export function makeTestClient() {
  const client = makeQueryClient();
  const defaults = client.getDefaultOptions();
  client.setDefaultOptions({ ...defaults, queries: { ...defaults.queries, retry: false, refetchInterval: false } });
  return client;
}

/** The whole application at an address. */
export function renderApp(path: string, client = makeTestClient()) {
  const view = render(
    <MemoryRouter initialEntries={[path]}>
      <App client={client} />
    </MemoryRouter>,
  );
  return { ...view, client, user: userEvent.setup() };
}
