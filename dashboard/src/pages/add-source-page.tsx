import { useRef, useState, type SyntheticEvent } from "react";
import { useLocation, useNavigate } from "react-router";
import { useAddSource } from "../api/source-actions";
import { ExampleFields } from "../components/example-fields";
import { SourceChoices } from "../components/source-choices";
import {
  addingState,
  EMPTY_SOURCE,
  sourceProblem,
  sourceRequest,
  type AddingState,
  type SourceFieldName,
} from "../components/source-form";
import { afterClick } from "../ui/after-click";
import { Button } from "../ui/button";
import { Field } from "../ui/field";
import { Failure } from "../ui/message";
import { Page } from "../ui/page";
import { Panel } from "../ui/panel";

const NAMES: readonly SourceFieldName[] = ["url", "name", "minutes"];

function AddSourceForm() {
  const location = useLocation();
  const earlier = addingState(location.state);
  const [values, setValues] = useState(earlier?.adding ?? EMPTY_SOURCE);
  const [checked, setChecked] = useState<Partial<Record<SourceFieldName, boolean>>>({});
  const form = useRef<HTMLFormElement>(null);
  const navigate = useNavigate();
  const add = useAddSource();

  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (add.isPending) return;
    setChecked({ url: true, name: true, minutes: true });
    const wrong = NAMES.find((name) => sourceProblem(name, values) !== undefined);
    if (wrong) {
      form.current?.querySelector<HTMLElement>(`[name="${wrong}"]`)?.focus();
      return;
    }
    add.mutate(sourceRequest(values), {
      // The source exists when its page has been read: until then its task can be watched.
      onSuccess: ({ task }) =>
        void navigate(`/queue/${task.taskId}`, { state: { adding: values } satisfies AddingState }),
    });
  };

  const field = (name: SourceFieldName) => ({
    name,
    value: values[name],
    disabled: add.isPending,
    error: checked[name] ? sourceProblem(name, values) : undefined,
    onChange: (event: { target: { value: string } }) => {
      const { value } = event.target;
      setValues((previous) => ({ ...previous, [name]: value }));
    },
    onBlur: () => afterClick(() => setChecked((previous) => ({ ...previous, [name]: true }))),
  });

  return (
    <form ref={form} noValidate onSubmit={submit} aria-label="Add a source" className="flex flex-col gap-5">
      <Field
        label="Address"
        required
        inputMode="url"
        autoCapitalize="none"
        spellCheck={false}
        placeholder="https://shop.example/lamp"
        hint="The page to read. Its fields are found automatically; examples help where they are unclear."
        {...field("url")}
      />
      <div className="grid grid-cols-1 gap-5 sm:grid-cols-2">
        <Field label="Name" hint="Derived from the address by default." placeholder="lamp" {...field("name")} />
        <Field label="Read every (minutes)" required inputMode="numeric" {...field("minutes")} />
      </div>
      <Field
        label="Or at set times"
        placeholder="0 6 * * *"
        hint="A cron expression in UTC, which takes precedence over the interval. Optional."
        value={values.schedule}
        onChange={(event) => setValues({ ...values, schedule: event.target.value })}
      />
      <div className="grid grid-cols-1 gap-5 sm:grid-cols-2">
        <SourceChoices {...values} onChange={(choices) => setValues({ ...values, ...choices })} />
      </div>
      <ExampleFields examples={values.examples} onChange={(examples) => setValues({ ...values, examples })} />
      <label className="flex items-start gap-2">
        <input
          type="checkbox"
          className="mt-0.5 size-4 accent-accent"
          checked={values.render}
          onChange={(event) => setValues({ ...values, render: event.target.checked })}
        />
        <span>
          Render the page in a browser first
          <span className="block text-xs text-muted">For pages that are drawn by scripts. Slower.</span>
        </span>
      </label>
      {earlier?.reason && !add.isPending && !add.error && (
        <div role="alert" className="rounded-md border border-bad bg-bad-soft px-4 py-3 text-bad">
          <p className="font-semibold">The source could not be added</p>
          <p className="mt-1 wrap-anywhere">{earlier.reason}</p>
          <p className="mt-1">Change the input and try again. Nothing was stored.</p>
        </div>
      )}
      {add.error && <Failure error={add.error} />}
      <div className="flex justify-end">
        <Button type="submit" kind="primary" icon="plus" busy={add.isPending}>
          {add.isPending ? "Adding…" : "Add the source"}
        </Button>
      </div>
    </form>
  );
}

export function AddSourcePage() {
  return (
    <Page title="Add a source" back={{ to: "/sources", label: "Sources" }}>
      <Panel title="The page and how it is read" className="w-full max-w-2xl">
        <AddSourceForm />
      </Panel>
    </Page>
  );
}
