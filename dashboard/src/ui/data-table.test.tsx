import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { DataTable, type ColumnDef } from "./data-table";

interface Row {
  name: string;
  size?: number | null;
}

const COLUMNS: ColumnDef<Row>[] = [
  { header: "Name", accessorKey: "name" },
  { header: "Size", accessorKey: "size", meta: { end: true } },
  { header: "Length", accessorFn: ({ name }) => name.length, cell: ({ row }) => row.original.name.length },
  { header: () => <span>Actions</span>, id: "actions", cell: () => "go" },
];
const ROWS: Row[] = [
  { name: "run-10", size: 3 },
  { name: "run-9" },
  { name: "run-1", size: 20 },
  { name: "a", size: null },
];

function names(): (string | null | undefined)[] {
  const [, ...rows] = within(screen.getByRole("table", { name: "Things" })).getAllByRole("row");
  return rows.map((row) => within(row).getAllByRole("cell")[0]?.textContent);
}

describe("DataTable", () => {
  it("sorts texts with their numbers first to last, then turned, then not at all", async () => {
    const user = userEvent.setup();
    render(<DataTable caption="Things" columns={COLUMNS} rows={ROWS} />);
    const heading = screen.getByRole("columnheader", { name: "Name" });
    const click = () => user.click(screen.getByRole("button", { name: "Name" }));
    await click();
    expect([heading.ariaSort ?? heading.getAttribute("aria-sort"), names()]).toEqual([
      "ascending",
      ["a", "run-1", "run-9", "run-10"],
    ]);
    await click();
    expect(names()).toEqual(["run-10", "run-9", "run-1", "a"]);
    await click();
    expect(heading).not.toHaveAttribute("aria-sort");
    expect(names()).toEqual(["run-10", "run-9", "run-1", "a"]);
  });

  it("sorts figures largest first, and leaves those without one at the end", async () => {
    const user = userEvent.setup();
    render(<DataTable caption="Things" columns={COLUMNS} rows={ROWS} />);
    await user.click(screen.getByRole("button", { name: "Size" }));
    expect(names()).toEqual(["run-1", "run-10", "run-9", "a"]);
    await user.click(screen.getByRole("button", { name: "Size" }));
    expect(names()).toEqual(["run-10", "run-1", "run-9", "a"]);
    await user.click(screen.getByRole("button", { name: "Length" }));
    expect(names()[0]).toBe("run-10");
  });

  it("does not sort by a column without a value", () => {
    render(<DataTable caption="Things" columns={COLUMNS} rows={ROWS} />);
    expect(screen.queryByRole("button", { name: "Actions" })).toBeNull();
    expect(screen.getAllByText("go")).toHaveLength(ROWS.length);
  });
});
