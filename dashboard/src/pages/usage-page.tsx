import { useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { usage as usageQuery } from "../api/statistics-queries";
import type { UsageGrouping, UsageSum } from "../api/types";
import { useFilters } from "../components/filters";
import { DataTable, type ColumnDef } from "../ui/data-table";
import { Figure, Figures } from "../ui/facts";
import { Select } from "../ui/field";
import { formatDollars, formatDollarsInColumn, formatNumber, formatShort } from "../ui/format";
import { Loaded } from "../ui/loaded";
import { lazyPart } from "../ui/lazy-part";
import { Message } from "../ui/message";
import { Page } from "../ui/page";
import { Panel } from "../ui/panel";
import { Skeleton } from "../ui/skeleton";

const UsageChart = lazyPart(async () => (await import("../components/usage-chart")).default);

const GROUPINGS: readonly { value: UsageGrouping; label: string }[] = [
  { value: "day", label: "Day" },
  { value: "model", label: "Model" },
  { value: "target", label: "Target" },
  { value: "user", label: "User" },
  { value: "purpose", label: "Purpose" },
];
const PERIODS = ["7", "30", "90"].map((value) => ({ value, label: `${value} days` }));

function columnsFor(label: string): ColumnDef<UsageSum>[] {
  const tokens = (
    header: string,
    accessorKey: "inputTokens" | "outputTokens" | "cachedTokens",
  ): ColumnDef<UsageSum> => ({
    header,
    accessorKey,
    meta: { end: true },
    cell: ({ row }) => (
      <span title={formatNumber(row.original[accessorKey])}>{formatShort(row.original[accessorKey])}</span>
    ),
  });
  return [
    {
      header: label,
      accessorKey: "name",
      meta: { share: "md:w-full" },
      cell: ({ row }) => <span className="break-words">{row.original.name}</span>,
    },
    { header: "Calls", accessorKey: "calls", meta: { end: true }, cell: ({ row }) => formatNumber(row.original.calls) },
    tokens("Input", "inputTokens"),
    tokens("Cached", "cachedTokens"),
    tokens("Output", "outputTokens"),
    {
      header: "Cost",
      accessorKey: "microDollars",
      meta: { end: true },
      cell: ({ row: { original: row } }) => (
        <span className="whitespace-nowrap">
          {formatDollarsInColumn(row.microDollars)}
          {row.unpricedCalls > 0 && (
            <span className="block text-xs text-warn">{row.unpricedCalls} without a price</span>
          )}
        </span>
      ),
    },
  ];
}

function Totals({ rows }: { rows: readonly UsageSum[] }) {
  const sum = (key: "calls" | "inputTokens" | "outputTokens" | "microDollars") =>
    rows.reduce((total, row) => total + row[key], 0);
  return (
    <Figures>
      <Figure label="Cost" value={formatDollars(sum("microDollars"))} />
      <Figure label="Calls" value={formatNumber(sum("calls"))} />
      <Figure label="Input tokens" value={formatShort(sum("inputTokens"))} />
      <Figure label="Output tokens" value={formatShort(sum("outputTokens"))} />
    </Figures>
  );
}

/** What language models were asked and what it cost. */
export function UsagePage() {
  const { filter, setFilter } = useFilters(["by", "days"]);
  const grouping = GROUPINGS.find(({ value }) => value === filter.by) ?? { value: "day" as const, label: "Day" };
  const days = PERIODS.some(({ value }) => value === filter.days) ? Number(filter.days) : 30;
  const query = useQuery(usageQuery(grouping.value, days));
  return (
    <Page title="Usage and cost">
      <div className="flex flex-wrap items-end gap-3">
        <Select
          className="max-sm:flex-1"
          label="By"
          options={GROUPINGS}
          value={grouping.value}
          onChange={(event) => setFilter("by", event.target.value)}
        />
        <Select
          className="max-sm:flex-1"
          label="Period"
          options={PERIODS}
          value={days}
          onChange={(event) => setFilter("days", event.target.value)}
        />
      </div>
      <Loaded query={query} lines={10}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Panel title="Usage">
              <Message icon="usage" title="No model was asked">
                Rules and search heal without one. Name a model in the settings of the server for what they cannot heal;
                its calls and their cost appear here.
              </Message>
            </Panel>
          ) : (
            <>
              <Totals rows={rows} />
              <Panel title={`Cost by ${grouping.label.toLowerCase()}`}>
                <Suspense fallback={<Skeleton lines={6} />}>
                  <UsageChart rows={rows} />
                </Suspense>
              </Panel>
              <Panel title="Details" flush>
                <DataTable
                  caption="Usage"
                  columns={columnsFor(grouping.label)}
                  rows={rows}
                  rowKey={({ name }) => name}
                />
              </Panel>
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
