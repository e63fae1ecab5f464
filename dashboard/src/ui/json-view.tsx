import { Preformatted } from "./long-text";

type Entries = readonly (readonly [string, unknown])[];

function entriesOf(value: unknown): Entries | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  return Array.isArray(value)
    ? value.map((item, index) => [String(index + 1), item as unknown])
    : Object.entries(value);
}

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

/** Values by name, the first few of them. */
export function ValueList({ values, most = 12 }: { values: unknown; most?: number }) {
  const entries = entriesOf(values);
  if (!entries) return <span className="break-words">{inline(values)}</span>;
  return (
    <dl className="grid grid-cols-[minmax(4rem,auto)_minmax(0,1fr)] gap-x-3 gap-y-0.5 text-xs">
      {entries.slice(0, most).map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="truncate font-mono" title={inline(value)}>
            {inline(value)}
          </dd>
        </div>
      ))}
      {entries.length > most && <dd className="col-span-2 text-muted">and {entries.length - most} more</dd>}
    </dl>
  );
}
