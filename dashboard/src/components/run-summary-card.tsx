import { sentence } from "../api/describe";
import type { HealingResults } from "../api/types";
import { Facts, type Fact } from "../ui/facts";
import { Panel } from "../ui/panel";
import { SafeLink } from "../ui/safe-link";
import { formatTotalTime } from "./duration";
import { StateBadge } from "./state-badge";
import { CI_LOOKS, RUN_LOOKS } from "./tones";

interface RunSummaryProps {
  results: HealingResults;
}

/** What a healing came to. */
export function RunSummaryCard({ results }: RunSummaryProps) {
  const facts: Fact[] = [
    ["Repository", <SafeLink key="repository" to={results.repository} />, "wide"],
    [
      "Branch",
      <code key="branch" className="font-mono text-xs break-all">
        {results.branchName}
      </code>,
      "wide",
    ],
    ["Team", results.teamName],
    ["Leader", results.leaderName],
    ["Failures found", results.totalFailures],
    ["Fixes applied", results.fixesApplied],
    ["Iterations", results.iterations],
    ["Total time", formatTotalTime(results.totalTime)],
  ];
  if (results.pullRequest) facts.push(["Pull request", <SafeLink key="request" to={results.pullRequest} />, "wide"]);
  const toKnow = [
    ...results.warnings,
    ...(results.flaky ?? []).map(
      (test) => `Flaky (${test.kind}): ${test.test}: ${test.evidence.join("; ")}; to see it: ${test.reproduction}`,
    ),
    ...results.notRun.map((what) => `Not run here, and CI decides by it, too: ${what}`),
  ];
  return (
    <Panel
      title="Run summary"
      aside={
        <span className="flex flex-wrap gap-1">
          <StateBadge looks={CI_LOOKS} value={results.ciStatus} />
          <StateBadge looks={RUN_LOOKS} value={results.outcome} />
        </span>
      }
    >
      <Facts facts={facts} />
      <p className="mt-4 border-t border-line pt-3">
        {sentence(results.explanation)} <span className="text-muted">{results.next}</span>
      </p>
      {toKnow.length > 0 && (
        <ul className="mt-3 list-disc ps-5 text-warn">
          {toKnow.map((warning, index) => (
            <li key={index} className="break-words">
              {warning}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
