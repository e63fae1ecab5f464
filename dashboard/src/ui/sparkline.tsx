import { Link } from "react-router";
import type { RecentRun } from "../api/types";
import { formatRelative } from "./format";
import { useNow } from "./time";

const MOST = 24;

/** A failed run is twice as tall as a good one: the colours are not all that tells them apart. */
const BARS = { good: "bg-good h-1/2", failed: "bg-bad h-full", running: "border border-info h-3/4" };
const NAMES = { good: "Succeeded", failed: "Failed", running: "Running" };

function kindOf(run: RecentRun): keyof typeof BARS {
  if (run.finishedAt === undefined || run.finishedAt === null) return "running";
  return run.isWell ? "good" : "failed";
}

function summaryOf(runs: readonly RecentRun[]): string {
  const over = runs.filter((run) => kindOf(run) !== "running");
  const good = over.filter((run) => kindOf(run) === "good").length;
  return over.length === 0 ? "No runs yet" : `${good} of the last ${over.length} runs succeeded`;
}

/** The last runs as bars, the newest at the end; the text says what the bars do. */
export function Sparkline({ runs }: { runs: readonly RecentRun[] }) {
  const shown = runs.slice(-MOST);
  const text = summaryOf(shown);
  return (
    <span
      role="img"
      aria-label={text}
      title={text}
      className="inline-flex h-5 w-28 items-end justify-end gap-px align-middle"
    >
      {shown.map((run) => (
        <span key={run.runId} className={`max-w-1.5 min-w-0.5 flex-1 rounded-[1px] ${BARS[kindOf(run)]}`} />
      ))}
      {shown.length === 0 && <span className="w-full border-b border-dashed border-line-strong" />}
    </span>
  );
}

/** The last runs as bars, each a link to its run, the newest at the end. */
export function RunStrip({ runs }: { runs: readonly RecentRun[] }) {
  const now = useNow();
  const shown = runs.slice(-MOST);
  if (shown.length === 0) return <span>No runs yet</span>;
  return (
    <ul aria-label={summaryOf(shown)} className="flex h-6 items-end">
      {shown.map((run) => {
        const kind = kindOf(run);
        const when = run.finishedAt ? `, ${formatRelative(Date.parse(run.finishedAt), now)}` : "";
        return (
          <li key={run.runId} className="h-full">
            <Link
              to={`/runs/${run.runId}`}
              title={NAMES[kind] + when}
              className="group flex h-full w-2 items-end px-px hover:bg-sunken"
            >
              <span className={`block w-full rounded-[1px] ${BARS[kind]}`} />
              <span className="sr-only">{NAMES[kind] + when}</span>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
