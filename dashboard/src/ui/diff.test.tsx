import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { Diff } from "./diff";

describe("Diff", () => {
  it("displays the lines of a long diff on demand", async () => {
    const lines = Array.from({ length: 4_500 }, (_, index) => `+line ${index}`);
    render(<Diff label="Change" patch={`--- a/x\n+++ b/x\n@@ -0,0 +1,4500 @@\n${lines.join("\n")}\n`} />);
    const diff = screen.getByRole("region", { name: "Change" });
    expect(diff).not.toHaveTextContent("line 2000");
    await userEvent.click(screen.getByRole("button", { name: "Show 2,000 more lines of 2503" }));
    expect(diff).toHaveTextContent("line 2000");
    await userEvent.click(screen.getByRole("button", { name: "Show 503 more lines of 503" }));
    expect(diff).toHaveTextContent("line 4499");
    expect(screen.queryByRole("button")).toBeNull();
  });
});
