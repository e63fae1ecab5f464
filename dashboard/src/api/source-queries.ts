/** What the pages of one source read. */

import { queryOptions } from "@tanstack/react-query";
import { api, documentOf } from "./client";
import { CALM, document, inParts, MINUTE, PAGE_SIZE, SOON, type Part } from "./documents";

const ofSource = (name: string, signal: AbortSignal) => ({ params: { path: { name } }, signal });
const partOfSource = (name: string, signal: AbortSignal, query: Part) => ({
  params: { path: { name }, query },
  signal,
});

export const source = (name: string) =>
  document(["source", name], (signal) => api.GET("/api/sources/{name}", ofSource(name, signal)), SOON);
export const sourceRecipes = (name: string) =>
  document(["source", name, "recipes"], (signal) =>
    inParts("recipes", (part) => api.GET("/api/sources/{name}/recipes", partOfSource(name, signal, part))),
  );
export const sourceDecisions = (name: string) =>
  document(["source", name, "decisions"], (signal) => api.GET("/api/sources/{name}/decisions", ofSource(name, signal)));
export const sourceDiagnostics = (name: string) =>
  document(["source", name, "diagnostics"], (signal) =>
    inParts("diagnostics", (part) => api.GET("/api/sources/{name}/diagnostics", partOfSource(name, signal, part))),
  );
export const sourceTimeline = (name: string) =>
  document(["source", name, "timeline"], (signal) => api.GET("/api/sources/{name}/timeline", ofSource(name, signal)));
export const sourceValues = (name: string, limit: number) =>
  document(
    ["source", name, "values", limit],
    (signal) => api.GET("/api/sources/{name}/values", { params: { path: { name }, query: { limit } }, signal }),
    // Many values are asked for less often.
    limit > PAGE_SIZE ? MINUTE : CALM,
  );
export const sourceFixes = (name: string) =>
  document(["source", name, "fixes"], (signal) =>
    inParts("fixes", (part) => api.GET("/api/sources/{name}/fixes", partOfSource(name, signal, part))),
  );
export const sourceSnapshots = (name: string) =>
  document(
    ["source", name, "snapshots"],
    (signal) =>
      inParts("snapshots", (part) => api.GET("/api/sources/{name}/snapshots", partOfSource(name, signal, part))),
    false,
  );

/** A snapshot as HTML: fetched as text, because a frame cannot send the token. */
export const snapshotPage = (name: string, snapshot_id: number, version?: number, numbers?: true) =>
  queryOptions({
    queryKey: ["snapshot", name, snapshot_id, version, numbers],
    queryFn: ({ signal }) =>
      documentOf(
        api.GET("/api/sources/{name}/snapshots/{snapshot_id}/page", {
          params: { path: { name, snapshot_id }, query: { version, numbers } },
          parseAs: "text",
          signal,
        }),
      ),
    staleTime: Infinity,
  });

/** Tries a recipe on the stored pages, which changes nothing. */
export const tryRecipe = (name: string, recipe: Record<string, unknown>) =>
  api.POST("/api/sources/{name}/trial", { params: { path: { name } }, body: { recipe } });

/** The values that a version of the recipe gives on the stored pages. */
export const recipeTrial = (name: string, version: number, recipe: Record<string, unknown>) =>
  document(["source", name, "trial", version], () => tryRecipe(name, recipe), false);
