import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import * as queries from "../api/queries";
import type { Source } from "../api/types";
import { SourceFigures } from "../components/source-figures";
import { StateBadge } from "../components/state-badge";
import { SOURCE_LOOKS } from "../components/tones";
import { Badge } from "../ui/badge";
import { ButtonLink } from "../ui/button";
import { DataTable, type ColumnDef } from "../ui/data-table";
import { formatInterval } from "../ui/format";
import { inline } from "../ui/json-view";
import { Loaded } from "../ui/loaded";
import { LongPath } from "../ui/long-text";
import { Message } from "../ui/message";
import { Page } from "../ui/page";
import { Panel } from "../ui/panel";
import { Sparkline } from "../ui/sparkline";
import { Time } from "../ui/time";

/** The first values of a document, in one line. */
function glance(values: unknown): string {
  const first: unknown = Array.isArray(values) ? values[0] : values;
  if (typeof first !== "object" || first === null) return inline(first);
  const text = Object.entries(first)
    .slice(0, 3)
    .map(([name, value]) => `${name}: ${inline(value)}`)
    .join(", ");
  return Array.isArray(values) && values.length > 1 ? `${values.length} items, first ${text}` : text;
}

const COLUMNS: ColumnDef<Source>[] = [
  {
    header: "Source",
    accessorKey: "name",
    meta: { share: "md:w-2/5" },
    cell: ({ row: { original: source } }) => (
      <div className="min-w-0">
        <Link to={`/sources/${encodeURIComponent(source.name)}`} className="block truncate font-medium hover:underline">
          {source.name}
        </Link>
        <LongPath text={source.url} />
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
    enableSorting: false,
    meta: { end: true },
    cell: ({ row }) => <Sparkline runs={row.original.recentRuns} />,
  },
  {
    header: "Last values",
    id: "values",
    enableSorting: false,
    meta: { share: "md:w-1/2", roomy: true },
    cell: ({ row: { original: source } }) => {
      const text =
        source.lastValues === undefined || source.lastValues === null ? "none yet" : glance(source.lastValues);
      return (
        <span title={text} className="block truncate text-xs text-muted">
          {text}
        </span>
      );
    },
  },
  {
    header: "Last success",
    accessorKey: "lastSuccessAt",
    meta: { end: true },
    cell: ({ row }) => <Time at={row.original.lastSuccessAt} />,
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

/** What is worst comes first: that is what the page is opened for. */
const ORDER: Record<string, number> = { DEAD: 0, QUARANTINED: 1, DEGRADED: 2, ACTIVE: 3 };

export function SourcesPage() {
  const query = useQuery(queries.sources());
  return (
    <Page
      title="Sources"
      actions={
        <ButtonLink to="/new-source" kind="primary" icon="plus">
          Add a source
        </ButtonLink>
      }
    >
      <SourceFigures />
      <Panel title="Health" flush>
        <Loaded query={query} lines={8}>
          {({ sources }) =>
            sources.length > 0 ? (
              <DataTable
                caption="Sources"
                columns={COLUMNS}
                rows={[...sources].sort(
                  (a, b) => (ORDER[a.state] ?? 0) - (ORDER[b.state] ?? 0) || a.name.localeCompare(b.name),
                )}
                rowKey={({ name }) => name}
              />
            ) : (
              <Message
                icon="sources"
                title="No sources yet"
                action={
                  <ButtonLink to="/new-source" kind="primary">
                    Add a source
                  </ButtonLink>
                }
              >
                A source is a page that is read on a schedule and healed when its markup changes. All it takes is an
                address.
              </Message>
            )
          }
        </Loaded>
      </Panel>
    </Page>
  );
}
