import { renderHook, waitFor } from "@testing-library/react";
import { http, HttpResponse } from "msw";
import { describe, expect, it } from "vitest";
import { server } from "../test/server";
import { useRunFeed } from "./run-feed";
import type { RunEvent } from "./types";

const at = "2026-11-20T10:00:00Z";
const note = (sequence: number, message: string): RunEvent => ({
  sequence,
  at,
  type: "note",
  node: "plan",
  topic: "plan",
  message,
});
const resumed = (sequence: number): RunEvent => ({ sequence, at, type: "run_resumed", node: "plan" });
const progress: RunEvent = { sequence: 0, at, type: "progress", node: "plan", message: "half way" };

/** Follows a run whose connections tell these events one after the other and break; the last one stays open. */
function follow(runId: string, ...connections: RunEvent[][]) {
  const asked: string[] = [];
  server.use(
    http.get(`*/api/runs/${runId}/events`, ({ request }) => {
      const events = connections[asked.length] ?? [];
      asked.push(new URL(request.url).searchParams.get("after") ?? "");
      const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
      const stream = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(text));
          if (asked.length < connections.length) controller.close();
        },
      });
      return new HttpResponse(stream);
    }),
  );
  const { result } = renderHook(() => useRunFeed(runId));
  const told = () =>
    result.current.events.map((event) => `${event.sequence} ${event.type === "note" ? event.message : event.type}`);
  return { result, told, asked };
}

describe("the live events of a run", () => {
  it("forget what another machine that takes the run up never stored", async () => {
    const { told } = follow("phantoms", [
      note(1, "a"),
      note(2, "b"),
      note(3, "lost"),
      note(4, "lost"),
      resumed(3),
      note(4, "c"),
      note(5, "d"),
    ]);
    await waitFor(() => expect(told()).toEqual(["1 a", "2 b", "3 run_resumed", "4 c", "5 d"]));
  });

  it("come once, also when a reconnection tells them again from where the run was taken up", async () => {
    const { told, asked } = follow(
      "replay",
      [note(1, "a"), note(2, "lost"), resumed(2), note(3, "b"), note(4, "lost")],
      [resumed(2), note(3, "b"), resumed(4), note(5, "c")],
    );
    await waitFor(() => expect(told()).toEqual(["1 a", "2 run_resumed", "3 b", "4 run_resumed", "5 c"]));
    expect(asked).toEqual(["0", "4"]);
  });

  it("drop what the lost node said last", async () => {
    const { result, told } = follow("progress", [note(1, "a"), note(2, "lost"), progress], [resumed(2)]);
    await waitFor(() => expect(result.current.progress).toBe("half way"));
    await waitFor(() => expect(told()).toEqual(["1 a", "2 run_resumed"]));
    expect(result.current.progress).toBeUndefined();
  });
});
