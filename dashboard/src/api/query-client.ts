/** How server state is kept: shared, refreshed by itself, and its failures told once. */

import { MutationCache, QueryCache, QueryClient, type Query } from "@tanstack/react-query";
import { useToasts } from "../store/toasts";
import { describeError, mayPass } from "./describe";
import { ApiError } from "./errors";
import { logError } from "./report";

const MOST_RETRIES = 2;

function tellFailure(key: string, what: string, error: unknown, retry?: () => void) {
  logError(what, error);
  // The dialog asks for the token already.
  if (error instanceof ApiError && error.status === 401) return;
  const { title, message, canRetry } = describeError(error);
  useToasts
    .getState()
    .show({ key, tone: "bad", title, message, action: canRetry && retry ? { label: "Retry", act: retry } : undefined });
}

/** Failures of a page's first load are shown in its place; a toast tells that something shown got old. */
function onQueryError(error: unknown, query: Query<unknown, unknown, unknown>) {
  const what = query.queryHash;
  if (query.state.data === undefined) {
    logError(what, error);
    return;
  }
  const key = error instanceof ApiError ? `query ${what}` : "connection";
  tellFailure(key, what, error, () => void query.fetch().catch(() => undefined));
}

export function makeQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onError: onQueryError,
      onSuccess: (_data, query) => {
        useToasts.getState().dismissKey(`query ${query.queryHash}`);
        useToasts.getState().dismissKey("connection");
      },
    }),
    mutationCache: new MutationCache({
      onError: (error, variables, _context, mutation) => {
        // A form shows its own failure beside itself.
        if (mutation.meta?.shownInPlace) {
          logError("a request failed", error);
          return;
        }
        tellFailure("action", "a request failed", error, () => void mutation.execute(variables).catch(() => undefined));
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 2_000,
        retry: (failures, error) => failures < MOST_RETRIES && mayPass(error),
        retryDelay: (attempt) => Math.min(1_000 * 2 ** attempt, 10_000),
      },
      mutations: { retry: false },
    },
  });
}
