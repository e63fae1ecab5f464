/** What can go wrong between this page and the server, as types. */

/** What an answer says of its error. The code is a text: a newer server may have more of them. */
interface Told {
  code: string;
  message: string;
  details: Record<string, unknown>;
}

/** The server answered, and the answer is an error. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly code: string;
  readonly details: Record<string, unknown>;
  /** How long the server asks to wait, in seconds. */
  readonly retryAfter: number | undefined;

  constructor(status: number, body: Told, retryAfter?: number) {
    super(body.message);
    this.status = status;
    this.code = body.code;
    this.details = body.details;
    this.retryAfter = retryAfter;
  }
}

/** No answer came. */
export class NetworkError extends Error {
  override readonly name = "NetworkError";
}

/** No answer came in time. */
export class TimeoutError extends Error {
  override readonly name = "TimeoutError";
}

/** The details of an error in the agreed form, of anything that a server or a proxy before it may have sent. */
function bodyOf(value: unknown): Told | undefined {
  if (typeof value !== "object" || value === null || !("error" in value)) return undefined;
  const error = value.error;
  if (typeof error !== "object" || error === null || !("code" in error) || typeof error.code !== "string")
    return undefined;
  const message = "message" in error && typeof error.message === "string" ? error.message : "";
  const details =
    "details" in error && typeof error.details === "object" && error.details !== null ? error.details : {};
  return { code: error.code, message, details: { ...details } };
}

/** The error of an answer that is not a success; one that is not in the agreed form becomes `INTERNAL`. */
export async function errorOf(response: Response): Promise<ApiError> {
  const seconds = Number(response.headers.get("Retry-After"));
  const retryAfter = Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
  const body: unknown = await response.json().catch(() => undefined);
  const agreed = bodyOf(body);
  if (agreed) return new ApiError(response.status, agreed, retryAfter);
  const code = response.status === 401 ? "UNAUTHORIZED" : response.status === 404 ? "NOT_FOUND" : "INTERNAL";
  return new ApiError(response.status, { code, message: `status ${response.status}`, details: {} }, retryAfter);
}
