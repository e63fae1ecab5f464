import { act, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { http, HttpResponse } from "msw";
import { Suspense } from "react";
import { describe, expect, it, vi } from "vitest";
import { makeWorld } from "../mocks/world";
import { watchConnection } from "../store/connection";
import { takeTokenFromAddress } from "../store/session";
import { useTheme, watchTheme } from "../store/theme";
import { renderApp } from "../test/render-app";
import { server, use } from "../test/server";
import { lazyPart } from "../ui/lazy-part";
import { ErrorBoundary } from "./error-boundary";

function Crash(): never {
  throw new Error("a part broke");
}

describe("the frame of the pages", () => {
  it("asks for the token when the server wants one, and goes on with it", async () => {
    use({ ...makeWorld(), token: "open sesame" });
    const { user } = renderApp("/alerts");
    const dialog = await screen.findByRole("dialog", { name: "The server wants a token" });
    await user.click(within(dialog).getByRole("button", { name: "Continue" }));
    expect(within(dialog).getByLabelText("Token")).toBeInvalid();
    await user.type(within(dialog).getByLabelText("Token"), "open sesame{Enter}");
    expect(await screen.findByText("tide-table")).toBeVisible();
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(sessionStorage.getItem("autoheal-session")).toContain("open sesame");
    expect(JSON.stringify(localStorage)).not.toContain("open sesame");
  });

  it("takes the token from the address that the server prints, and leaves none there", async () => {
    use({ ...makeWorld(), token: "open sesame" });
    history.replaceState({}, "", "/alerts?kind=DEAD#token=open%20sesame");
    takeTokenFromAddress();
    expect(location.hash).toBe("");
    expect(location.search).toBe("?kind=DEAD");
    history.replaceState({}, "", "/");
    renderApp("/alerts");
    expect(await screen.findByText("tide-table")).toBeVisible();
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("says that a token was not accepted", async () => {
    use({ ...makeWorld(), token: "open sesame" });
    const { user } = renderApp("/alerts");
    await user.type(await screen.findByLabelText("Token"), "wrong{Enter}");
    expect(await screen.findByText(/is not accepted/)).toBeVisible();
  });

  it("says when the network is away, and when it is back", () => {
    const stop = watchConnection();
    renderApp("/alerts");
    act(() => void window.dispatchEvent(new Event("offline")));
    expect(screen.getByText(/You are offline/)).toBeVisible();
    act(() => void window.dispatchEvent(new Event("online")));
    expect(screen.queryByText(/You are offline/)).toBeNull();
    stop();
  });

  it("says when the server does not answer, and loads on demand", async () => {
    server.use(http.get("*/api/alerts", () => HttpResponse.error(), { once: true }));
    const { user } = renderApp("/alerts");
    const alert = await screen.findByRole("alert");
    expect(alert).toHaveTextContent("The server cannot be reached");
    await user.click(within(alert).getByRole("button", { name: "Retry" }));
    expect(await screen.findByText("tide-table")).toBeVisible();
    expect(screen.queryByText(/does not answer/)).toBeNull();
  });

  it("keeps what it shows when a refresh fails, and says so once", async () => {
    const { client } = renderApp("/alerts");
    expect(await screen.findByText("tide-table")).toBeVisible();
    server.use(http.get("*/api/*", () => HttpResponse.error()));
    await act(() => client.refetchQueries());
    expect(screen.getByText("tide-table")).toBeVisible();
    const notices = screen.getByRole("region", { name: "Notices" });
    expect(within(notices).getAllByRole("listitem")).toHaveLength(1);
    expect(notices).toHaveTextContent("The server cannot be reached");
  });

  it("leads a keyboard to the content, and the focus to a new page", async () => {
    const { user } = renderApp("/alerts");
    await user.tab();
    expect(screen.getByRole("link", { name: "Skip to content" })).toHaveFocus();
    const [navigation] = screen.getAllByRole("navigation", { name: "Main" });
    await user.click(within(navigation as HTMLElement).getByRole("link", { name: /Usage/ }));
    expect(await screen.findByRole("heading", { name: "Usage and cost" })).toBeVisible();
    expect(screen.getByRole("main")).toHaveFocus();
    expect(document.title).toBe("Usage and cost · autoheal");
  });

  it("closes its menu on Escape, and the focus returns to the button", async () => {
    const { user } = renderApp("/alerts");
    const button = screen.getByRole("button", { name: "Menu" });
    await user.click(button);
    expect(button).toHaveAttribute("aria-expanded", "true");
    await user.keyboard("{Tab}{Escape}");
    expect(button).toHaveAttribute("aria-expanded", "false");
    expect(button).toHaveFocus();
  });

  it("wears the chosen theme", () => {
    const stop = watchTheme();
    act(() => useTheme.getState().setTheme("dark"));
    expect(document.documentElement.dataset.theme).toBe("dark");
    act(() => useTheme.getState().setTheme("system"));
    expect(document.documentElement.dataset.theme).toBeUndefined();
    stop();
  });

  it("says what to do at an address without a page", async () => {
    const { user } = renderApp("/nowhere");
    await user.click(screen.getByRole("link", { name: "Go to the overview" }));
    expect(await screen.findByRole("heading", { name: "Overview" })).toBeVisible();
  });
});

describe("a part that cannot be loaded", () => {
  const Part = () => lazyPart(() => Promise.reject(new TypeError("Failed to fetch dynamically imported module")));

  function show(Missing: ReturnType<typeof Part>) {
    render(
      <ErrorBoundary>
        <Suspense>
          <Missing />
        </Suspense>
      </ErrorBoundary>,
    );
  }

  it("says that the server cannot be reached", async () => {
    server.use(http.get("*/healthz", () => HttpResponse.error()));
    show(Part());
    const alert = await screen.findByRole("alert");
    expect(alert).toHaveTextContent("The server cannot be reached");
    await userEvent.click(within(alert).getByRole("button", { name: "Try again" }));
    expect(alert).toHaveTextContent("The server cannot be reached");
  });

  it("says that the page has a newer version when the server answers", async () => {
    server.use(http.get("*/healthz", () => HttpResponse.json({})));
    show(Part());
    expect(await screen.findByRole("alert")).toHaveTextContent("This page has a newer version");
    expect(screen.getByRole("button", { name: "Reload" })).toBeEnabled();
  });
});

describe("ErrorBoundary", () => {
  it("offers to reload, tells the console, and reports to the sink", async () => {
    const meta = document.createElement("meta");
    meta.name = "autoheal-error-sink";
    meta.content = "https://sink.example/errors";
    document.head.append(meta);
    const reports: unknown[] = [];
    server.use(
      http.post("https://sink.example/errors", async ({ request }) => {
        reports.push(await request.json());
        return new HttpResponse(null, { status: 204 });
      }),
    );
    render(
      <ErrorBoundary>
        <Crash />
      </ErrorBoundary>,
    );
    expect(screen.getByRole("alert")).toHaveTextContent("This part of the page crashed");
    expect(screen.getByRole("button", { name: "Reload" })).toBeEnabled();
    await vi.waitFor(() => expect(reports).toHaveLength(1));
    expect(reports[0]).toMatchObject({ message: "a part broke", page: "/" });
    expect(vi.mocked(console.error).mock.calls.flat()).toContainEqual(new Error("a part broke"));
    meta.remove();
  });
});
