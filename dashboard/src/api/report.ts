/** Where errors that people cannot mend are reported: the console, and a sink if one is set. */

function sinkAddress(): string | undefined {
  const built = import.meta.env.VITE_ERROR_SINK as string | undefined;
  if (built) return built;
  return document.querySelector<HTMLMetaElement>('meta[name="autoheal-error-sink"]')?.content || undefined;
}

/** Details for those who debug. */
export function logError(what: string, error: unknown): void {
  console.error(`autoheal: ${what}`, error);
}

/** Tells the console and the sink of a crash. A sink that is away must not become a second crash. */
export function reportCrash(error: unknown, componentStack?: string | null): void {
  logError("a part of the page crashed", error);
  const sink = sinkAddress();
  if (!sink) return;
  const report = {
    message: error instanceof Error ? error.message : String(error),
    stack: error instanceof Error ? error.stack : undefined,
    componentStack: componentStack ?? undefined,
    page: window.location.pathname,
    at: new Date().toISOString(),
  };
  fetch(sink, {
    method: "POST",
    body: JSON.stringify(report),
    headers: { "Content-Type": "application/json" },
    keepalive: true,
    credentials: "omit",
  }).catch((cause: unknown) => logError("the crash could not be reported", cause));
}
