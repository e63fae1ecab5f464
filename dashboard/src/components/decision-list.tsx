import { useReconsideration } from "../api/source-actions";
import type { Decision, RecipeVersion } from "../api/types";
import { Button } from "../ui/button";
import { words } from "../ui/format";
import { Time } from "../ui/time";

interface DecisionListProps {
  /** Name of the source. */
  name: string;
  decisions: readonly Decision[];
  recipes: readonly RecipeVersion[];
}

/** Returns the newest rejection that can be undone. While a version waits, there is none. */
export function undoable(decisions: readonly Decision[], recipes: readonly RecipeVersion[]): Decision | undefined {
  if (recipes.some(({ waits }) => waits)) return undefined;
  const rejected = new Set(recipes.filter(({ stage }) => stage === "REJECTED").map(({ version }) => version));
  return decisions
    .filter(({ decision, version }) => decision === "REJECTED" && rejected.has(version ?? 0))
    .toSorted((a, b) => b.at.localeCompare(a.at))[0];
}

/** The decisions of users about a source with their reasons. The newest rejection can be undone. */
export function DecisionList({ name, decisions, recipes }: DecisionListProps) {
  const reconsideration = useReconsideration(name);
  if (decisions.length === 0) return null;
  const rejection = undoable(decisions, recipes);
  return (
    <div className="border-t border-line p-4">
      <h3 className="mb-2 font-semibold">Decisions</h3>
      <ul aria-label="Decisions" className="flex flex-col gap-1 text-muted">
        {decisions.map((each, index) => {
          const { at, decision, askedBy, version, note } = each;
          return (
            <li key={index} className="break-words">
              {words(decision)}
              {typeof version === "number" && `, version ${version}`}, by {askedBy}, <Time at={at} />
              {note && <span className="block wrap-anywhere text-ink">{note}</span>}
              {each === rejection && typeof version === "number" && (
                <Button
                  className="mt-2"
                  busy={reconsideration.isPending}
                  onClick={() => reconsideration.mutate(version)}
                >
                  Let it wait again
                </Button>
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
