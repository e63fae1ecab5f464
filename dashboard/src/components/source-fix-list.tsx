import { Link } from "react-router";
import type { FixAttempt, RecipeVersion, RunSummary } from "../api/types";
import { Badge } from "../ui/badge";
import { words } from "../ui/format";
import { Message } from "../ui/message";
import { FixCard } from "./fix-card";
import { AttemptDetails } from "./fix-list";
import { diagnosisOf, failedRead, validationErrors, versionOf } from "./fix-reasons";
import { withoutReordering } from "./patches";
import { StateBadge } from "./state-badge";
import { STAGE_LOOKS } from "./tones";

interface SourceFixListProps {
  fixes: readonly FixAttempt[];
  /** The versions of the recipe, which tell the fate of each fix. */
  recipes: readonly RecipeVersion[];
  runs: readonly RunSummary[];
}

interface AttemptCardProps extends SourceFixListProps {
  attempt: FixAttempt;
}

function sentenceOf({ deployedTo }: FixAttempt, version: RecipeVersion | undefined, hasPassed: boolean): string {
  if (deployedTo === "FAILED") return "No fix was found";
  const what = version ? `Version ${version.version} of the recipe` : "A change of the recipe";
  return hasPassed ? `${what} passed its validation` : `${what} did not pass its validation`;
}

function AttemptCard({ attempt, fixes, recipes, runs }: AttemptCardProps) {
  const version = attempt.deployedTo === "FAILED" ? undefined : versionOf(attempt, fixes, recipes);
  const errors = validationErrors(attempt);
  const read = failedRead([attempt], runs);
  const diagnosis = diagnosisOf(attempt);
  return (
    <FixCard
      sentence={sentenceOf(attempt, version, errors.length === 0)}
      badge={
        version?.waits ? (
          <Badge tone="warn" icon="clock">
            Waits for approval
          </Badge>
        ) : (
          <StateBadge looks={STAGE_LOOKS} value={version?.stage ?? attempt.deployedTo} />
        )
      }
      kind={words(attempt.errorType)}
      at={attempt.at}
      problem={diagnosis?.message}
      reasons={errors}
      patch={withoutReordering(attempt.patch)}
      diffLabel={`Diff of ${attempt.target}`}
    >
      {diagnosis?.summary && (
        <p className="mt-2 px-4 text-xs wrap-anywhere whitespace-pre-line text-muted">
          Changes of the page: {diagnosis.summary.trim()}
        </p>
      )}
      {read && (
        <p className="mt-2 px-4 text-xs">
          <Link to={`/runs/${read.runId}`} className="text-accent underline underline-offset-2">
            The failed read that led to it
          </Link>
        </p>
      )}
      <AttemptDetails attempt={attempt} />
    </FixCard>
  );
}

/** The attempts to fix a source, the newest first, with the reasons of those that failed. */
export function SourceFixList({ fixes, recipes, runs }: SourceFixListProps) {
  if (fixes.length === 0) {
    return <Message title="No fixes">Each attempt of the Doctor appears here with its reason or its diff.</Message>;
  }
  return (
    <ul aria-label="Fixes" className="divide-y divide-line">
      {fixes
        .toSorted((a, b) => b.at.localeCompare(a.at))
        .map((attempt, index) => (
          <AttemptCard key={index} attempt={attempt} fixes={fixes} recipes={recipes} runs={runs} />
        ))}
    </ul>
  );
}
