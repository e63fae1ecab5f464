import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { overview } from "../api/queries";
import type { RunState } from "../api/types";
import { Figure, Figures } from "../ui/facts";

/** The outcomes that a person looks for, with their numbers. */
function outcomesOf(outcomes: Record<string, number>): string {
  const count = (...names: RunState[]) => names.reduce((sum, name) => sum + (outcomes[name] ?? 0), 0);
  const parts = [
    [count("fixed", "partly_fixed"), "fixed"],
    [count("healed"), "healed"],
    [count("could_not_fix", "broken", "blocked", "failed"), "not well"],
  ] as const;
  const told = parts.filter(([runs]) => runs > 0).map(([runs, what]) => `${runs} ${what}`);
  return told.join(", ") || "nothing to fix";
}

/** How things stand, in four figures. Their places are kept while they load. */
export function OverviewFigures() {
  const { data } = useQuery(overview());
  const sick = data && data.sources.degraded + data.sources.quarantined + data.sources.dead;
  return (
    <Figures>
      <Figure
        label="Runs today"
        value={data?.runs.today ?? "–"}
        note={data ? outcomesOf(data.runs.outcomes) : "\u00a0"}
      />
      <Figure
        label="In the queue"
        value={data ? data.queue.pending + data.queue.running : "–"}
        note={data ? `${data.queue.running} running` : "\u00a0"}
      />
      <Figure
        label="Healthy sources"
        value={data?.sources.active ?? "–"}
        note={
          data ? (
            sick ? (
              <Link to="/sources" className="font-medium text-warn hover:underline">
                {sick} not well
              </Link>
            ) : (
              "all well"
            )
          ) : (
            "\u00a0"
          )
        }
      />
      <Figure
        label="Needs you"
        value={data?.needsYou ?? "–"}
        note={
          data ? (
            data.needsYou ? (
              <Link to="/needs" className="font-medium text-warn hover:underline">
                see what
              </Link>
            ) : (
              "nothing waits"
            )
          ) : (
            "\u00a0"
          )
        }
      />
    </Figures>
  );
}
