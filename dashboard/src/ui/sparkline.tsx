import type { RecentRun } from "../api/types";

const MOST = 24;

const BARS = { healed: "bg-good/60 h-full", not: "bg-bad h-full", running: "bg-info h-1/2" };

function kindOf(run: RecentRun): keyof typeof BARS {
  if (run.finishedAt === undefined || run.finishedAt === null) return "running";
  return run.healed ? "healed" : "not";
}

/** The last runs as ticks, newest at the end; the text says what the colours do. */
export function Sparkline({ runs }: { runs: readonly RecentRun[] }) {
  const shown = runs.slice(-MOST);
  const good = shown.filter((run) => kindOf(run) === "healed").length;
  const text = shown.length === 0 ? "No runs yet" : `${good} of the last ${shown.length} runs went well`;
  return (
    <span
      role="img"
      aria-label={text}
      title={text}
      className="inline-flex h-5 w-28 align-middle items-end justify-end gap-px"
    >
      {shown.map((run) => (
        <span key={run.runId} className={`min-w-0.5 flex-1 max-w-1.5 rounded-[1px] ${BARS[kindOf(run)]}`} />
      ))}
      {shown.length === 0 && <span className="w-full border-b border-dashed border-line-strong" />}
    </span>
  );
}
