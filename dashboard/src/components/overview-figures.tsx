import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
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
        label="Alerts today"
        value={data?.alertsToday ?? "–"}
        note={
          data ? (
            data.alertsToday ? (
              <Link to="/alerts" className="hover:underline">
                see Alerts
              </Link>
            ) : (
              "all quiet"
            )
          ) : (
            "\u00a0"
          )
        }
      />
    </Figures>
  );
}
