import { useRef, useState, type SyntheticEvent } from "react";
import type { JobRequest } from "../api/types";
import { afterClick } from "../ui/after-click";
import { Button } from "../ui/button";
import { Field } from "../ui/field";
import { validateGitHubUrl } from "./repository-url";

interface InputFormProps {
  onSubmit: (data: JobRequest) => Promise<void>;
  isLoading: boolean;
  /** Whether the server heals folders of its own machine as well. */
  acceptsFolders?: boolean;
}

type Name = keyof JobRequest;

const EMPTY: JobRequest = { repositoryUrl: "", teamName: "", leaderName: "" };

/** What is wrong with a field, if anything is. */
export function problemOf(name: Name, value: string, acceptsFolders = false): string | undefined {
  const text = value.trim();
  switch (name) {
    case "repositoryUrl":
      if (!text) return "Enter the address of the repository.";
      return validateGitHubUrl(text) || (acceptsFolders && text.startsWith("/"))
        ? undefined
        : "It must look like https://github.com/owner/repository.";
    case "teamName":
      return text ? undefined : "Enter the name of the team. The branch is named after it.";
    case "leaderName":
      return text ? undefined : "Enter the name of the team's leader. The branch is named after it.";
  }
}

/** Takes a repository and who asks. Fields are checked when they are left and when the form is sent. */
export function InputForm({ onSubmit, isLoading, acceptsFolders = false }: InputFormProps) {
  const [values, setValues] = useState(EMPTY);
  const [checked, setChecked] = useState<Partial<Record<Name, boolean>>>({});
  const form = useRef<HTMLFormElement>(null);

  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    // Enter in a field submits as well, whatever the button says.
    if (isLoading) return;
    setChecked({ repositoryUrl: true, teamName: true, leaderName: true });
    const names = Object.keys(EMPTY) as Name[];
    const wrong = names.find((name) => problemOf(name, values[name], acceptsFolders) !== undefined);
    if (wrong) {
      form.current?.querySelector<HTMLElement>(`[name="${wrong}"]`)?.focus();
      return;
    }
    const { repositoryUrl, teamName, leaderName } = values;
    void onSubmit({ repositoryUrl: repositoryUrl.trim(), teamName: teamName.trim(), leaderName: leaderName.trim() });
  };

  const field = (name: Name) => ({
    name,
    value: values[name],
    required: true,
    disabled: isLoading,
    error: checked[name] ? problemOf(name, values[name], acceptsFolders) : undefined,
    onChange: (event: { target: { value: string } }) => {
      const { value } = event.target;
      setValues((previous) => ({ ...previous, [name]: value }));
    },
    onBlur: () => afterClick(() => setChecked((previous) => ({ ...previous, [name]: true }))),
  });

  return (
    <form ref={form} onSubmit={submit} noValidate aria-label="Heal a repository" className="flex flex-col gap-4">
      <Field
        label="Repository"
        placeholder="https://github.com/owner/repository"
        inputMode="url"
        autoComplete="url"
        autoCapitalize="none"
        spellCheck={false}
        {...field("repositoryUrl")}
      />
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        <Field label="Team" placeholder="Night Shift" autoComplete="organization" {...field("teamName")} />
        <Field label="Leader" placeholder="Ada Lovelace" autoComplete="name" {...field("leaderName")} />
      </div>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-xs text-muted">Works on a branch of its own. Your main branch is never written.</p>
        <Button type="submit" kind="primary" icon="heal" busy={isLoading} className="max-sm:w-full">
          {isLoading ? "Healing…" : "Heal repository"}
        </Button>
      </div>
    </form>
  );
}
