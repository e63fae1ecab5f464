/** What a person enters to add a source, and what becomes of it. */

import type { HealPolicy, NewSource, WhenUncertain } from "../api/types";
import { safeAddress } from "../ui/safe-link";

export interface SourceFormValues {
  url: string;
  name: string;
  minutes: string;
  schedule: string;
  healPolicy: HealPolicy;
  onUncertain: WhenUncertain;
  render: boolean;
  examples: readonly { field: string; value: string }[];
}

export const EMPTY_SOURCE: SourceFormValues = {
  url: "",
  name: "",
  // The default of the command line: six hours.
  minutes: "360",
  schedule: "",
  healPolicy: "auto",
  onUncertain: "skip_run",
  render: false,
  examples: [],
};

/** State of the browser's history while a source is added: the input, and the reason if it could not be added. */
export interface AddingState {
  adding: SourceFormValues;
  reason?: string | undefined;
}

/** Returns the state that this page left in the browser's history, if there is one. */
export function addingState(state: unknown): AddingState | undefined {
  if (typeof state !== "object" || state === null || !("adding" in state)) return undefined;
  const { adding } = state;
  if (typeof adding !== "object" || adding === null || !("url" in adding)) return undefined;
  const reason = "reason" in state && typeof state.reason === "string" ? state.reason : undefined;
  return { adding: { ...EMPTY_SOURCE, ...(adding as Partial<SourceFormValues>) }, reason };
}

export type SourceFieldName = "url" | "name" | "minutes";

/** What is wrong with a field, if anything is. */
export function sourceProblem(name: SourceFieldName, values: SourceFormValues): string | undefined {
  const text = values[name].trim();
  switch (name) {
    case "url":
      if (!text) return "Enter the address of the page.";
      return safeAddress(text) ? undefined : "It must begin with https:// or http://.";
    case "name":
      return text === "" || /^[\w.-]{1,64}$/.test(text)
        ? undefined
        : "Use letters, digits, `.`, `-` and `_` only, 64 at most.";
    case "minutes":
      return /^[1-9]\d{0,5}$/.test(text) ? undefined : "Enter a whole number of minutes, 1 or more.";
  }
}

/** The request of a form without problems. */
export function sourceRequest(values: SourceFormValues): NewSource {
  const examples = values.examples
    .map(({ field, value }) => [field.trim(), value.trim()] as const)
    .filter(([field, value]) => field && value);
  return {
    url: values.url.trim(),
    intervalSeconds: Number(values.minutes) * 60,
    healPolicy: values.healPolicy,
    onUncertain: values.onUncertain,
    ...(values.name.trim() && { name: values.name.trim() }),
    ...(values.schedule.trim() && { schedule: values.schedule.trim() }),
    ...(values.render && { render: true }),
    ...(examples.length > 0 && { examples: Object.fromEntries(examples) }),
  };
}
