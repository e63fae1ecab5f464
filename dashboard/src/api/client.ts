/** One way to ask the server: address, token, time limit and errors are dealt with here and nowhere else. */

import type { Client } from "openapi-fetch";
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

type Parameters = Record<string, string | number | boolean | null | undefined>;

interface Ask {
  params?: { path?: Parameters; query?: Parameters };
  body?: unknown;
  parseAs?: "json" | "text";
  signal?: AbortSignal;
}

/** Sends one request: fills in the path, adds the query, and reads the document of the answer. */
async function ask(method: string, path: string, { params, body, parseAs, signal }: Ask = {}) {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params?.path?.[name])));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params?.query ?? {})) {
    if (value !== undefined && value !== null) query.append(name, String(value));
  }
  const search = query.size > 0 ? `?${query.toString()}` : "";
  const content =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
  const request = new Request(`${apiBase}${filled}${search}`, { method, ...content, ...(signal && { signal }) });
  const response = await guardedFetch(request);
  const text = await response.text();
  const data: unknown = parseAs === "text" ? text : text === "" ? undefined : JSON.parse(text);
  return { data, response };
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** The operations of the API, with the types of `openapi.json`; only these methods exist. */
export const api = Object.fromEntries(
  METHODS.map((method) => [method, (path: string, options?: Ask) => ask(method, path, options)]),
) as unknown as Pick<Client<paths>, (typeof METHODS)[number]>;

/** The document of an answer. An answer without one is a success all the same: `204 No Content`. */
export async function documentOf<T>(answer: Promise<{ data?: T }>): Promise<T> {
  return (await answer).data as T;
}
