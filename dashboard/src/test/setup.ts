import "@testing-library/jest-dom/vitest";
import { cleanup, configure } from "@testing-library/react";
import { afterAll, afterEach, beforeAll, beforeEach, vi } from "vitest";
import type { StoreApi } from "zustand";
import { makeWorld } from "../mocks/world";
import { useBulk } from "../store/bulk";
import { useConnection } from "../store/connection";
import { useHealingStore } from "../store/healing";
import { useLists } from "../store/lists";
import { useSession } from "../store/session";
import { useShortcuts } from "../store/shortcuts";
import { useTheme } from "../store/theme";
import { useToasts } from "../store/toasts";
import { useViews } from "../store/views";
import { server, use } from "./server";

// A slow machine is not a failure: what is waited for comes, or the test is wrong.
configure({ asyncUtilTimeout: 20_000 });

// What jsdom lacks: dialogs, sizes of elements, scrolling.
HTMLDialogElement.prototype.showModal = function () {
  this.open = true;
};
HTMLDialogElement.prototype.close = function () {
  this.open = false;
};
globalThis.ResizeObserver = class {
  observe() {}
  unobserve() {}
  disconnect() {}
};
HTMLElement.prototype.scrollIntoView = () => undefined;
window.scrollTo = () => undefined;
HTMLElement.prototype.getBoundingClientRect = () => new DOMRect(0, 0, 240, 112);

/** Brings a store back to how it began: a page is loaded once, a test many times. */
function renew<T>(store: StoreApi<T>) {
  store.setState(store.getInitialState(), true);
}

beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
beforeEach(() => {
  use(makeWorld());
  // Details of errors go to the console; tests that are about them look at this.
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  cleanup();
  server.resetHandlers();
  renew(useBulk);
  renew(useConnection);
  renew(useHealingStore);
  renew(useLists);
  renew(useSession);
  renew(useShortcuts);
  renew(useTheme);
  renew(useToasts);
  renew(useViews);
  sessionStorage.clear();
  localStorage.clear();
  vi.restoreAllMocks();
});
afterAll(() => server.close());
