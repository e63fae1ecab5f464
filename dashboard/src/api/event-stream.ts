/**
 * Server-sent events read by `fetch`, because `EventSource` cannot send a token
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation).
 */

export interface ServerEvent {
  id: string | undefined;
  type: string;
  data: string;
}

/** Takes text as it comes, in pieces cut anywhere, and gives the events that are complete. */
export function makeEventParser(): (piece: string) => ServerEvent[] {
  let rest = "";
  let id: string | undefined;
  let type = "";
  let data: string[] = [];
  return (piece) => {
    const events: ServerEvent[] = [];
    // A carriage return at the very end may be half of a line break.
    const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "") {
        if (data.length > 0 || type) events.push({ id, type: type || "message", data: data.join("\n") });
        type = "";
        data = [];
        id = undefined;
        continue;
      }
      const colon = line.indexOf(":");
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
      if (field === "data") data.push(value);
      else if (field === "event") type = value;
      else if (field === "id") id = value;
    }
    return events;
  };
}

/** The events of a response, as they come. */
export async function* eventsOf(response: Response): AsyncGenerator<ServerEvent> {
  if (!response.body) return;
  const parse = makeEventParser();
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield* parse(decoder.decode(value, { stream: true }));
    }
  } finally {
    // Frees the connection when the reader goes away before the end.
    await reader.cancel().catch(() => undefined);
  }
}
