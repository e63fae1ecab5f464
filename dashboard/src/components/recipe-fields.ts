/** The fields of a recipe with their selectors, and the values that a marked page shows. Recipes and pages come from outside. */

import type { FieldTrial, RecipeVersion, StoredPage } from "../api/types";
import { inline } from "../ui/json-view";

export interface FieldChange {
  field: string;
  /** Selector in the active version; `undefined` if that version has no such field. */
  before: string | undefined;
  /** Selector in the proposed version; `undefined` if that version drops the field. */
  after: string | undefined;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the text that tells where a recipe finds a field. */
function selectorOf(field: unknown): string {
  if (!isObject(field)) return inline(field);
  if (field.select !== undefined) return inline(field.select);
  return inline(Object.fromEntries(Object.entries(field).filter(([name]) => name !== "example")));
}

function selectorsOf(recipe: unknown): Map<string, string> {
  const { fields, items } = isObject(recipe) ? recipe : {};
  const selectors = new Map<string, string>();
  if (items !== undefined) selectors.set("(items)", selectorOf(items));
  if (isObject(fields)) for (const [name, field] of Object.entries(fields)) selectors.set(name, selectorOf(field));
  return selectors;
}

/** Returns the names of a recipe's fields. */
export function fieldsOf(recipe: unknown): string[] {
  const { fields } = isObject(recipe) ? recipe : {};
  return isObject(fields) ? Object.keys(fields) : [];
}

/** Compares two recipes field by field: changed fields first, then by name. */
export function fieldChanges(before: unknown, after: unknown): FieldChange[] {
  const [old, proposed] = [selectorsOf(before), selectorsOf(after)];
  const isChanged = ({ before, after }: FieldChange) => before !== after;
  return [...new Set([...old.keys(), ...proposed.keys()])]
    .map((field) => ({ field, before: old.get(field), after: proposed.get(field) }))
    .sort((a, b) => Number(isChanged(b)) - Number(isChanged(a)) || a.field.localeCompare(b.field));
}

/** Returns the texts of the elements that the server marked in a stored page, by field. The page is parsed, never run. */
export function markedValues(html: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  const page = new DOMParser().parseFromString(html, "text/html");
  for (const element of page.querySelectorAll("[data-autoheal-field]")) {
    const field = element.getAttribute("data-autoheal-field") ?? "";
    const text = element.textContent.replace(/\s+/g, " ").trim();
    values.set(field, [...(values.get(field) ?? []), text]);
  }
  return values;
}

/** Returns the values of one field in accepted values: of one record, or of a list of records. */
export function acceptedValues(values: unknown, field: string): string[] {
  const records: unknown[] = Array.isArray(values) ? values : [values];
  return records.flatMap((record) => {
    if (!isObject(record) || !Object.hasOwn(record, field)) return [];
    const value = record[field];
    return Array.isArray(value) ? value.map(inline) : [inline(value)];
  });
}

/** The most characters of a value that a trial returns. */
const MOST_CHARACTERS = 400;

/** Returns whether a trial gives other values than the accepted ones. It returns the first values, each cut if it is long. */
export function hasChanged(accepted: readonly string[], { values, total }: FieldTrial): boolean {
  const cut = (text = "") => Array.from(text).slice(0, MOST_CHARACTERS).join("");
  return accepted.length !== total || values.some((value, index) => value !== cut(accepted[index]));
}

/** Returns the stored pages, the newest first. */
export const newestFirst = (pages: readonly StoredPage[]): StoredPage[] =>
  pages.toSorted((a, b) => b.takenAt.localeCompare(a.takenAt));

/** Returns the newest page on which a read failed. */
export const failingPage = (newestFirst: readonly StoredPage[]): StoredPage | undefined =>
  newestFirst.find(({ role }) => role === "FAILING");

/** Returns the version that waits for a decision, and the active one. */
export function versionsOf(recipes: readonly RecipeVersion[]) {
  return {
    waiting: recipes.find(({ waits }) => waits),
    active: recipes.find(({ stage }) => stage === "PRODUCTION"),
  };
}

/** Returns the versions to mark in the old and in the new page: a waiting version has replaced nothing yet. */
export function comparedVersions(recipes: readonly RecipeVersion[]): { before?: number; after?: number } {
  const { waiting, active } = versionsOf(recipes);
  if (waiting) return { after: waiting.version, before: (active ?? waiting).version };
  if (!active) return {};
  return { after: active.version, before: active.replaces ?? active.version };
}
