/** The values of a source as tables: columns, changes, numbers, CSV. Values come from web pages: they may be anything. */

import type { ValueSet } from "../api/types";
import { inline } from "../ui/json-view";

export type Item = Record<string, unknown>;

export interface Read {
  at: string;
  version: number;
  /** Address of the page: a source may have several of one template. */
  url: string;
  /** One record, or the records of a list. */
  items: Item[];
}

function itemOf(value: unknown): Item {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Item) : { value };
}

/** Returns the reads, the newest first, and whether they are lists. */
export function readsOf(values: readonly ValueSet[]): { reads: Read[]; isList: boolean } {
  const reads = values
    .map(({ at, version, url, values }) => ({
      at,
      version,
      url,
      items: Array.isArray(values) ? values.map(itemOf) : [itemOf(values)],
    }))
    .sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
  return { reads, isList: values.some(({ values }) => Array.isArray(values)) };
}

/** Returns the read of the same page before the one at this index. */
export function readBefore(reads: readonly Read[], index: number): Read | undefined {
  return reads.slice(index + 1).find(({ url }) => url === reads[index]?.url);
}

/** Returns whether the reads are of several pages. */
export function haveSeveralPages(reads: readonly Read[]): boolean {
  return new Set(reads.map(({ url }) => url)).size > 1;
}

/** Returns the fields of all reads, in the order in which the newest read has them. */
export function fieldsOf(reads: readonly Read[]): string[] {
  return [...new Set(reads.flatMap(({ items }) => items.flatMap((item) => Object.keys(item))))];
}

/** Returns the value of a field; a field of this name may also be inherited, which does not count. */
export function valueOf(item: Item | undefined, field: string): unknown {
  return item && Object.hasOwn(item, field) ? item[field] : undefined;
}

/** Returns whether a field has another value than in the read before; without one nothing has changed. */
export function isChanged(item: Item, before: Item | undefined, field: string): boolean {
  return before !== undefined && inline(valueOf(item, field)) !== inline(valueOf(before, field));
}

/** Returns the items of a list that the read before does not have. */
export function newItems({ items }: Read, before: Read | undefined): ReadonlySet<Item> {
  if (!before) return new Set();
  const known = new Set(before.items.map((item) => JSON.stringify(item)));
  return new Set(items.filter((item) => !known.has(JSON.stringify(item))));
}

export interface Series {
  field: string;
  unit: string;
  /** The oldest first. */
  points: { at: string; value: number }[];
}

const NUMBER = /^(-?\d+(?:\.\d+)?)(?: ?([^\d\s.,:/-]{1,4}))?$/;

function numberOf(value: unknown): { value: number; unit: string } | undefined {
  if (typeof value === "number") return { value, unit: "" };
  if (typeof value !== "string") return undefined;
  const parts = NUMBER.exec(value.trim());
  return parts ? { value: Number(parts[1]), unit: parts[2] ?? "" } : undefined;
}

/** Returns the numeric fields over time: those of at least two reads, all with one unit. For lists, the number of items. None for several pages. */
export function seriesOf(reads: readonly Read[], isList: boolean): Series[] {
  const inOrder = [...reads].reverse();
  if (inOrder.length < 2 || haveSeveralPages(reads)) return [];
  if (isList) {
    return [{ field: "Items", unit: "", points: inOrder.map(({ at, items }) => ({ at, value: items.length })) }];
  }
  return fieldsOf(reads).flatMap((field): Series[] => {
    const found = inOrder.flatMap(({ at, items }) => {
      const value = valueOf(items[0], field);
      return value === undefined || value === null ? [] : [{ at, number: numberOf(value) }];
    });
    const units = new Set(found.map(({ number }) => number?.unit));
    const [unit] = units;
    if (found.length < 2 || units.size !== 1 || unit === undefined) return [];
    return [{ field, unit, points: found.flatMap(({ at, number }) => (number ? [{ at, value: number.value }] : [])) }];
  });
}

/** Quotes a cell. Spreadsheets run texts that begin like formulas: such a text gets an apostrophe before it. */
function cell(value: unknown): string {
  const text = value === undefined || value === null ? "" : inline(value);
  const isFormula = typeof value !== "number" && /^[=+\-@\t\r]/.test(text) && !NUMBER.test(text);
  const harmless = isFormula ? `'${text}` : text;
  return /[",\n\r]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** Returns the reads as CSV: one line for each record, with its time, version and, in a list, its position. */
export function csvOf(reads: readonly Read[], isList: boolean): string {
  const fields = fieldsOf(reads);
  const several = haveSeveralPages(reads);
  const head = ["read at", "recipe version", ...(several ? ["page"] : []), ...(isList ? ["item"] : []), ...fields];
  const lines = reads.flatMap(({ at, version, url, items }) =>
    items.map((item, index) => [
      at,
      version,
      ...(several ? [url] : []),
      ...(isList ? [index + 1] : []),
      ...fields.map((field) => valueOf(item, field)),
    ]),
  );
  return [head, ...lines].map((line) => `${line.map(cell).join(",")}\r\n`).join("");
}
