import { useRef, useState, type ChangeEvent, type SyntheticEvent } from "react";
import type { JobRequest } from "../api/types";
import { afterClick } from "../ui/after-click";
import { Button } from "../ui/button";
import { Field } from "../ui/field";
import { CHECKED, EMPTY_HEALING, healRequest, problemOf, type CheckedName } from "./heal-form";

interface InputFormProps {
  onSubmit: (data: JobRequest) => Promise<void>;
  isLoading: boolean;
  /** Whether the server heals folders of its own machine as well. */
  acceptsFolders?: boolean;
}

/** Takes a repository, who asks, and options. Fields are checked when they are left and when the form is sent. */
export function InputForm({ onSubmit, isLoading, acceptsFolders = false }: InputFormProps) {
  const [values, setValues] = useState(EMPTY_HEALING);
  const [checked, setChecked] = useState<ReadonlySet<string>>(new Set());
  const form = useRef<HTMLFormElement>(null);

  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    // Enter in a field submits as well, whatever the button says.
    if (isLoading) return;
    setChecked(new Set(CHECKED));
    const wrong = CHECKED.find((name) => problemOf(name, values[name], acceptsFolders) !== undefined);
    if (wrong) {
      const field = form.current?.querySelector<HTMLElement>(`[name="${wrong}"]`);
      // A field in a closed part cannot have the focus.
      field?.closest("details")?.setAttribute("open", "");
      field?.focus();
      return;
    }
    void onSubmit(healRequest(values));
  };

  const text = (name: CheckedName | "branch") => ({
    name,
    value: values[name],
    disabled: isLoading,
    onChange: ({ target: { value } }: ChangeEvent<HTMLInputElement>) =>
      setValues((previous) => ({ ...previous, [name]: value })),
  });
  const field = (name: CheckedName) => ({
    ...text(name),
    error: checked.has(name) ? problemOf(name, values[name], acceptsFolders) : undefined,
    onBlur: () => afterClick(() => setChecked((previous) => new Set(previous).add(name))),
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
        required
        {...field("repositoryUrl")}
      />
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        <Field label="Team" placeholder="Night Shift" autoComplete="organization" required {...field("teamName")} />
        <Field label="Leader" placeholder="Ada Lovelace" autoComplete="name" required {...field("leaderName")} />
      </div>
      <details>
        <summary className="text-xs text-muted">More options</summary>
        <div className="mt-3 grid grid-cols-1 gap-4 sm:grid-cols-2">
          <Field
            label="Branch to heal"
            placeholder="the repository's own"
            autoCapitalize="none"
            spellCheck={false}
            {...text("branch")}
          />
          <Field label="Rounds after the first" placeholder="5" inputMode="numeric" {...field("retryLimit")} />
          <Field label="Time limit (minutes)" placeholder="60" inputMode="numeric" {...field("minutes")} />
          <label className="flex items-start gap-2">
            <input
              type="checkbox"
              name="dryRun"
              className="mt-0.5 size-4 accent-accent"
              checked={values.dryRun}
              disabled={isLoading}
              onChange={({ target: { checked: dryRun } }) => setValues((previous) => ({ ...previous, dryRun }))}
            />
            Dry run: a patch, nothing is pushed
          </label>
        </div>
      </details>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-xs text-muted">Works on a branch of its own. Your main branch is never written.</p>
        <Button type="submit" kind="primary" icon="heal" busy={isLoading} className="max-sm:w-full">
          {isLoading ? "Healing…" : "Heal repository"}
        </Button>
      </div>
    </form>
  );
}
