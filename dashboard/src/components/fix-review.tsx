import { useQuery } from "@tanstack/react-query";
import * as sourceQueries from "../api/source-queries";
import type { RecipeVersion, Source, StoredPage } from "../api/types";
import { Loaded } from "../ui/loaded";
import { Message } from "../ui/message";
import { FieldTable, Values } from "./field-table";
import { FixDecision } from "./fix-decision";
import { diagnosisOf } from "./fix-reasons";
import {
  acceptedValues,
  failingPage,
  fieldChanges,
  markedValues,
  newestFirst,
  versionsOf,
  type FieldChange,
} from "./recipe-fields";
import { SnapshotComparison } from "./snapshot-comparison";

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

interface FixFieldsProps {
  source: Source;
  waiting: RecipeVersion;
  active: RecipeVersion | undefined;
  page: StoredPage | undefined;
}

/** Each field with its accepted value, the value that the fix gives, and the selectors. */
function FixFields({ source, waiting, active, page }: FixFieldsProps) {
  const marked = useQuery({
    ...sourceQueries.snapshotPage(source.name, page?.snapshotId ?? 0, waiting.version),
    enabled: page !== undefined,
  });
  const found = marked.data === undefined ? undefined : markedValues(marked.data);
  const none = found || marked.error || !page ? "not found" : "loading";
  return (
    <FieldTable
      caption="Fields of the fix"
      columns={["Last accepted value", "Value with the fix", "Selector"]}
      rows={fieldChanges(active?.recipe, waiting.recipe).map((change) => ({
        field: change.field,
        isChanged: change.before !== change.after,
        cells: [
          <Values key="accepted" values={acceptedValues(source.lastValues, change.field)} none="none" />,
          <Values key="found" values={found?.get(change.field)} none={none} />,
          <Selectors key="selectors" change={change} />,
        ],
      }))}
    />
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
                const newest = newestFirst(snapshots);
                const page = failingPage(newest) ?? newest[0];
                return (
                  <>
                    <FixFields source={source} waiting={waiting} active={active} page={page} />
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
