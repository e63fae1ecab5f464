/** One way to ask the server: address, token, time limit and errors are dealt with here and nowhere else. */

import createClient from "openapi-fetch";
import { useConnection } from "../store/connection";
import { useSession } from "../store/session";
import { errorOf, NetworkError, TimeoutError } from "./errors";
import type { paths } from "./schema";

const TIMEOUT_MILLIS = 30_000;

/** Where the server is: this page's own origin unless the build says otherwise. */
export const apiBase: string =
  (import.meta.env.VITE_API_BASE as string | undefined)?.replace(/\/$/, "") || window.location.origin;

/** Ends when the reader goes away or the time is up; an event stream lasts as long as its run. */
function limit(request: Request) {
  const controller = new AbortController();
  const abort = () => controller.abort();
  if (request.signal.aborted) abort();
  request.signal.addEventListener("abort", abort);
  const isStream = request.headers.get("Accept") === "text/event-stream";
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    abort();
  }, TIMEOUT_MILLIS);
  if (isStream) clearTimeout(timer);
  return { signal: controller.signal, timedOut: () => timedOut, release: () => clearTimeout(timer) };
}

/** `fetch` whose answers are successes: everything else is thrown, as one of the types of `errors.ts`. */
export async function guardedFetch(request: Request): Promise<Response> {
  const { token } = useSession.getState();
  if (token) request.headers.set("Authorization", `Bearer ${token}`);
  const { signal, timedOut, release } = limit(request);
  const what = `${request.method} ${new URL(request.url).pathname}`;
  let response: Response;
  try {
    response = await fetch(request, { signal });
  } catch (cause) {
    if (request.signal.aborted) throw cause;
    useConnection.getState().setReachable(false);
    throw timedOut()
      ? new TimeoutError(`${what}: no answer`, { cause })
      : new NetworkError(`${what}: no connection`, { cause });
  } finally {
    release();
  }
  useConnection.getState().setReachable(true);
  if (response.ok) return response;
  const error = await errorOf(response);
  if (error.status === 401) useSession.getState().askForToken();
  throw error;
}

/** The operations of the API, with the types of `openapi.json`. */
export const api = createClient<paths>({ baseUrl: apiBase, fetch: guardedFetch });

/** The document of an answer. An answer without one is a success all the same: `204 No Content`. */
export async function documentOf<T>(answer: Promise<{ data?: T }>): Promise<T> {
  return (await answer).data as T;
}
