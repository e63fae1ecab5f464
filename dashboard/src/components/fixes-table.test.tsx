import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import type { Fix } from "../api/types";
import { FixesTable } from "./fixes-table";

const fix = (file: string, line: number): Fix => ({
  file,
  line,
  bugType: "TYPE_ERROR",
  commitMessage: "[AI-AGENT] Fix",
  status: "Fixed",
  summary: "",
});

function lines(): (string | null | undefined)[] {
  const [, ...rows] = within(screen.getByRole("table")).getAllByRole("row");
  return rows.map((row) => within(row).getAllByRole("cell")[2]?.textContent);
}

describe("FixesTable", () => {
  it("sorts by a column, and says so", async () => {
    const user = userEvent.setup();
    render(<FixesTable fixes={[fix("b.py", 9), fix("a.py", 120), fix("c.py", 30)]} />);
    await user.click(screen.getByRole("button", { name: "File" }));
    expect(screen.getByRole("columnheader", { name: "File" })).toHaveAttribute("aria-sort", "ascending");
    expect(lines()).toEqual(["120", "9", "30"]);
    await user.click(screen.getByRole("button", { name: "Line" }));
    expect(screen.getByRole("columnheader", { name: "Line" })).toHaveAttribute("aria-sort", "descending");
    expect(lines()).toEqual(["120", "30", "9"]);
  });

  it("shows the whole path of a long one", () => {
    const path = "a/very/long/way/down/to/the/module_that_failed.py";
    render(<FixesTable fixes={[fix(path, 1)]} />);
    expect(screen.getByText(path)).toHaveClass("wrap-anywhere");
  });

  it("says what it means that there are none", () => {
    render(<FixesTable fixes={[]} />);
    expect(screen.getByText("No fix was tried")).toBeVisible();
  });
});
