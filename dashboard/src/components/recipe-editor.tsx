import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useRecipeReplacement } from "../api/source-actions";
import { api, documentOf } from "../api/client";
import { describeError } from "../api/describe";
import * as sourceQueries from "../api/source-queries";
import type { PageTrial, ProposedRule, StoredPage } from "../api/types";
import { Button } from "../ui/button";
import { Field, Select } from "../ui/field";
import { Loaded } from "../ui/loaded";
import { Message } from "../ui/message";
import { useNow } from "../ui/time";
import { FieldTable, TrialValues } from "./field-table";
import { PointingFrame } from "./pointing-frame";
import { failingPage, fieldsOf, markedValues, newestFirst, versionsOf } from "./recipe-fields";
import { snapshotLabel } from "./snapshot-label";

/** The choice of a field that the recipe does not have yet. */
const NEW_FIELD = "";
/** What a recipe gives on each stored page. */
function TrialTable({ pages, snapshots }: { pages: readonly PageTrial[]; snapshots: readonly StoredPage[] }) {
  const now = useNow();
  const titleOf = (id: number) => {
    const page = snapshots.find(({ snapshotId }) => snapshotId === id);
    return page ? snapshotLabel(page, now) : `page ${id}`;
  };
  return (
    <FieldTable
      caption="Values on the stored pages"
      columns={["Stored page", "Value"]}
      rows={pages.flatMap(({ snapshotId, fields }) =>
        fields.map((trial) => ({
          field: trial.name,
          cells: [titleOf(snapshotId), <TrialValues key="values" trial={trial} />],
        })),
      )}
    />
  );
}

/** A recipe that was tried: the button that makes it the active version. */
function Activation({ name, recipe, replaces }: { name: string; recipe: object; replaces: number }) {
  const replacement = useRecipeReplacement(name);
  const save = (readsNow: boolean) => replacement.mutate({ recipe, replaces, readsNow });
  return (
    <div className="flex flex-wrap gap-2 px-3 py-3">
      <Button kind="primary" icon="check" busy={replacement.isPending} onClick={() => save(true)}>
        Save and run
      </Button>
      <Button disabled={replacement.isPending} onClick={() => save(false)}>
        Save as version {replaces + 1}
      </Button>
    </div>
  );
}

interface PartProps {
  name: string;
  active: { version: number; recipe: object };
  snapshots: readonly StoredPage[];
}

/** Rules for the element pointed at, of which the user chooses one. */
function Rules({ name, active, snapshots, rules }: PartProps & { rules: readonly ProposedRule[] }) {
  const [chosen, setChosen] = useState(0);
  const rule = rules[Math.min(chosen, rules.length - 1)];
  if (!rule) return null;
  return (
    <>
      <fieldset className="px-3 py-2">
        <legend className="mb-1 text-xs font-medium text-muted">Rule, the most robust first</legend>
        {rules.map(({ selector }, index) => (
          <label key={selector} className="flex min-h-8 items-center gap-2">
            <input type="radio" name="rule" checked={rule.selector === selector} onChange={() => setChosen(index)} />
            <code className="font-mono text-xs wrap-anywhere">{selector}</code>
          </label>
        ))}
      </fieldset>
      <TrialTable pages={rule.pages} snapshots={snapshots} />
      <Activation name={name} recipe={rule.recipe} replaces={active.version} />
    </>
  );
}

