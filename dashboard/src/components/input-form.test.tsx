import { fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { InputForm } from "./input-form";

function setUp(acceptsFolders = false) {
  const onSubmit = vi.fn(() => Promise.resolve());
  render(<InputForm onSubmit={onSubmit} isLoading={false} acceptsFolders={acceptsFolders} />);
  return { onSubmit, user: userEvent.setup() };
}

describe("InputForm", () => {
  it("sends what was entered, without the spaces around it", async () => {
    const { onSubmit, user } = setUp();
    await user.type(screen.getByLabelText("Repository"), "https://github.com/owner/repo ");
    await user.type(screen.getByLabelText("Team"), "Night Shift");
    await user.type(screen.getByLabelText("Leader"), "Ada{Enter}");
    expect(onSubmit).toHaveBeenCalledExactlyOnceWith({
      repositoryUrl: "https://github.com/owner/repo",
      teamName: "Night Shift",
      leaderName: "Ada",
    });
  });

  it("sends the options that are filled in", async () => {
    const { onSubmit, user } = setUp();
    await user.type(screen.getByLabelText("Repository"), "https://github.com/owner/repo");
    await user.type(screen.getByLabelText("Team"), "Night Shift");
    await user.type(screen.getByLabelText("Leader"), "Ada");
    await user.click(screen.getByText("More options"));
    await user.type(screen.getByLabelText("Branch to heal"), " release/2 ");
    await user.type(screen.getByLabelText("Rounds after the first"), "0");
    await user.click(screen.getByLabelText("Dry run: a patch, nothing is pushed"));
    await user.click(screen.getByRole("button", { name: "Heal repository" }));
    expect(onSubmit).toHaveBeenCalledExactlyOnceWith({
      repositoryUrl: "https://github.com/owner/repo",
      teamName: "Night Shift",
      leaderName: "Ada",
      branch: "release/2",
      retryLimit: 0,
      dryRun: true,
    });
  });

  it.each([
    ["Rounds after the first", "51", "Enter a whole number from 0 to 50."],
    ["Rounds after the first", "-1", "Enter a whole number from 0 to 50."],
    ["Time limit (minutes)", "0", "Enter a whole number from 1 to 1440."],
    ["Time limit (minutes)", "1.5", "Enter a whole number from 1 to 1440."],
  ])("opens the options to explain a wrong number: %s, %s", async (label, number, reason) => {
    const { onSubmit, user } = setUp();
    await user.type(screen.getByLabelText("Repository"), "https://github.com/owner/repo");
    await user.type(screen.getByLabelText("Team"), "Night Shift");
    await user.type(screen.getByLabelText("Leader"), "Ada");
    const field = screen.getByLabelText(label);
    fireEvent.change(field, { target: { value: number } });
    expect(field.closest("details")).not.toHaveAttribute("open");
    await user.click(screen.getByRole("button", { name: "Heal repository" }));
    expect(field).toHaveFocus();
    expect(field).toHaveAccessibleDescription(reason);
    expect(field.closest("details")).toHaveAttribute("open");
    expect(onSubmit).not.toHaveBeenCalled();
  });

  it("tells of a wrong field when it is left, and takes that back when it is corrected", async () => {
    const { user } = setUp();
    const field = screen.getByLabelText("Repository");
    await user.type(field, "github.com/owner/repo");
    expect(field).toBeValid();
    await user.tab();
    expect(field).toBeInvalid();
    await user.clear(field);
    await user.type(field, "https://github.com/owner/repo");
    expect(field).toBeValid();
    expect(field).not.toHaveAccessibleDescription();
  });

  it("takes the reader to the first field that is wrong", async () => {
    const { onSubmit, user } = setUp();
    await user.type(screen.getByLabelText("Repository"), "https://github.com/owner/repo");
    await user.click(screen.getByRole("button", { name: "Heal repository" }));
    expect(screen.getByLabelText("Team")).toHaveFocus();
    expect(screen.getAllByRole("alert")).toHaveLength(2);
    expect(onSubmit).not.toHaveBeenCalled();
  });

  it("takes folders of the server only where the server does", async () => {
    const { user } = setUp(true);
    const field = screen.getByLabelText("Repository");
    await user.type(field, "/srv/repositories/parcel");
    await user.tab();
    expect(field).toBeValid();
  });
});
