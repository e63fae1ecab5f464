import { useQuery } from "@tanstack/react-query";
import * as sourceQueries from "../api/source-queries";
import type { RecipeVersion, Source, StoredPage } from "../api/types";
import { Badge } from "../ui/badge";
import { counted } from "../ui/format";
import { inline } from "../ui/json-view";
import { Loaded } from "../ui/loaded";
import { Message } from "../ui/message";
import { diagnosisOf } from "./fix-reasons";
import { FixDecision } from "./fix-decision";
import { fieldChanges, markedValues, versionsOf, type FieldChange } from "./recipe-fields";
import { SnapshotComparison } from "./snapshot-comparison";

/** The most values of one field that a cell displays. */
const MOST_VALUES = 3;

/** The values of one field in accepted values: of one record, or of a list of records. */
function acceptedValues(values: unknown, field: string): string[] {
  const records: unknown[] = Array.isArray(values) ? values : [values];
  return records.flatMap((record) =>
    typeof record === "object" && record !== null && Object.hasOwn(record, field)
      ? [inline((record as Record<string, unknown>)[field])]
      : [],
  );
}

function Values({ values, none }: { values: readonly string[] | undefined; none: string }) {
  if (!values || values.length === 0) return <span className="text-muted">{none}</span>;
  return (
    <span className="wrap-anywhere">
      {values.slice(0, MOST_VALUES).map((value, index) => (
        <span key={index} className="block">
          {value || "(no text)"}
        </span>
      ))}
      {values.length > MOST_VALUES && (
        <span className="block text-muted">and {counted(values.length - MOST_VALUES, "more", "more")}</span>
      )}
    </span>
  );
}

function Selectors({ change: { before, after } }: { change: FieldChange }) {
  if (before === after) return <code className="font-mono text-xs wrap-anywhere">{after}</code>;
  return (
    <span className="font-mono text-xs wrap-anywhere">
      {before !== undefined && (
        <del className="block text-bad no-underline">
          <span aria-hidden="true">− </span>
          {before}
        </del>
      )}
      {after !== undefined && (
        <ins className="block text-good no-underline">
          <span aria-hidden="true">+ </span>
          {after}
        </ins>
      )}
    </span>
  );
}

interface FieldTableProps {
  source: Source;
  waiting: RecipeVersion;
  active: RecipeVersion | undefined;
  page: StoredPage | undefined;
}

/** Each field with its accepted value, the value that the fix gives, and the selectors. */
function FieldTable({ source, waiting, active, page }: FieldTableProps) {
  const marked = useQuery({
    ...sourceQueries.snapshotPage(source.name, page?.snapshotId ?? 0, waiting.version),
    enabled: page !== undefined,
  });
  const found = marked.data === undefined ? undefined : markedValues(marked.data);
  const none = found || marked.error || !page ? "not found" : "loading";
  return (
    <table className="stacking-table">
      <caption className="sr-only">Fields of the fix</caption>
      <thead>
        <tr className="border-b border-line text-start text-xs text-muted">
          {["Field", "Last accepted value", "Value with the fix", "Selector"].map((label) => (
            <th key={label} scope="col" className="px-4 py-2 text-start font-medium">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {fieldChanges(active?.recipe, waiting.recipe).map((change) => (
          <tr key={change.field} className="border-b border-line/70 align-top last:border-b-0">
            <td className="px-4 py-2 font-medium">
              {change.field} {change.before !== change.after && <Badge tone="warn">Changed</Badge>}
            </td>
            <td data-label="Last accepted value" className="px-4 py-2">
              <Values values={acceptedValues(source.lastValues, change.field)} none="none" />
            </td>
            <td data-label="Value with the fix" className="px-4 py-2">
              <Values values={found?.get(change.field)} none={none} />
            </td>
            <td data-label="Selector" className="px-4 py-2">
              <Selectors change={change} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Returns the failure that the newest attempt was made for. */
function useFailure(name: string): string | undefined {
  const { data } = useQuery(sourceQueries.sourceFixes(name));
  const newest = data?.fixes.toSorted((a, b) => a.at.localeCompare(b.at)).at(-1);
  return newest && diagnosisOf(newest)?.message;
}

/** Everything needed to decide about the waiting fix of a source, and the decision. */
export function FixReview({ source }: { source: Source }) {
  const recipes = useQuery(sourceQueries.sourceRecipes(source.name));
  const snapshots = useQuery(sourceQueries.sourceSnapshots(source.name));
  const failure = useFailure(source.name);
  return (
    <Loaded query={recipes} lines={8}>
      {({ recipes }) => {
        const { waiting, active } = versionsOf(recipes);
        if (!waiting) return <Message title="No fix waits for approval">The history lists earlier decisions.</Message>;
        return (
          <>
            <div className="flex flex-wrap items-start justify-between gap-3 border-b border-line px-4 py-3">
              <div className="max-w-prose min-w-0">
                <p className="font-medium">
                  Version {waiting.version} passed its validation and waits for your decision.
                </p>
                {failure && (
                  <p className="mt-1 wrap-anywhere text-muted">
                    The active version fails on the page as it is now: {failure}
                  </p>
                )}
              </div>
              <div className="flex gap-2">
                <FixDecision source={source} waiting={waiting} />
              </div>
            </div>
            <Loaded query={snapshots}>
              {({ snapshots }) => {
                const newest = snapshots.toSorted((a, b) => b.takenAt.localeCompare(a.takenAt));
                const page = newest.find(({ role }) => role === "FAILING") ?? newest[0];
                return (
                  <>
                    <FieldTable source={source} waiting={waiting} active={active} page={page} />
                    <div className="border-t border-line">
                      <SnapshotComparison name={source.name} snapshots={newest} recipes={recipes} />
                    </div>
                  </>
                );
              }}
            </Loaded>
          </>
        );
      }}
    </Loaded>
  );
}
