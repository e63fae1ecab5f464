/** The events of a run, live: replayed from the beginning, followed to the end, taken up again after a break. */

import { useSyncExternalStore } from "react";
import { apiBase, guardedFetch } from "./client";
import { mayPass } from "./describe";
import { ApiError } from "./errors";
import { eventsOf } from "./event-stream";
import { logError } from "./report";
import type { RunEvent } from "./types";

export type FeedState = "connecting" | "live" | "broken" | "ended";

export interface Feed {
  events: readonly RunEvent[];
  /** What the running node said last; not kept by the server. */
  progress: string | undefined;
  state: FeedState;
}

const FIRST_PAUSE_MILLIS = 1_000;
const LONGEST_PAUSE_MILLIS = 30_000;
/** A feed that a page returns to within this time goes on where it was. */
const LINGER_MILLIS = 30_000;

function readEvent(data: string): RunEvent | undefined {
  try {
    return JSON.parse(data) as RunEvent;
  } catch (error) {
    logError("an event could not be read", error);
    return undefined;
  }
}

class RunFeed {
  private feed: Feed = { events: [], progress: undefined, state: "connecting" };
  private readonly listeners = new Set<() => void>();
  private stop: AbortController | undefined;
  private pause: ReturnType<typeof setTimeout> | undefined;
  private failures = 0;

  constructor(
    private readonly runId: string,
    private readonly forget: () => void,
  ) {}

  readonly snapshot = (): Feed => this.feed;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    clearTimeout(this.pause);
    if (!this.stop && this.feed.state !== "ended") void this.follow();
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size > 0) return;
      this.stop?.abort();
      this.stop = undefined;
      clearTimeout(this.pause);
      this.pause = setTimeout(this.forget, LINGER_MILLIS);
    };
  };

  private change(feed: Partial<Feed>): void {
    this.feed = { ...this.feed, ...feed };
    for (const listener of this.listeners) listener();
  }

  private async follow(): Promise<void> {
    const stop = new AbortController();
    this.stop = stop;
    const after = this.feed.events.at(-1)?.sequence ?? 0;
    try {
      const address = `${apiBase}/api/runs/${encodeURIComponent(this.runId)}/events?after=${after}`;
      const headers = { Accept: "text/event-stream" };
      const response = await guardedFetch(new Request(address, { headers, signal: stop.signal }));
      this.failures = 0;
      this.change({ state: "live" });
      for await (const { type, data } of eventsOf(response)) {
        if (stop.signal.aborted) return;
        if (type === "end") {
          this.stop = undefined;
          this.change({ state: "ended", progress: undefined });
          return;
        }
        const event = readEvent(data);
        if (event) this.take(event);
      }
    } catch (error) {
      if (stop.signal.aborted) return;
      logError("the live events broke off", error);
      // The server refuses: asking again is of no use until the page is opened anew.
      if (error instanceof ApiError && !mayPass(error)) {
        this.stop = undefined;
        this.change({ state: "broken" });
        return;
      }
    }
    if (stop.signal.aborted) return;
    this.change({ state: "broken" });
    this.pause = setTimeout(
      () => void this.follow(),
      Math.min(FIRST_PAUSE_MILLIS * 2 ** this.failures, LONGEST_PAUSE_MILLIS),
    );
    this.failures += 1;
  }

  private take(event: RunEvent): void {
    if (event.type === "progress") {
      this.change({ progress: event.message });
      return;
    }
    // Another machine goes on from what was stored: what was told from this number on never happened.
    const resumes = event.type === "run_resumed";
    const kept = resumes ? this.feed.events.filter(({ sequence }) => sequence < event.sequence) : this.feed.events;
    // A replay may overlap what is there.
    const last = kept.at(-1)?.sequence ?? 0;
    if (event.sequence > last) this.change({ events: [...kept, event], progress: undefined });
  }
}

const feeds = new Map<string, RunFeed>();

function feedOf(runId: string): RunFeed {
  let feed = feeds.get(runId);
  if (!feed) {
    feed = new RunFeed(runId, () => feeds.delete(runId));
    feeds.set(runId, feed);
  }
  return feed;
}

/** The events of a run. All who watch one run share one connection. */
export function useRunFeed(runId: string): Feed {
  const feed = feedOf(runId);
  return useSyncExternalStore(feed.subscribe, feed.snapshot);
}
