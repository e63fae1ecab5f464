/** Search for the command palette: by a few letters, on the server. */

import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, documentOf } from "./client";

const MOST_SOURCES = 6;
/** More than are displayed: the repositories are taken from them. */
const MOST_RUNS = 30;

/** Nothing is asked for without letters; a request that a newer one supersedes is cancelled. */
const shared = (search: string) => ({
  enabled: search !== "",
  placeholderData: search === "" ? undefined : keepPreviousData,
  meta: { shownInPlace: true },
});

export const foundSources = (search: string) =>
  queryOptions({
    queryKey: ["find", "sources", search],
    queryFn: ({ signal }) =>
      documentOf(api.GET("/api/sources", { params: { query: { search, limit: MOST_SOURCES } }, signal })),
    ...shared(search),
  });

export const foundRuns = (search: string) =>
  queryOptions({
    queryKey: ["find", "runs", search],
    queryFn: ({ signal }) =>
      documentOf(api.GET("/api/runs", { params: { query: { search, limit: MOST_RUNS } }, signal })),
    ...shared(search),
  });
