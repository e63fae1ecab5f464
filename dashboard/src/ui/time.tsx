import { useEffect, useState, useSyncExternalStore } from "react";
import { formatMillis, formatRelative } from "./format";

/** One clock for all times on the page: it ticks while anything shows a time. */
const TICK_MILLIS = 15_000;
let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  now = Date.now();
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, TICK_MILLIS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time, to a quarter of a minute. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

const full = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium" });
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** A moment, relative to now; the exact time is its tooltip. */
export function Time({ at }: { at: string | undefined | null }) {
  const now = useNow();
  const millis = at ? Date.parse(at) : Number.NaN;
  if (Number.isNaN(millis)) return <span className="text-muted">never</span>;
  return (
    <time dateTime={at ?? undefined} title={full.format(millis)} className="whitespace-nowrap">
      {formatRelative(millis, now)}
    </time>
  );
}

/** A moment to the second, for logs and timelines; `day` says the day as well. */
export function Moment({ at, day = false }: { at: string; day?: boolean }) {
  const millis = Date.parse(at);
  if (Number.isNaN(millis)) return <span>{at}</span>;
  return (
    <time dateTime={at} title={full.format(millis)} className="whitespace-nowrap">
      {day ? full.format(millis) : clock.format(millis)}
    </time>
  );
}

/** The time since a moment, to the second. */
export function Elapsed({ since }: { since: string }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const millis = Math.max(0, now - Date.parse(since));
  return <span>{Number.isNaN(millis) ? "–" : formatMillis(millis - (millis % 1_000) || 1_000)}</span>;
}
