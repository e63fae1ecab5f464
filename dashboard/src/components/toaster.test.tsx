import { act, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { useToasts } from "../store/toasts";
import { Toaster } from "./toaster";

describe("good news", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  function pass(millis: number) {
    act(() => {
      vi.advanceTimersByTime(millis);
    });
  }

  it("goes by itself, and stays longer if it has a button", () => {
    render(<Toaster />);
    const { show } = useToasts.getState();
    act(() => {
      show({ key: "plain", tone: "good", title: "The source is changed" });
      show({ key: "undo", tone: "good", title: "The fix is rejected", action: { label: "Undo", act: vi.fn() } });
    });
    pass(6_000);
    expect(screen.queryByText("The source is changed")).toBeNull();
    expect(screen.getByText("The fix is rejected")).toBeVisible();
    pass(15_000);
    expect(screen.queryByText("The fix is rejected")).toBeNull();
  });

  it("goes when its button is pressed, which acts once", () => {
    const undo = vi.fn();
    render(<Toaster />);
    act(() =>
      useToasts.getState().show({ key: "a", tone: "good", title: "Done", action: { label: "Undo", act: undo } }),
    );
    fireEvent.click(screen.getByRole("button", { name: "Undo" }));
    expect(undo).toHaveBeenCalledOnce();
    expect(screen.queryByText("Done")).toBeNull();
  });
});
