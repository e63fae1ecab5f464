/** How figures and times are written. */

import type { ModelUsage } from "../api/types";

const LANGUAGE = "en";
const whole = new Intl.NumberFormat(LANGUAGE);
const short = new Intl.NumberFormat(LANGUAGE, { notation: "compact", maximumFractionDigits: 1 });
const DOLLARS = { style: "currency", currency: "USD", maximumFractionDigits: 4 } as const;
const dollars = new Intl.NumberFormat(LANGUAGE, DOLLARS);
const exactDollars = new Intl.NumberFormat(LANGUAGE, { ...DOLLARS, minimumFractionDigits: 4 });
const relative = new Intl.RelativeTimeFormat(LANGUAGE, { numeric: "auto", style: "short" });

export const formatNumber = (value: number): string => whole.format(value);
export const formatShort = (value: number): string => short.format(value);
/** Money comes in millionths of a dollar, so that sums of it are exact. */
export const formatDollars = (microDollars: number): string => dollars.format(microDollars / 1_000_000);
/** The same for columns, where all have as many digits. */
export const formatDollarsInColumn = (microDollars: number): string => exactDollars.format(microDollars / 1_000_000);

/** A plural by rule: all our nouns take an `s`, or say how they differ. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${whole.format(count)} ${count === 1 ? noun : plural}`;
}

/** What a run has asked of language models: `2 questions to a model, 3,566 tokens, $0.0123`. */
export function usageOf(usage: ModelUsage): string {
  const { calls, inputTokens, outputTokens, microDollars, unpricedCalls } = usage;
  const cost = unpricedCalls === calls ? "unknown price" : formatDollars(microDollars);
  const missing =
    unpricedCalls > 0 && unpricedCalls < calls ? ` and ${whole.format(unpricedCalls)} of unknown price` : "";
  const questions = counted(calls, "question");
  return `${questions} to a model, ${counted(inputTokens + outputTokens, "token")}, ${cost}${missing}`;
}

/** A duration as people say it: `340 ms`, `12 s`, `4m 22s`, `2h 5m`. */
export function formatMillis(millis: number): string {
  if (millis < 1_000) return `${Math.round(millis)} ms`;
  const seconds = Math.floor(millis / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${seconds % 60}s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h ${minutes % 60}m` : `${Math.floor(hours / 24)} days`;
}

/** An interval in its largest whole unit: `every 15 min`. */
export function formatInterval(seconds: number): string {
  if (seconds % 86_400 === 0) return seconds === 86_400 ? "every day" : `every ${seconds / 86_400} days`;
  if (seconds % 3_600 === 0) return seconds === 3_600 ? "every hour" : `every ${seconds / 3_600} h`;
  if (seconds % 60 === 0) return seconds === 60 ? "every minute" : `every ${seconds / 60} min`;
  return `every ${seconds} s`;
}

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

/** How long ago, or in how long. */
export function formatRelative(at: number, now: number): string {
  const distance = at - now;
  for (const [unit, millis] of UNITS) {
    if (Math.abs(distance) >= millis) return relative.format(Math.trunc(distance / millis), unit);
  }
  return distance > 1_000 ? "in a moment" : "just now";
}

/** A name in capitals or with underscores, for people: `TYPE_ERROR` is `Type error`. */
export function words(name: string): string {
  const text = name
    .replaceAll("_", " ")
    .toLowerCase()
    .trim()
    .replace(/\bci\b/, "CI");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
