import { render, screen } from "@testing-library/react";
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
