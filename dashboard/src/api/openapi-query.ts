import { queryOptions } from "@tanstack/react-query";
import { apiBase, guardedFetch } from "./client";

/** The description of the API is not described by itself. */
export const openApi = () =>
  queryOptions({
    queryKey: ["openapi"],
    queryFn: async ({ signal }): Promise<unknown> =>
      (await guardedFetch(new Request(`${apiBase}/api/openapi.json`, { signal }))).json(),
    staleTime: Infinity,
  });
