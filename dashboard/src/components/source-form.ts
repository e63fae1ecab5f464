/** What a person enters to add a source, and what becomes of it. */

import type { HealPolicy, NewSource } from "../api/types";
import { safeAddress } from "../ui/safe-link";

export interface SourceFormValues {
  url: string;
  name: string;
  minutes: string;
  schedule: string;
  healPolicy: HealPolicy;
  render: boolean;
  examples: readonly { field: string; value: string }[];
}

export const EMPTY_SOURCE: SourceFormValues = {
  url: "",
  name: "",
  minutes: "60",
  schedule: "",
  healPolicy: "auto",
  render: false,
  examples: [],
};

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
    ...(values.name.trim() && { name: values.name.trim() }),
    ...(values.schedule.trim() && { schedule: values.schedule.trim() }),
    ...(values.render && { render: true }),
    ...(examples.length > 0 && { examples: Object.fromEntries(examples) }),
  };
}
