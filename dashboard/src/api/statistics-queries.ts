/** Numbers about many runs and sources. */

import { api } from "./client";
import { document, MINUTE } from "./documents";
import type { UsageGrouping } from "./types";

export const sourceStatistics = () =>
  document(["sources", "statistics"], (signal) => api.GET("/api/sources/statistics", { signal }));

export const usage = (by: UsageGrouping, days: number) =>
  document(["usage", by, days], (signal) => api.GET("/api/usage", { params: { query: { by, days } }, signal }), MINUTE);

export const trends = (days: number) =>
  document(["trends", days], (signal) => api.GET("/api/trends", { params: { query: { days } }, signal }), MINUTE);
