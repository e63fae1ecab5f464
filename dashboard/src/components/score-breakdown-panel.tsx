import { Suspense } from "react";
import { lazyPart } from "../ui/lazy-part";
import { Panel } from "../ui/panel";
import { WhenVisible } from "../ui/when-visible";
import { scoreOf } from "./score";

// The library of the chart is larger than the rest of the page: it is loaded when the chart comes into view.
const ScoreChart = lazyPart(async () => (await import("./score-chart")).default);

interface ScoreBreakdownProps {
  totalTime: string;
  commitCount: number;
}

/** The score and what it is made of. */
export function ScoreBreakdownPanel({ totalTime, commitCount }: ScoreBreakdownProps) {
  const { baseScore, speedBonus, commitPenalty, finalScore } = scoreOf(totalTime, commitCount);
  const bars = [
    { name: "Base", points: baseScore, text: `${baseScore}`, fill: "var(--accent)" },
    { name: "Speed", points: speedBonus, text: `+${speedBonus}`, fill: "var(--good)" },
    {
      name: "Commits",
      points: -commitPenalty,
      text: commitPenalty > 0 ? `−${commitPenalty}` : "0",
      fill: "var(--bad)",
    },
  ];
  return (
    <Panel title="Score">
      <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
        <p className="flex flex-col">
          <strong data-testid="final-score" className="text-5xl leading-none font-semibold tracking-tight">
            {finalScore}
          </strong>
          <span className="mt-1 text-xs text-muted">points</span>
        </p>
        {/* The list says what the chart shows. */}
        <div aria-hidden="true" className="h-28 min-w-48 flex-1 overflow-hidden">
          <WhenVisible>
            <Suspense>
              <ScoreChart bars={bars} />
            </Suspense>
          </WhenVisible>
        </div>
      </div>
      <ul className="mt-3 grid gap-1 border-t border-line pt-3 text-xs text-muted">
        <li>Base score: {baseScore}</li>
        <li>Speed bonus: +{speedBonus} (10 for less than 5 minutes)</li>
        <li>
          Commit penalty: {commitPenalty > 0 ? `−${commitPenalty}` : 0} (2 for each commit over 20; {commitCount} made)
        </li>
      </ul>
    </Panel>
  );
}
