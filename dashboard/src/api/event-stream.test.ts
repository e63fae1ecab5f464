import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventsOf, makeEventParser } from "./event-stream";

describe("the reader of event streams", () => {
  it("gives the same events however the text is cut", () => {
    const text =
      'id: 1\r\nevent: note\r\ndata: {"a":\r\ndata: 1}\r\n\r\n: a comment\r\n\r\nid: 2\r\ndata:x\r\n\r\nevent: end\r\ndata: {}\r\n\r\n';
    const whole = makeEventParser()(text);
    expect(whole).toEqual([
      { id: "1", type: "note", data: '{"a":\n1}' },
      { id: "2", type: "message", data: "x" },
      { id: undefined, type: "end", data: "{}" },
    ]);
    fc.assert(
      fc.property(fc.array(fc.nat({ max: text.length }), { maxLength: 10 }), fc.boolean(), (cuts, isUnix) => {
        const written = isUnix ? text.replaceAll("\r\n", "\n") : text;
        const parse = makeEventParser();
        const places = [0, ...cuts.sort((a, b) => a - b), written.length];
        const events = places.slice(1).flatMap((end, index) => parse(written.slice(places[index], end)));
        expect(events).toEqual(whole);
      }),
    );
  });

  it("leaves out what was not finished", async () => {
    const events = [];
    for await (const event of eventsOf(new Response("data: a\n\ndata: half"))) events.push(event.data);
    expect(events).toEqual(["a"]);
  });
});
