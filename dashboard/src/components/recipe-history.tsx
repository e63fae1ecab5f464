import { useRollback } from "../api/source-actions";
import type { RecipeVersion } from "../api/types";
import { Badge } from "../ui/badge";
import { Button } from "../ui/button";
import { Diff } from "../ui/diff";
import { counted } from "../ui/format";
import { JsonText } from "../ui/json-view";
import { Message } from "../ui/message";
import { Time } from "../ui/time";
import { StateBadge } from "./state-badge";
import { STAGE_LOOKS } from "./tones";

/** The versions of a recipe with their changes, the newest first; earlier ones can be reactivated. */
export function RecipeHistory({ name, recipes }: { name: string; recipes: readonly RecipeVersion[] }) {
  const rollback = useRollback(name);
  if (recipes.length === 0) {
    return (
      <Message title="No recipe yet">The first version is made when the page is read. The queue shows when.</Message>
    );
  }
  return (
    <ul aria-label="Versions of the recipe" className="divide-y divide-line">
      {recipes
        .toSorted((a, b) => b.version - a.version)
        .map((recipe) => (
          <li key={recipe.version} className="py-3">
            <div className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4">
              <h3 className="font-semibold">Version {recipe.version}</h3>
              <StateBadge looks={STAGE_LOOKS} value={recipe.stage} />
              {recipe.waits && (
                <Badge tone="warn" icon="clock">
                  Waits for approval
                </Badge>
              )}
              <span className="text-xs text-muted">
                proposed <Time at={recipe.createdAt} /> by {recipe.askedBy}
                {recipe.promotedBy && `, activated by ${recipe.promotedBy}`}; {counted(recipe.runs, "run")},{" "}
                {recipe.failedRuns} failed
              </span>
              {recipe.stage === "ARCHIVED" && (
                <Button
                  className="sm:ms-auto"
                  busy={rollback.isPending && rollback.variables === recipe.version}
                  disabled={rollback.isPending}
                  onClick={() => rollback.mutate(recipe.version)}
                >
                  Roll back to version {recipe.version}
                </Button>
              )}
            </div>
            {recipe.diff ? (
              <div className="mt-2 border-y border-line">
                <Diff patch={recipe.diff} label={`What version ${recipe.version} changed`} />
              </div>
            ) : (
              <p className="mt-1 px-4 text-xs text-muted">
                This is the first version; there is no earlier one to compare it with.
              </p>
            )}
            <details className="mt-2 px-4">
              <summary className="text-xs text-muted">Whole recipe</summary>
              <JsonText label={`Recipe of version ${recipe.version}`} value={recipe.recipe} />
            </details>
          </li>
        ))}
    </ul>
  );
}
