import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { trends } from "../api/statistics-queries";
import type { TrendDay, Trends } from "../api/types";
import { Button } from "../ui/button";
import { DataTable, type ColumnDef } from "../ui/data-table";
import { DayChart, type DayBar } from "../ui/day-chart";
import { counted, formatDollars, formatMillis, formatNumber, words } from "../ui/format";
import { Loaded } from "../ui/loaded";
import { Message } from "../ui/message";
import { Panel } from "../ui/panel";
import { KIND_LABELS } from "./runs-table";
import { targetLabel } from "./target-label";
import { placeOf } from "./target-place";

const DAYS = 30;

/** A newer server may have more kinds of runs. */
const kindOf = (kind: string) => new Map(Object.entries(KIND_LABELS)).get(kind) ?? words(kind);
const recoveryOf = ({ recoveryMillis }: TrendDay) =>
  typeof recoveryMillis === "number" ? formatMillis(recoveryMillis) : "–";

const COLUMNS: ColumnDef<TrendDay>[] = [
  {
    header: "Day",
    accessorKey: "day",
    cell: ({ row }) => <span className="whitespace-nowrap">{row.original.day}</span>,
  },
  { header: "Well", accessorKey: "well", meta: { end: true } },
  { header: "Not well", accessorKey: "notWell", meta: { end: true } },
  { header: "Fixes passed", accessorKey: "fixesPassed", meta: { end: true } },
  { header: "Taken back", accessorKey: "fixesTakenBack", meta: { end: true } },
  {
    header: "To recover",
    accessorKey: "recoveryMillis",
    meta: { end: true },
    cell: ({ row }) => recoveryOf(row.original),
  },
  {
    header: "Cost",
    accessorKey: "microDollars",
    meta: { end: true },
    cell: ({ row }) => formatDollars(row.original.microDollars),
  },
  { header: "Alerts", accessorKey: "alerts", meta: { end: true } },
];

interface TrendChartProps {
  name: string;
  summary: string;
  days: readonly TrendDay[];
  bar: (day: TrendDay) => Pick<DayBar, "up" | "down">;
  /** The numbers of one day, in words. */
  told: (day: TrendDay) => string;
}

function TrendChart({ name, summary, days, bar, told }: TrendChartProps) {
  return (
    <figure className="min-w-0">
      <figcaption className="mb-1 text-xs text-muted">
        <span className="font-medium text-ink">{name}</span>: {summary}
      </figcaption>
      <DayChart
        days={days.map((day) => ({ ...bar(day), title: `${day.day}: ${told(day)}` }))}
        label={`${name} by day: ${summary}`}
      />
    </figure>
  );
}

type Total = "well" | "notWell" | "fixesTried" | "fixesPassed" | "fixesTakenBack" | "alerts" | "microDollars";

function Charts({ days }: { days: readonly TrendDay[] }) {
  const sum = (name: Total) => days.reduce((total, day) => total + day[name], 0);
  const total = (name: Total) => formatNumber(sum(name));
  const recoveries = days.flatMap(({ recoveryMillis }) => (typeof recoveryMillis === "number" ? [recoveryMillis] : []));
  return (
    <div className="grid grid-cols-1 gap-4 p-4 sm:grid-cols-2">
      <TrendChart
        name="Runs"
        summary={`${total("well")} well (above the line), ${total("notWell")} not well (below)`}
        days={days}
        bar={({ well, notWell }) => ({ up: well, down: notWell })}
        told={({ well, notWell }) => `${well} well, ${notWell} not well`}
      />
      <TrendChart
        name="Fixes"
        summary={
          `${total("fixesPassed")} of ${total("fixesTried")} passed (above the line), ` +
          `${total("fixesTakenBack")} taken back (below)`
        }
        days={days}
        bar={({ fixesPassed, fixesTakenBack }) => ({ up: fixesPassed, down: fixesTakenBack })}
        told={({ fixesPassed, fixesTried, fixesTakenBack }) =>
          `${fixesPassed} of ${fixesTried} passed, ${fixesTakenBack} taken back`
        }
      />
      <TrendChart
        name="Time to recover"
        summary={
          recoveries.length === 0
            ? "nothing had to recover"
            : `daily averages from ${formatMillis(Math.min(...recoveries))} to ${formatMillis(Math.max(...recoveries))}`
        }
        days={days}
        bar={({ recoveryMillis }) => ({ up: recoveryMillis ?? 0 })}
        told={recoveryOf}
      />
      <TrendChart
        name="Cost"
        summary={formatDollars(sum("microDollars"))}
        days={days}
        bar={({ microDollars }) => ({ up: microDollars })}
        told={({ microDollars }) => formatDollars(microDollars)}
      />
      <TrendChart
        name="Alerts"
        summary={total("alerts")}
        days={days}
        bar={({ alerts }) => ({ up: alerts })}
        told={({ alerts }) => String(alerts)}
      />
    </div>
  );
}

