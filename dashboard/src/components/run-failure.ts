/** The failure of a run, from its result document. The document comes from outside: anything else in it is ignored. */

import type { Run, RunSummary } from "../api/types";
import { RUN_LOOKS, lookOf } from "./tones";

/** Returns whether a run is over and did not succeed. */
export function isFailed({ state }: RunSummary): boolean {
  return lookOf(RUN_LOOKS, state).tone === "bad";
}

/** Returns the error that a run of a source left in its document. */
export function failureOf({ run, document }: Run): string | undefined {
  if (!isFailed(run) || !document) return undefined;
  const { error, failure } = document;
  if (typeof error === "string" && error !== "") return error;
  if (typeof failure !== "object" || failure === null || !("message" in failure)) return undefined;
  return typeof failure.message === "string" && failure.message !== "" ? failure.message : undefined;
}
