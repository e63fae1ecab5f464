/** What the overview and the menu read. The queries of other pages are in files of their own, which are loaded with them. */

import { api } from "./client";
import { document, SOON } from "./documents";

export const overview = () => document(["overview"], (signal) => api.GET("/api/overview", { signal }), SOON);

export const latestRuns = () =>
  document(["runs", "latest"], (signal) => api.GET("/api/runs", { params: { query: { limit: 6 } }, signal }), SOON);

/** What needs a person. */
export const needs = () => document(["needs"], (signal) => api.GET("/api/needs", { signal }), SOON);