interface RankingProps {
  title: string;
  rows: readonly { key: string; target: string; note: string }[];
}

function Ranking({ title, rows }: RankingProps) {
  if (rows.length === 0) return null;
  return (
    <div className="min-w-0">
      <h3 className="mb-2 font-semibold">{title}</h3>
      <ol aria-label={title} className="flex flex-col gap-1">
        {rows.map(({ key, target, note }) => (
          <li key={key} className="flex flex-wrap justify-between gap-x-3">
            <Link to={placeOf(target)} className="font-medium break-all hover:underline">
              {targetLabel(target)}
            </Link>
            <span className="text-muted">{note}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}

function Rankings({ slowest, noisiest }: Pick<Trends, "slowest" | "noisiest">) {
  if (slowest.length === 0 && noisiest.length === 0) return null;
  return (
    <div className="grid grid-cols-1 gap-4 border-t border-line p-4 sm:grid-cols-2">
      <Ranking
        title="Slowest"
        rows={slowest.map(({ kind, target, runs, averageMillis }) => ({
          key: `${kind} ${target}`,
          target,
          note: `${kindOf(kind)}: ${formatMillis(averageMillis)} on average, ${counted(runs, "run")}`,
        }))}
      />
      <Ranking
        title="Most alerts"
        rows={noisiest.map(({ target, alerts }) => ({ key: target, target, note: counted(alerts, "alert") }))}
      />
    </div>
  );
}

const isQuiet = ({ runs, fixesTried, fixesTakenBack, alerts, microDollars }: TrendDay) =>
  [runs, fixesTried, fixesTakenBack, alerts, microDollars].every((number) => number === 0);

/** Trends of the last days, as charts or as a table, and the targets that need the most. */
export function TrendsPanel() {
  const query = useQuery(trends(DAYS));
  const [isTable, setTable] = useState(false);
  return (
    <Panel
      title={`Last ${DAYS} days`}
      flush
      aside={
        query.data?.days.every(isQuiet) === false && (
          <Button kind="quiet" onClick={() => setTable(!isTable)}>
            {isTable ? "As charts" : "As a table"}
          </Button>
        )
      }
    >
      <Loaded query={query} lines={6}>
        {({ days, slowest, noisiest }) =>
          days.every(isQuiet) ? (
            <Message title="Nothing has run in these days">
              Runs, fixes, cost and alerts of each day appear here.
            </Message>
          ) : (
            <>
              {isTable ? (
                <DataTable
                  caption={`Last ${DAYS} days`}
                  columns={COLUMNS}
                  rows={days.toReversed()}
                  rowKey={({ day }) => day}
                />
              ) : (
                <Charts days={days} />
              )}
              <Rankings slowest={slowest} noisiest={noisiest} />
            </>
          )
        }
      </Loaded>
    </Panel>
  );
}
