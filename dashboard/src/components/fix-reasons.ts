/** Attempts at fixes as data: failure, validation, version, failed read. Their documents come from outside. */

import type { FixAttempt, RecipeVersion, RunSummary } from "../api/types";

type Dict = Record<string, unknown>;

const isDict = (value: unknown): value is Dict => typeof value === "object" && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
const numberOf = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

export interface Diagnosed {
  /** Description of the failure. */
  message: string | undefined;
  /** Changes of the page by region; only for a source. */
  summary: string | undefined;
  /** Time of the failed run that led to the attempt, in milliseconds; only for a source. */
  failedAt: number | undefined;
  /** Location of the failure; only for a repository. */
  file: string | undefined;
  line: number | undefined;
}

/** Returns the failure that an attempt was made for, if the diagnosis has a known form. */
export function diagnosisOf({ diagnosis }: FixAttempt): Diagnosed | undefined {
  if (!isDict(diagnosis)) return undefined;
  const finding = isDict(diagnosis.finding) ? diagnosis.finding : {};
  const location = isDict(finding.location) ? finding.location : {};
  return {
    message: textOf(diagnosis.error_message) ?? textOf(finding.message),
    summary: textOf(diagnosis.summary),
    failedAt: numberOf(diagnosis.failed_at),
    file: textOf(finding.file),
    line: numberOf(location.line),
  };
}

/** Returns the errors of the validation, each in one line. */
export function validationErrors({ validation }: FixAttempt): string[] {
  if (!isDict(validation) || !Array.isArray(validation.errors)) return [];
  return validation.errors.filter((error): error is string => typeof error === "string");
}

/** Returns the number of other changes that were tried before this one. */
export function triedBefore({ validation }: FixAttempt): number | undefined {
  return isDict(validation) ? numberOf(validation.tried_before) : undefined;
}

/** Returns the recipe version that an attempt proposed: the newest one made before it and after the attempt before it. */
export function versionOf(
  attempt: FixAttempt,
  attempts: readonly FixAttempt[],
  recipes: readonly RecipeVersion[],
): RecipeVersion | undefined {
  const at = Date.parse(attempt.at);
  const earlier = attempts.map((other) => Date.parse(other.at)).filter((other) => other < at);
  const since = Math.max(Number.NEGATIVE_INFINITY, ...earlier);
  return recipes
    .filter(({ createdAt, version }) => version > 1 && Date.parse(createdAt) <= at && Date.parse(createdAt) > since)
    .toSorted((a, b) => b.version - a.version)[0];
}

/** Returns the failed read that an attempt was made for: the run that was in progress at the time in its diagnosis. */
export function failedRead(attempts: readonly FixAttempt[], runs: readonly RunSummary[]): RunSummary | undefined {
  const failedAt = attempts.map((attempt) => diagnosisOf(attempt)?.failedAt).find((at) => at !== undefined);
  if (failedAt === undefined) return undefined;
  return runs.find(
    ({ kind, startedAt, finishedAt }) =>
      kind === "REFRESH_SOURCE" &&
      Date.parse(startedAt) <= failedAt &&
      typeof finishedAt === "string" &&
      failedAt <= Date.parse(finishedAt),
  );
}
