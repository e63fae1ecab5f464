import { useQuery } from "@tanstack/react-query";
import { sourceStatistics } from "../api/statistics-queries";
import { Figure, Figures } from "../ui/facts";
import { formatMillis } from "../ui/format";

/** How well sources are healed, over all of them. */
export function SourceFigures() {
  const { data } = useQuery(sourceStatistics());
  const rate = data && data.attempts > 0 ? `${Math.round((100 * data.passed) / data.attempts)} %` : "–";
  const recovery = data?.averageRecoveryMillis;
  return (
    <Figures>
      <Figure label="Sources" value={data?.sources ?? "–"} note={data ? `${data.quarantined} quarantined` : "\u00a0"} />
      <Figure
        label="Fixes that passed"
        value={rate}
        note={data ? `${data.passed} of ${data.attempts} attempts` : "\u00a0"}
      />
      <Figure
        label="Activated"
        value={data?.promoted ?? "–"}
        note={data ? `${data.takenBack} rolled back` : "\u00a0"}
      />
      <Figure
        label="Time to recover"
        value={typeof recovery === "number" ? formatMillis(recovery) : "–"}
        note="on average"
      />
    </Figures>
  );
}
