import type { ReactNode } from "react";
import type { FieldTrial } from "../api/types";
import { Badge } from "../ui/badge";
import { counted } from "../ui/format";

/** The most values of one field that a cell displays. */
const MOST_VALUES = 4;

interface ValuesProps {
  /** The first values; `undefined` if they are not known yet. */
  values: readonly string[] | undefined;
  /** Number of all values, if there are more. */
  total?: number;
  /** The text of a cell without values. */
  none: string;
  /** Reason for missing values. */
  problem?: string | undefined;
  /** True if they differ from the values before. */
  isChanged?: boolean;
}

/** The values of one field in a cell. */
export function Values({ values = [], total = values.length, none, problem, isChanged = false }: ValuesProps) {
  return (
    <span className="wrap-anywhere">
      {values.length === 0 && problem === undefined && <span className="text-muted">{none}</span>}
      {values.slice(0, MOST_VALUES).map((value, index) => (
        <span key={index} className="block">
          {value || "(no text)"}
        </span>
      ))}
      {total > MOST_VALUES && (
        <span className="block text-muted">and {counted(total - MOST_VALUES, "more", "more")}</span>
      )}
      {problem !== undefined && (
        <span className="block text-bad">
          {values.length > 0 ? "In part: " : "Nothing: "}
          {problem}
        </span>
      )}
      {isChanged && <Badge tone="warn">Changed</Badge>}
    </span>
  );
}

/** The values that a recipe gives for one field of a stored page. */
export function TrialValues({ trial, isChanged }: { trial: FieldTrial; isChanged?: boolean }) {
  return (
    <Values
      values={trial.values}
      total={trial.total}
      none="not found"
      problem={trial.problems[0]}
      isChanged={isChanged}
    />
  );
}

export interface FieldRow {
  field: string;
  /** True if the rule of the field is another one. */
  isChanged?: boolean;
  /** One cell for each column after the field. */
  cells: readonly ReactNode[];
}

interface FieldTableProps {
  caption: string;
  /** Labels of the columns after the field. */
  columns: readonly string[];
  rows: readonly FieldRow[];
}

/** The fields of a recipe, with their values. */
export function FieldTable({ caption, columns, rows }: FieldTableProps) {
  return (
    <table className="stacking-table">
      <caption className="sr-only">{caption}</caption>
      <thead>
        <tr className="border-b border-line text-start text-xs text-muted">
          {["Field", ...columns].map((label) => (
            <th key={label} scope="col" className="px-4 py-2 text-start font-medium">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ field, isChanged, cells }, index) => (
          <tr key={index} className="border-b border-line/70 align-top last:border-b-0">
            <td className="px-4 py-2 font-medium">
              {field} {isChanged && <Badge tone="warn">Changed</Badge>}
            </td>
            {columns.map((label, column) => (
              <td key={label} data-label={label} className="px-4 py-2">
                {cells[column]}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
