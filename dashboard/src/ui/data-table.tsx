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
  /** The order, where it is kept elsewhere; `none` for rows that are a part of a longer list, which cannot be sorted here. */
  sorting?: Sorting | "none";
}

type Direction = "ascending" | "descending";

export interface Order {
  /** Key of the column. */
  column: string;
  direction: Direction;
}

export interface Sorting {
  order: Order | undefined;
  setOrder: (order: Order | undefined) => void;
}

function valueOf<Row>({ accessorKey, accessorFn }: ColumnDef<Row>, row: Row): unknown {
  return accessorFn ? accessorFn(row) : accessorKey === undefined ? undefined : row[accessorKey];
}

const canSort = <Row,>({ accessorKey, accessorFn, enableSorting = true }: ColumnDef<Row>): boolean =>
  enableSorting && (accessorKey !== undefined || accessorFn !== undefined);

const keyOf = <Row,>({ id, accessorKey, header }: ColumnDef<Row>): string =>
  id ?? (typeof header === "string" ? header : (accessorKey ?? ""));

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
function nextOrder<Row>(order: Order | undefined, column: ColumnDef<Row>, rows: readonly Row[]): Order | undefined {
  const key = keyOf(column);
  const value = rows.map((row) => valueOf(column, row)).find((each) => !isMissing(each));
  const first: Direction = typeof value === "number" ? "descending" : "ascending";
  if (order?.column !== key) return { column: key, direction: first };
  if (order.direction !== first) return undefined;
  return { column: key, direction: first === "ascending" ? "descending" : "ascending" };
}

interface HeadingProps<Row> {
  column: ColumnDef<Row>;
  direction: Direction | undefined;
  /** Absent if the column cannot be sorted by. */
  onSort: (() => void) | undefined;
}

function Heading<Row>({ column, direction, onSort }: HeadingProps<Row>) {
  const { header, meta } = column;
  const label = typeof header === "function" ? header() : header;
  const end = meta?.end === true;
  return (
    <th
      scope="col"
      aria-sort={direction}
      className={`px-2 py-2 text-xs font-medium text-muted first:ps-4 last:pe-4 ${end ? "text-end" : "text-start"} ${meta?.roomy ? "md:max-xl:hidden" : ""}`}
    >
      {onSort ? (
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

/** A table whose columns can be sorted, and that becomes a stack of cards on a narrow screen. */
export function DataTable<Row>({ caption, columns, rows, rowKey, sorting }: DataTableProps<Row>) {
  const [ownOrder, setOwnOrder] = useState<Order>();
  const { order, setOrder } = sorting === "none" ? {} : (sorting ?? { order: ownOrder, setOrder: setOwnOrder });
  // It may stand in the address, where anything may.
  const by = order && columns.find((column) => canSort(column) && keyOf(column) === order.column);
  const shown = order && by ? sorted(rows, by, order.direction) : rows;
  return (
    <table className="stacking-table">
      <caption className="sr-only">{caption}</caption>
      <thead>
        <tr className="border-b border-line">
          {columns.map((column) => (
            <Heading
              key={keyOf(column)}
              column={column}
              direction={column === by ? order?.direction : undefined}
              onSort={
                setOrder && canSort(column)
                  ? () => setOrder(nextOrder(column === by ? order : undefined, column, rows))
                  : undefined
              }
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
