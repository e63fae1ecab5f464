import { useQuery } from "@tanstack/react-query";
import { overview } from "../api/queries";
import { Figure, Figures } from "../ui/facts";

/** How things stand, in four figures. Their places are kept while they load. */
export function OverviewFigures() {
  const { data } = useQuery(overview());
  const sick = data && data.sources.degraded + data.sources.quarantined + data.sources.dead;
  return (
    <Figures>
      <Figure
        label="Runs today"
        value={data?.runs.today ?? "–"}
        note={data ? `${data.runs.healed} healed` : "\u00a0"}
      />
      <Figure
        label="In the queue"
        value={data ? data.queue.pending + data.queue.running : "–"}
        note={data ? `${data.queue.running} running` : "\u00a0"}
      />
      <Figure
        label="Healthy sources"
        value={data?.sources.active ?? "–"}
        note={data ? sick ? <span className="font-medium text-warn">{sick} not well</span> : "all well" : "\u00a0"}
      />
      <Figure
        label="Alerts today"
        value={data?.alertsToday ?? "–"}
        note={data ? (data.alertsToday ? "see Alerts" : "all quiet") : "\u00a0"}
      />
    </Figures>
  );
}