/** Edits one field: the user points at its element on a stored page, and sees what each rule gives on all stored pages. */
function ByPointing({ name, active, snapshots }: PartProps) {
  const fields = fieldsOf(active.recipe);
  const now = useNow();
  const [chosenField, setField] = useState<string>();
  const [newField, setNewField] = useState("");
  const first = failingPage(snapshots) ?? snapshots[0];
  const [snapshotId, setSnapshotId] = useState(first?.snapshotId ?? 0);
  const html = useQuery(sourceQueries.snapshotPage(name, snapshotId, undefined, true)).data;
  // What the page lacks is most likely what is to be edited.
  const found = html === undefined ? [] : [...markedValues(html).keys()].flatMap((names) => names.split(", "));
  const field =
    chosenField ?? fields.find((name) => html !== undefined && !found.includes(name)) ?? fields[0] ?? NEW_FIELD;
  const [element, setElement] = useState<{ number: number; tag: string; text: string }>();
  const wanted = field === NEW_FIELD ? newField.trim() : field;
  const rules = useMutation({
    mutationFn: (number: number) =>
      documentOf(
        api.POST("/api/sources/{name}/rules", {
          params: { path: { name } },
          body: { field: wanted, snapshotId, elements: [number] },
        }),
      ),
    meta: { shownInPlace: true },
  });
  const { mutate, reset } = rules;
  const point = (pointed: { number: number; tag: string; text: string }) => {
    setElement(pointed);
    if (wanted !== "") mutate(pointed.number);
  };
  const forget = () => {
    setElement(undefined);
    reset();
  };
  return (
    <div className="grid grid-cols-1 gap-4 p-4 xl:grid-cols-2">
      <div className="min-w-0">
        <div className="mb-3 grid grid-cols-1 gap-3 sm:grid-cols-2">
          <Select
            label="Field"
            value={field}
            options={[...fields.map((value) => ({ value, label: value })), { value: NEW_FIELD, label: "A new field" }]}
            onChange={(event) => {
              setField(event.target.value);
              forget();
            }}
          />
          <Select
            label="Stored page"
            value={snapshotId}
            options={snapshots.map((page) => ({ value: String(page.snapshotId), label: snapshotLabel(page, now) }))}
            onChange={(event) => {
              setSnapshotId(Number(event.target.value));
              forget();
            }}
          />
          {field === NEW_FIELD && (
            <Field
              label="Name of the new field"
              value={newField}
              onChange={(event) => setNewField(event.target.value)}
              onBlur={() => element && wanted !== "" && mutate(element.number)}
            />
          )}
        </div>
        <PointingFrame name={name} snapshotId={snapshotId} chosen={element?.number} onPoint={point} />
      </div>
      <div className="min-w-0" aria-live="polite">
        {!element && (
          <Message title="Point at the value">
            Click the element of the page that holds the value, or find it by its text. The rules for it are tried on
            every stored page before anything is saved.
          </Message>
        )}
        {element && wanted === "" && <Message title="Name the new field">Its rules are proposed then.</Message>}
        {element && wanted !== "" && (
          <>
            <p className="px-3 py-2">
              <code className="me-2 font-mono text-xs text-muted">{element.tag}</code>
              <span className="wrap-anywhere">{element.text.slice(0, 200) || "(no text)"}</span>
            </p>
            {rules.isPending && <p className="px-3 text-muted">Rules are tried on the stored pages …</p>}
            {rules.error && <Message title="No rule gives this element">{describeError(rules.error).message}</Message>}
            {rules.data && (
              <Rules
                key={rules.submittedAt}
                name={name}
                active={active}
                snapshots={snapshots}
                rules={rules.data.rules}
              />
            )}
          </>
        )}
      </div>
    </div>
  );
}

/** The recipe as text, for what pointing cannot say. */
function AsText({ name, active, snapshots }: PartProps) {
  const [text, setText] = useState(() => JSON.stringify(active.recipe, null, 2));
  const trial = useMutation({
    mutationFn: async (written: string) => {
      const recipe = JSON.parse(written) as Record<string, unknown>;
      const { pages } = await documentOf(sourceQueries.tryRecipe(name, recipe));
      return { recipe, pages };
    },
    meta: { shownInPlace: true },
  });
  return (
    <details className="border-t border-line p-4">
      <summary className="cursor-pointer font-medium">Edit the recipe as text</summary>
      <textarea
        aria-label="Recipe in JSON"
        spellCheck={false}
        rows={16}
        className="mt-3 block w-full rounded-md border border-line-strong bg-surface p-2 font-mono text-xs text-ink"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          trial.reset();
        }}
      />
      <div className="my-3">
        <Button busy={trial.isPending} onClick={() => trial.mutate(text)}>
          Try on the stored pages
        </Button>
      </div>
      {trial.error && (
        <p role="alert" className="text-bad">
          {trial.error instanceof SyntaxError ? trial.error.message : describeError(trial.error).message}
        </p>
      )}
      {trial.data && (
        <>
          <TrialTable pages={trial.data.pages} snapshots={snapshots} />
          <Activation name={name} recipe={trial.data.recipe} replaces={active.version} />
        </>
      )}
    </details>
  );
}

/** Edits the active recipe of a source by pointing at stored pages, or as text. */
export function RecipeEditor({ name }: { name: string }) {
  const recipes = useQuery(sourceQueries.sourceRecipes(name));
  const snapshots = useQuery(sourceQueries.sourceSnapshots(name));
  return (
    <Loaded query={recipes} lines={8}>
      {({ recipes }) => {
        const { active } = versionsOf(recipes);
        if (!active) return <Message title="No recipe yet">The page is looked at first.</Message>;
        return (
          <Loaded query={snapshots}>
            {({ snapshots }) => {
              const newest = newestFirst(snapshots);
              const parts = { name, active, snapshots: newest };
              return newest.length === 0 ? (
                <Message title="No stored page">The page is stored when it is read for the first time.</Message>
              ) : (
                <div key={active.version}>
                  <ByPointing {...parts} />
                  <AsText {...parts} />
                </div>
              );
            }}
          </Loaded>
        );
      }}
    </Loaded>
  );
}
