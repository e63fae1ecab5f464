/** How the mock API answers: documents, pages of lists, errors in the agreed form, event streams. */

import { HttpResponse } from "msw";
import type { RunEvent } from "../api/types";

export function failure(status: number, code: string, message: string, headers: Record<string, string> = {}) {
  return HttpResponse.json(
    { error: { code, message, details: {}, timestamp: new Date().toISOString() } },
    { status, headers },
  );
}

/** A part of a list, from behind `before`, and where to go on. */
export function pageOf<T>(rows: readonly T[], request: Request, idOf: (row: T) => string | number) {
  const { searchParams } = new URL(request.url);
  const before = searchParams.get("before");
  const limit = Number(searchParams.get("limit") ?? 50);
  const start = before === null ? 0 : rows.findIndex((row) => String(idOf(row)) === before) + 1;
  const page = rows.slice(start, start + limit);
  const last = page.at(-1);
  return { page, next: start + limit < rows.length && last !== undefined ? idOf(last) : undefined };
}

/** The rows that fit all filters of an address. */
export function filtered<T extends object>(
  rows: readonly T[],
  request: Request,
  names: readonly (keyof T & string)[],
): T[] {
  const { searchParams } = new URL(request.url);
  const search = (searchParams.get("search") ?? "").toLowerCase();
  return rows.filter(
    (row) =>
      names.every((name) => [null, "", String(row[name])].includes(searchParams.get(name))) &&
      Object.values(row).some((value) => String(value).toLowerCase().includes(search)),
  );
}

const encoder = new TextEncoder();

function written(event: RunEvent): Uint8Array {
  return encoder.encode(`id: ${event.sequence}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

/** A stream of events, each after a pause; it stays open when the run goes on. */
export function eventStream(events: readonly RunEvent[], pace: number, endsAfter: boolean) {
  let closed = false;
  const stream = new ReadableStream<Uint8Array>({
    async start(controller) {
      for (const event of events) {
        if (closed) return;
        controller.enqueue(written(event));
        if (pace > 0) await new Promise((resolve) => setTimeout(resolve, pace));
      }
      if (closed || !endsAfter) return;
      controller.enqueue(encoder.encode("event: end\ndata: {}\n\n"));
      controller.close();
    },
    cancel() {
      closed = true;
    },
  });
  return new HttpResponse(stream, { headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store" } });
}
