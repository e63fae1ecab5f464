import { useState } from "react";
import type { ValueSet } from "../api/types";
import { Button } from "../ui/button";
import { download } from "../ui/download";
import { Select } from "../ui/field";
import { counted, formatRelative } from "../ui/format";
import { inline } from "../ui/json-view";
import { LineChart } from "../ui/line-chart";
import { Message } from "../ui/message";
import { Time, useNow } from "../ui/time";
import {
  csvOf,
  fieldsOf,
  haveSeveralPages,
  isChanged,
  newItems,
  readBefore,
  readsOf,
  seriesOf,
  valueOf,
  type Item,
  type Read,
  type Series,
} from "./value-table";

/** A longer value is opened on demand. */
const LONG = 120;
const HEAD = "px-3 py-2 text-start text-xs font-medium whitespace-nowrap text-muted first:ps-4";
const CELL = "max-w-80 px-3 py-1.5 align-top first:ps-4";

function Value({ value }: { value: unknown }) {
  if (value === undefined || value === null) return <span className="text-muted">none</span>;
  const text = inline(value);
  if (text.length <= LONG) return <span className="wrap-anywhere">{text}</span>;
  return (
    <details>
      <summary className="wrap-anywhere">{text.slice(0, LONG)}…</summary>
      <span className="wrap-anywhere">{text}</span>
    </details>
  );
}

/** A mark that does not rely on its colour. */
function Mark({ text }: { text: string }) {
  return <span className="ms-1.5 text-xs font-semibold whitespace-nowrap text-warn">{text}</span>;
}

/** One line for each read of a single record, with the changes since the read before. */
function RecordTable({ reads, fields }: { reads: readonly Read[]; fields: readonly string[] }) {
  const several = haveSeveralPages(reads);
  return (
    <table className="w-full border-collapse">
      <caption className="sr-only">Values by read</caption>
      <thead>
        <tr className="border-b border-line">
          {["Read", "Version", ...(several ? ["Page"] : []), ...fields].map((label, index) => (
            <th key={index} scope="col" className={HEAD}>
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {reads.map(({ at, version, url, items: [item = {}] }, index) => (
          <tr key={`${at} ${url}`} className="border-b border-line/70 last:border-b-0">
            <th scope="row" className={`${CELL} text-start font-normal text-muted`}>
              <Time at={at} />
            </th>
            <td className={`${CELL} text-muted`}>{version}</td>
            {several && (
              <td className={CELL}>
                <span className="font-mono text-xs wrap-anywhere">{url}</span>
              </td>
            )}
            {fields.map((field) => {
              const before = readBefore(reads, index)?.items[0];
              const changed = isChanged(item, before, field);
              return (
                <td
                  key={field}
                  className={`${CELL} ${changed ? "bg-warn-soft" : ""}`}
                  title={changed ? `Before: ${inline(valueOf(before, field))}` : undefined}
                >
                  <Value value={valueOf(item, field)} />
                  {changed && <Mark text="changed" />}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface ItemTableProps {
  read: Read;
  before: Read | undefined;
  fields: readonly string[];
}

/** One line for each item of a list, with the items that are new since the read before. */
function ItemTable({ read, before, fields }: ItemTableProps) {
  const added: ReadonlySet<Item> = newItems(read, before);
  return (
    <table className="w-full border-collapse">
      <caption className="sr-only">Items of one read</caption>
      <thead>
        <tr className="border-b border-line">
          {["Item", ...fields].map((label, index) => (
            <th key={index} scope="col" className={HEAD}>
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {read.items.map((item, index) => (
          <tr
            key={index}
            className={`border-b border-line/70 last:border-b-0 ${added.has(item) ? "bg-warn-soft" : ""}`}
          >
            <th scope="row" className={`${CELL} text-start font-normal whitespace-nowrap text-muted`}>
              {index + 1}
              {added.has(item) && <Mark text="new" />}
            </th>
            {fields.map((field) => (
              <td key={field} className={CELL}>
                <Value value={valueOf(item, field)} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Chart({ field, unit, points }: Series) {
  const values = points.map(({ value }) => value);
  const [latest = 0, low, high] = [values.at(-1), Math.min(...values), Math.max(...values)];
  const range = `${low} to ${high}${unit && ` ${unit}`}`;
  return (
    <figure className="min-w-0">
      <figcaption className="text-xs text-muted">
        <span className="font-medium wrap-anywhere text-ink">{field}</span>: {latest} {unit}, {range}
      </figcaption>
      <LineChart values={values} label={`${field} over ${values.length} reads: ${range}, latest ${latest}`} />
    </figure>
  );
}

function Downloads({
  name,
  values,
  reads,
  isList,
}: {
  name: string;
  values: readonly ValueSet[];
  reads: readonly Read[];
  isList: boolean;
}) {
  return (
    <>
      <Button icon="download" onClick={() => download(`${name}.csv`, "text/csv", csvOf(reads, isList))}>
        CSV
      </Button>
      <Button
        icon="download"
        onClick={() => download(`${name}.json`, "application/json", JSON.stringify(values, null, 2))}
      >
        JSON
      </Button>
    </>
  );
}

const keyOf = ({ at, url }: Read) => `${at} ${url}`;

interface ValueHistoryProps {
  name: string;
  values: readonly ValueSet[];
  /** Loads more; absent if there are no more, or no more can be read. */
  onMore?: (() => void) | undefined;
}

/** The values of a source by read: one column for each field, changes, charts of numbers, and files of them. */
export function ValueHistory({ name, values, onMore }: ValueHistoryProps) {
  const [chosen, setChosen] = useState<string>();
  const now = useNow();
  if (values.length === 0)
    return <Message title="No values yet">They appear here after the first successful run.</Message>;
  const { reads, isList } = readsOf(values);
  const fields = fieldsOf(reads);
  const several = haveSeveralPages(reads);
  const series = seriesOf(reads, isList);
  const index = Math.max(
    0,
    reads.findIndex((each) => keyOf(each) === chosen),
  );
  const read = reads[index];
  return (
    <>
      <div className="flex flex-wrap items-end justify-between gap-3 border-b border-line px-4 py-3">
        {isList ? (
          <Select
            label="Read"
            value={read ? keyOf(read) : ""}
            onChange={(event) => setChosen(event.target.value)}
            options={reads.map((each) => ({
              value: keyOf(each),
              label:
                `${formatRelative(Date.parse(each.at), now)}, ${counted(each.items.length, "item")}` +
                (several ? `, ${each.url}` : ""),
            }))}
          />
        ) : (
          <p className="text-muted">The newest {counted(reads.length, "read")}</p>
        )}
        <div className="flex flex-wrap gap-2">
          {onMore && <Button onClick={onMore}>Load more</Button>}
          <Downloads name={name} values={values} reads={reads} isList={isList} />
        </div>
      </div>
      {series.length > 0 && (
        <div className="flex flex-wrap gap-x-8 gap-y-3 border-b border-line px-4 py-3">
          {series.map((each) => (
            <Chart key={each.field} {...each} />
          ))}
        </div>
      )}
      <div role="region" aria-label="Values" tabIndex={0} className="max-h-[40rem] overflow-auto">
        {isList && read ? (
          <ItemTable read={read} before={readBefore(reads, index)} fields={fields} />
        ) : (
          <RecordTable reads={reads} fields={fields} />
        )}
      </div>
    </>
  );
}
