import type { Fix } from "../api/types";
import { DataTable, type ColumnDef } from "../ui/data-table";
import { words } from "../ui/format";
import { Message } from "../ui/message";
import { Panel } from "../ui/panel";
import { sentenceOf } from "./repository-fixes";
import { StateBadge } from "./state-badge";
import { FIX_LOOKS } from "./tones";

interface FixesTableProps {
  fixes: Fix[];
}

const COLUMNS: ColumnDef<Fix>[] = [
  {
    header: "File",
    accessorKey: "file",
    meta: { share: "md:w-2/5" },
    cell: ({ row }) => <span className="font-mono text-xs wrap-anywhere">{row.original.file}</span>,
  },
  {
    header: "Kind",
    accessorKey: "bugType",
    cell: ({ row }) => <span className="whitespace-nowrap">{words(row.original.bugType)}</span>,
  },
  { header: "Line", accessorKey: "line", meta: { end: true } },
  {
    header: "Change",
    accessorKey: "summary",
    meta: { share: "md:w-1/2" },
    cell: ({ row: { original: fix } }) => (
      <span className="block wrap-anywhere" title={fix.commitMessage}>
        {sentenceOf(fix.summary)}
        <span className="block text-xs text-muted">{fix.commitMessage}</span>
      </span>
    ),
  },
  {
    header: "Status",
    accessorKey: "status",
    cell: ({ row }) => <StateBadge looks={FIX_LOOKS} value={row.original.status} />,
  },
];

/** Every fix of a healing, those that failed as well. */
export function FixesTable({ fixes }: FixesTableProps) {
  const applied = fixes.filter(({ status }) => status === "Fixed").length;
  return (
    <Panel title="Fixes applied" aside={`${applied} of ${fixes.length}`} flush>
      {fixes.length === 0 ? (
        <Message title="No fix was tried">
          The tests passed already, or they could not be run; the summary says which.
        </Message>
      ) : (
        <DataTable caption="Fixes applied" columns={COLUMNS} rows={fixes} />
      )}
    </Panel>
  );
}
