import { useState, type ReactNode } from "react";
import { Icon } from "./icon";

export interface ColumnDef<Row> {
  header: string | (() => ReactNode);
  /** Identifies a column that has no `accessorKey` and no text as its header. */
  id?: string;
  /** Property whose value is sorted by, and displayed if there is no `cell`. */
  accessorKey?: keyof Row & string;
  /** The value, if it is not a property. */
  accessorFn?: (row: Row) => unknown;
  enableSorting?: boolean;
  meta?: {
    /** Figures stand at the end of their column. */
    end?: boolean;
    /** Left out where a table has columns and little room: between the cards of a phone and a wide screen. */
    roomy?: boolean;
    /** The share of the table that a column of long texts takes; what is longer is cut. */
    share?: "md:w-1/3" | "md:w-2/5" | "md:w-1/2" | "md:w-full";
  };
  cell?: (context: { row: { original: Row } }) => ReactNode;
}

interface DataTableProps<Row> {
  /** What the table is about, for those who do not see it. */
  caption: string;
  columns: readonly ColumnDef<Row>[];
  rows: readonly Row[];
  rowKey?: (row: Row, index: number) => string;
}

type Direction = "ascending" | "descending";

interface Order {
  column: number;
  direction: Direction;
}

function valueOf<Row>({ accessorKey, accessorFn }: ColumnDef<Row>, row: Row): unknown {
  return accessorFn ? accessorFn(row) : accessorKey === undefined ? undefined : row[accessorKey];
}

const isMissing = (value: unknown) => value === undefined || value === null;

function compare(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

/** Sorts rows by a column. Rows without a value are last in both directions. */
function sorted<Row>(rows: readonly Row[], column: ColumnDef<Row> | undefined, direction: Direction): readonly Row[] {
  if (!column) return rows;
  const sign = direction === "ascending" ? 1 : -1;
  return rows.toSorted((one, other) => {
    const [a, b] = [valueOf(column, one), valueOf(column, other)];
    if (isMissing(a) || isMissing(b)) return Number(isMissing(a)) - Number(isMissing(b));
    return sign * compare(a, b);
  });
}

/** Returns the next order of a column: figures begin with the largest, texts with the first; then turned; then none. */
function nextOrder<Row>(order: Order | undefined, index: number, column: ColumnDef<Row>, rows: readonly Row[]) {
  const value = rows.map((row) => valueOf(column, row)).find((each) => !isMissing(each));
  const first: Direction = typeof value === "number" ? "descending" : "ascending";
  if (order?.column !== index) return { column: index, direction: first };
  if (order.direction !== first) return undefined;
  return { column: index, direction: first === "ascending" ? ("descending" as const) : ("ascending" as const) };
}

interface HeadingProps<Row> {
  column: ColumnDef<Row>;
  direction: Direction | undefined;
  onSort: () => void;
}

function Heading<Row>({ column, direction, onSort }: HeadingProps<Row>) {
  const { header, meta, accessorKey, accessorFn, enableSorting = true } = column;
  const label = typeof header === "function" ? header() : header;
  const end = meta?.end === true;
  const canSort = enableSorting && (accessorKey !== undefined || accessorFn !== undefined);
  return (
    <th
      scope="col"
      aria-sort={direction}
      className={`px-2 py-2 text-xs font-medium text-muted first:ps-4 last:pe-4 ${end ? "text-end" : "text-start"} ${meta?.roomy ? "md:max-xl:hidden" : ""}`}
    >
      {canSort ? (
        <button
          type="button"
          onClick={onSort}
          className={`group inline-flex items-center gap-0.5 rounded align-middle whitespace-nowrap hover:text-ink ${end ? "flex-row-reverse" : ""} ${direction ? "text-ink" : ""}`}
        >
          {label}
          <Icon
            name={direction === "ascending" ? "up" : direction === "descending" ? "down" : "updown"}
            className={`size-3 ${direction ? "" : "opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100"}`}
          />
        </button>
      ) : (
        label
      )}
    </th>
  );
}

const keyOf = <Row,>({ id, accessorKey, header }: ColumnDef<Row>): string =>
  id ?? (typeof header === "string" ? header : (accessorKey ?? ""));

/** A table whose columns can be sorted, and that becomes a stack of cards on a narrow screen. */
export function DataTable<Row>({ caption, columns, rows, rowKey }: DataTableProps<Row>) {
  const [order, setOrder] = useState<Order>();
  const shown = order ? sorted(rows, columns[order.column], order.direction) : rows;
  return (
    <table className="stacking-table">
      <caption className="sr-only">{caption}</caption>
      <thead>
        <tr className="border-b border-line">
          {columns.map((column, index) => (
            <Heading
              key={keyOf(column)}
              column={column}
              direction={order?.column === index ? order.direction : undefined}
              onSort={() => setOrder((previous) => nextOrder(previous, index, column, rows))}
            />
          ))}
        </tr>
      </thead>
      <tbody>
        {shown.map((row, index) => (
          <tr
            key={rowKey ? rowKey(row, index) : index}
            className="border-b border-line/70 last:border-b-0 hover:bg-sunken/40"
          >
            {columns.map((column) => {
              const { meta, header, cell } = column;
              const value = cell ? undefined : valueOf(column, row);
              return (
                <td
                  key={keyOf(column)}
                  data-label={typeof header === "string" ? header : ""}
                  className={`px-2 py-2 align-middle md:first:ps-4 md:last:pe-4 ${meta?.end ? "md:text-end" : ""} ${meta?.roomy ? "md:max-xl:hidden" : ""} ${meta?.share ? `${meta.share} md:max-w-0` : ""}`}
                >
                  {cell
                    ? cell({ row: { original: row } })
                    : typeof value === "string" || typeof value === "number"
                      ? value
                      : null}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
