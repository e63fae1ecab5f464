import {
  flexRender,
  getCoreRowModel,
  getSortedRowModel,
  useReactTable,
  type ColumnDef,
  type Header,
  type RowData,
} from "@tanstack/react-table";
import { Icon } from "./icon";

declare module "@tanstack/react-table" {
  // The parameters are the library's.
  // eslint-disable-next-line @typescript-eslint/no-unused-vars
  interface ColumnMeta<TData extends RowData, TValue> {
    /** Figures stand at the end of their column. */
    end?: boolean;
    /** Left out where a table has columns and little room: between the cards of a phone and a wide screen. */
    roomy?: boolean;
    /** The share of the table that a column of long texts takes; what is longer is cut. */
    share?: "md:w-1/3" | "md:w-2/5" | "md:w-1/2" | "md:w-full";
  }
}

interface DataTableProps<T> {
  /** What the table is about, for those who do not see it. */
  caption: string;
  // The library's own type for columns of different value types.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  columns: ColumnDef<T, any>[];
  rows: readonly T[];
  rowKey?: (row: T, index: number) => string;
}

const DIRECTIONS = { asc: "ascending", desc: "descending" } as const;

function Heading<T>({ header }: { header: Header<T, unknown> }) {
  const { column } = header;
  const label = flexRender(column.columnDef.header, header.getContext());
  const sorted = column.getIsSorted();
  const end = column.columnDef.meta?.end === true;
  return (
    <th
      scope="col"
      aria-sort={sorted ? DIRECTIONS[sorted] : undefined}
      className={`px-2 py-2 text-xs font-medium text-muted first:ps-4 last:pe-4 ${end ? "text-end" : "text-start"} ${column.columnDef.meta?.roomy ? "md:max-xl:hidden" : ""}`}
    >
      {column.getCanSort() ? (
        <button
          type="button"
          onClick={column.getToggleSortingHandler()}
          className={`group inline-flex items-center gap-0.5 rounded align-middle whitespace-nowrap hover:text-ink ${end ? "flex-row-reverse" : ""} ${sorted ? "text-ink" : ""}`}
        >
          {label}
          <Icon
            name={sorted === "asc" ? "up" : sorted === "desc" ? "down" : "updown"}
            className={`size-3 ${sorted ? "" : "opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100"}`}
          />
        </button>
      ) : (
        label
      )}
    </th>
  );
}

/** A table whose columns can be sorted, and that becomes a stack of cards on a narrow screen. */
export function DataTable<T>({ caption, columns, rows, rowKey }: DataTableProps<T>) {
  // The table's functions change with its state; a compiler that keeps results of calls must leave it alone.
  "use no memo";
  // eslint-disable-next-line react-hooks/incompatible-library
  const table = useReactTable({
    data: rows as T[],
    columns,
    getCoreRowModel: getCoreRowModel(),
    getSortedRowModel: getSortedRowModel(),
    ...(rowKey && { getRowId: rowKey }),
  });
  return (
    <table className="stacking-table">
      <caption className="sr-only">{caption}</caption>
      <thead>
        {table.getHeaderGroups().map((group) => (
          <tr key={group.id} className="border-b border-line">
            {group.headers.map((header) => (
              <Heading key={header.id} header={header} />
            ))}
          </tr>
        ))}
      </thead>
      <tbody>
        {table.getRowModel().rows.map((row) => (
          <tr key={row.id} className="border-b border-line/70 last:border-b-0 hover:bg-sunken/40">
            {row.getVisibleCells().map((cell) => {
              const { meta, header } = cell.column.columnDef;
              return (
                <td
                  key={cell.id}
                  data-label={typeof header === "string" ? header : ""}
                  className={`px-2 py-2 align-middle md:first:ps-4 md:last:pe-4 ${meta?.end ? "md:text-end" : ""} ${meta?.roomy ? "md:max-xl:hidden" : ""} ${meta?.share ? `${meta.share} md:max-w-0` : ""}`}
                >
                  {flexRender(cell.column.columnDef.cell, cell.getContext())}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
