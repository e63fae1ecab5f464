import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import * as queries from "../api/list-queries";
import type { Source } from "../api/types";
import { BulkBar, BulkProgress, SelectBox } from "../components/bulk-bar";
import { useFilters } from "../components/filters";
import { ListPage } from "../components/list-page";
import { SourceFigures } from "../components/source-figures";
import { StateBadge } from "../components/state-badge";
import { labelsOf, SOURCE_LOOKS } from "../components/tones";
import { useBulk } from "../store/bulk";
import { Badge } from "../ui/badge";
import { ButtonLink } from "../ui/button";
import { DataTable, type ColumnDef } from "../ui/data-table";
import { counted, formatInterval } from "../ui/format";
import { LongPath } from "../ui/long-text";
import { Message } from "../ui/message";
import { Sparkline } from "../ui/sparkline";
import { Time } from "../ui/time";

function SelectSource({ name }: { name: string }) {
  const isSelected = useBulk(({ selected }) => selected.has(name));
  const select = useBulk((state) => state.select);
  return (
    <SelectBox label={`Select ${name}`} isChecked={isSelected} onChange={(isChecked) => select([name], isChecked)} />
  );
}

const COLUMNS: ColumnDef<Source>[] = [
  {
    header: "Source",
    accessorKey: "name",
    meta: { share: "md:w-2/5" },
    cell: ({ row: { original: source } }) => (
      <div className="flex min-w-0 items-start gap-1">
        <SelectSource name={source.name} />
        <div className="min-w-0">
          <Link
            to={`/sources/${encodeURIComponent(source.name)}`}
            className="block truncate font-medium hover:underline"
          >
            {source.name}
          </Link>
          <LongPath text={source.url} />
        </div>
      </div>
    ),
  },
  {
    header: "Health",
    accessorKey: "state",
    cell: ({ row: { original: source } }) => (
      <span className="flex flex-wrap gap-1 max-md:justify-end">
        <StateBadge looks={SOURCE_LOOKS} value={source.state} />
        {source.waitsForApproval && (
          <Badge tone="info" icon="clock">
            To approve
          </Badge>
        )}
      </span>
    ),
  },
  {
    header: "Recent runs",
    id: "runs",
    meta: { end: true },
    cell: ({ row }) => <Sparkline runs={row.original.recentRuns} />,
  },
  {
    header: "Last success",
    accessorKey: "lastSuccessAt",
    meta: { end: true },
    cell: ({ row }) => <Time at={row.original.lastSuccessAt} />,
  },
  {
    header: "Last failure",
    accessorKey: "lastFailureAt",
    meta: { end: true },
    cell: ({ row }) => <Time at={row.original.lastFailureAt} />,
  },
  {
    header: "Schedule",
    accessorKey: "intervalSeconds",
    meta: { end: true },
    cell: ({ row: { original: source } }) => (
      <span className="whitespace-nowrap text-muted">{source.schedule ?? formatInterval(source.intervalSeconds)}</span>
    ),
  },
];

const CHOICES = {
  state: labelsOf(SOURCE_LOOKS),
  waits: { true: "To approve" },
  order: {
    name: "By name",
    last_failure: "Last failed first",
    last_success: "Longest without success first",
    failures: "Most failures first",
  },
};

/** The sources with their health: searched, filtered and sorted by the server, as there may be thousands. */
export function SourcesPage() {
  const filters = useFilters(["state", "waits", "order", "search"], CHOICES);
  const query = useInfiniteQuery(queries.sources(filters.filter));
  const total = query.data?.pages[0]?.total;
  return (
    <ListPage
      title="Sources"
      noun="source"
      filters={filters}
      choices={CHOICES}
      anything={{ waits: "Any approval", order: "Worst first" }}
      query={query}
      rows={query.data?.pages.flatMap((page) => page.sources)}
      actions={
        <ButtonLink to="/new-source" kind="primary" icon="plus">
          Add a source
        </ButtonLink>
      }
      above={
        <>
          <SourceFigures />
          <BulkProgress />
        </>
      }
      empty={
        <Message
          icon="sources"
          title="No sources yet"
          action={
            <ButtonLink to="/new-source" kind="primary">
              Add a source
            </ButtonLink>
          }
        >
          A source is a page that is read on a schedule and healed when its markup changes. All it takes is an address.
        </Message>
      }
    >
      {(sources) => (
        <>
          <BulkBar sources={sources} />
          <DataTable caption="Sources" columns={COLUMNS} rows={sources} rowKey={({ name }) => name} sorting="none" />
          {total !== undefined && (
            <p className="border-t border-line px-4 py-2 text-xs text-muted">
              {sources.length} of {counted(total, "source")}
            </p>
          )}
        </>
      )}
    </ListPage>
  );
}
