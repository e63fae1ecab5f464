import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { OutputList } from "./output-list";

const run = (command: string, ended: string, output: string) => ({
  node: "patch_code",
  command,
  ended,
  millis: 9,
  output,
});

it("shows runs of one command as one entry, with those that failed", async () => {
  const user = userEvent.setup();
  render(
    <OutputList
      outputs={[run("pytest", "exit 1", "1 failed"), run("ruff", "exit 0", ""), run("pytest", "exit 0", "1 passed")]}
    />,
  );
  const entries = [...screen.getByRole("list", { name: "Outputs" }).children] as HTMLElement[];
  expect(entries.map((entry) => entry.querySelector("summary")?.textContent)).toEqual([
    "pytest2 times1 of them without success",
    "ruffexit 0Patch code, 9 ms",
  ]);
  await user.click(screen.getByText("pytest"));
  await user.click(within(entries[0] as HTMLElement).getByText("exit 0"));
  expect(screen.getByText("1 passed")).toBeVisible();
  expect(screen.getByText("1 failed")).not.toBeVisible();
  expect(screen.getByText("It printed nothing.")).toBeInTheDocument();
});
