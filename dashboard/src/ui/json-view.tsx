import { Preformatted } from "./long-text";

/** A value in one line. */
export function inline(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "—";
  return JSON.stringify(value);
}

/** A document as it is written. */
export function JsonText({ label, value }: { label: string; value: unknown }) {
  return <Preformatted label={label}>{JSON.stringify(value, null, 2)}</Preformatted>;
}
