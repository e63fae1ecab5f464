import { describe, expect, it } from "vitest";
import type { ValueSet } from "../api/types";
import { csvOf, fieldsOf, haveSeveralPages, isChanged, newItems, readBefore, readsOf, seriesOf } from "./value-table";

const set = (day: number, values: unknown): ValueSet => ({
  valueId: 1,
  at: `2026-11-0${day}T08:00:00Z`,
  url: "https://shop.example",
  version: 2,
  values,
});

const NONE = { at: "", version: 1, url: "", items: [] };

describe("values of one record", () => {
  const { reads, isList } = readsOf([
    set(1, { price: "39.90 EUR", stock: 3, title: "Lamp", due: "2026-11" }),
    set(3, { price: "41.00 EUR", stock: null, title: "Lamp", due: "2026-12" }),
    set(2, { price: "39.90 EUR", stock: 5, title: "Desk lamp", size: "4 cm" }),
  ]);

  it("are the newest first, with the fields of all reads", () => {
    expect(isList).toBe(false);
    expect(reads.map(({ at }) => at.slice(8, 10))).toEqual(["03", "02", "01"]);
    expect(fieldsOf(reads)).toEqual(["price", "stock", "title", "due", "size"]);
  });

  it("have changed where they differ from the read before", () => {
    const [newest, before] = reads.map(({ items }) => items[0]);
    const changed = (field: string) => newest && isChanged(newest, before, field);
    expect([changed("price"), changed("stock"), changed("title"), isChanged({}, undefined, "price")]).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(isChanged({ price: 1 }, { price: 1 }, "price")).toBe(false);
    expect(isChanged({}, {}, "constructor")).toBe(false);
  });

  it("have a series for each numeric field of one unit", () => {
    expect(seriesOf(reads, false)).toEqual([
      {
        field: "price",
        unit: "EUR",
        points: [
          { at: "2026-11-01T08:00:00Z", value: 39.9 },
          { at: "2026-11-02T08:00:00Z", value: 39.9 },
          { at: "2026-11-03T08:00:00Z", value: 41 },
        ],
      },
      {
        field: "stock",
        unit: "",
        points: [
          { at: "2026-11-01T08:00:00Z", value: 3 },
          { at: "2026-11-02T08:00:00Z", value: 5 },
        ],
      },
    ]);
    expect(seriesOf(readsOf([set(1, { price: "1 EUR" }), set(2, { price: "1 USD" })]).reads, false)).toEqual([]);
    expect(seriesOf(reads.slice(0, 1), false)).toEqual([]);
  });

  it("become CSV that no spreadsheet runs", () => {
    const { reads } = readsOf([set(1, { "a,b": 'say "hi"', formula: "=1+1", minus: "-5", number: -5, list: [1] })]);
    expect(csvOf(reads, false)).toBe(
      'read at,recipe version,"a,b",formula,minus,number,list\r\n' +
        '2026-11-01T08:00:00Z,2,"say ""hi""",\'=1+1,-5,-5,[1]\r\n',
    );
  });
});

describe("values of several pages", () => {
  const two = [1, 2].flatMap((day) =>
    ["a", "b"].map((page) => ({ ...set(day, { price: day }), url: `https://shop.example/${page}` })),
  );
  const { reads } = readsOf(two);

  it("are compared page by page", () => {
    expect(haveSeveralPages(reads)).toBe(true);
    expect(reads.map((_, index) => readBefore(reads, index)?.url)).toEqual([
      "https://shop.example/a",
      "https://shop.example/b",
      undefined,
      undefined,
    ]);
    expect(seriesOf(reads, false)).toEqual([]);
    expect(csvOf(reads, false)).toContain("2026-11-02T08:00:00Z,2,https://shop.example/b,2\r\n");
  });
});

describe("values of a list", () => {
  const { reads, isList } = readsOf([set(1, [{ line: "12" }]), set(2, [{ line: "12" }, { line: "7" }])]);

  it("know which items are new, and how many there were", () => {
    expect(isList).toBe(true);
    expect([...newItems(reads[0] ?? NONE, reads[1])]).toEqual([{ line: "7" }]);
    expect(newItems(reads[1] ?? NONE, undefined).size).toBe(0);
    expect(seriesOf(reads, true)[0]?.points.map(({ value }) => value)).toEqual([1, 2]);
    expect(csvOf(reads, true).split("\r\n")[2]).toBe("2026-11-02T08:00:00Z,2,2,7");
  });

  it("may be anything", () => {
    expect(fieldsOf(readsOf([set(1, null), set(2, [1, "two", [3]])]).reads)).toEqual(["value"]);
  });
});
