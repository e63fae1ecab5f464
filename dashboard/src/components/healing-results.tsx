import { Suspense } from "react";
import { describeCode } from "../api/describe";
import type { HealingResults as Results } from "../api/types";
import { lazyPart } from "../ui/lazy-part";
import { Message } from "../ui/message";
import { Panel } from "../ui/panel";
import { Skeleton } from "../ui/skeleton";
import { CITimelineComponent } from "./ci-timeline";
import { FixesTable } from "./fixes-table";
import { RunSummaryCard } from "./run-summary-card";

// The library of the chart is larger than the rest of the page: it is loaded when there is a score to display.
const ScoreBreakdownPanel = lazyPart(async () => (await import("./score-breakdown-panel")).ScoreBreakdownPanel);

/** All that came of a healing. */
export function HealingResults({ results }: { results: Results }) {
  const error = results.error && describeCode(results.error.code);
  return (
    <div className="grid min-w-0 gap-5 xl:grid-cols-[minmax(0,2fr)_minmax(18rem,1fr)]">
      {error && (
        <div role="alert" className="rounded-lg border border-bad/40 bg-surface xl:col-span-2">
          <Message icon="warning" title={error.title}>
            {error.message}
          </Message>
        </div>
      )}
      <RunSummaryCard results={results} />
      {results.ciStatus === "PASSED" ? (
        <Suspense
          fallback={
            <Panel title="Score">
              <Skeleton lines={5} />
            </Panel>
          }
        >
          <ScoreBreakdownPanel totalTime={results.totalTime} commitCount={results.commitCount} />
        </Suspense>
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
