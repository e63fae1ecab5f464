import { sentence } from "../api/describe";
import type { HealingResults as Results } from "../api/types";
import { Message } from "../ui/message";
import { Panel } from "../ui/panel";
import { CITimelineComponent } from "./ci-timeline";
import { FixesTable } from "./fixes-table";
import { RunSummaryCard } from "./run-summary-card";
import { ScoreBreakdownPanel } from "./score-breakdown-panel";

/** All that came of a healing. */
export function HealingResults({ results }: { results: Results }) {
  return (
    <div className="grid min-w-0 gap-5 xl:grid-cols-[minmax(0,2fr)_minmax(18rem,1fr)]">
      {results.error && (
        <div role="alert" className="rounded-lg border border-bad bg-surface xl:col-span-2">
          <Message icon="warning" title={sentence(results.explanation)}>
            {results.error.message !== results.explanation && (
              <p className="wrap-anywhere">{sentence(results.error.message)}</p>
            )}
            <p>{results.next}</p>
          </Message>
        </div>
      )}
      <RunSummaryCard results={results} />
      {results.ciStatus === "PASSED" ? (
        <ScoreBreakdownPanel totalTime={results.totalTime} commitCount={results.commitCount} />
      ) : (
        <Panel title="Score">
          <Message title="No score: CI did not pass">
            A healing is scored when the checks of the repository pass.
          </Message>
        </Panel>
      )}
      <FixesTable fixes={results.fixes} />
      <CITimelineComponent iterations={results.iterationHistory} retryLimit={results.retryLimit} />
    </div>
  );
}
