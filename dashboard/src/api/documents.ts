/** How documents and lists of the API are read, and how often they are looked at again. */

import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { documentOf } from "./client";

export const SOON = 5_000;
export const CALM = 15_000;
export const MINUTE = 60_000;
export const PAGE_SIZE = 25;

type Read<T> = (signal: AbortSignal) => Promise<{ data?: T }>;

/** A document that is read and looked at again now and then. */
export function document<T>(key: readonly unknown[], read: Read<T>, refetchInterval: number | false = CALM) {
  return queryOptions({
    queryKey: key,
    queryFn: ({ signal }) => documentOf(read(signal)),
    refetchInterval,
    placeholderData: keepPreviousData,
  });
}

export interface Turn<Cursor> {
  before: Cursor | undefined;
  limit: number;
}

/** A list in pages: each page names the beginning of the next one. */
export function list<T extends { next?: Cursor | null | undefined }, Cursor extends string | number>(
  key: readonly unknown[],
  read: (page: Turn<Cursor>, signal: AbortSignal) => Promise<{ data?: T }>,
  refetchInterval = CALM,
) {
  return infiniteQueryOptions({
    queryKey: key,
    // The library does not see through the generic that this is the type of `initialPageParam`.
    queryFn: ({ signal, pageParam }) =>
      documentOf(read({ before: pageParam as Cursor | undefined, limit: PAGE_SIZE }, signal)),
    initialPageParam: undefined as Cursor | undefined,
    getNextPageParam: (last: T) => last.next ?? undefined,
    refetchInterval,
    placeholderData: keepPreviousData,
  });
}

export interface Part {
  offset: number;
  limit: number;
}

/** The most rows of one part of a list, and the most parts that a page displays. */
const PART_SIZE = 200;
const MOST_PARTS = 5;

/** A list whose parts are put together to one document, up to a bound. */
export async function inParts<K extends string, R, T extends Record<K, R[]> & { next?: number | null }>(
  key: K,
  read: (part: Part) => Promise<{ data?: T }>,
): Promise<{ data?: T }> {
  const { data } = await read({ offset: 0, limit: PART_SIZE });
  for (let count = 1; data?.next && count < MOST_PARTS; count++) {
    const more = (await read({ offset: data.next, limit: PART_SIZE })).data;
    data[key].push(...(more?.[key] ?? []));
    data.next = more?.next;
  }
  return { data };
}

/** Returns a filter; an empty text does not filter. */
export const given = (value: string): string | undefined => (value === "" ? undefined : value);
