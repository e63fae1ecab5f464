import { useState, type SyntheticEvent } from "react";
import { Link, useLocation } from "react-router";
import { useViews } from "../store/views";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { Field } from "../ui/field";
import { Icon } from "../ui/icon";
import { viewOf } from "./filters";

const LONGEST = 60;

function SaveDialog({ onSave, onClose }: { onSave: (name: string) => void; onClose: () => void }) {
  const [name, setName] = useState("");
  const [isChecked, setChecked] = useState(false);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    setChecked(true);
    if (name.trim()) onSave(name.trim());
  };
  return (
    <Dialog title="Save this view" onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <Field
          label="Name"
          value={name}
          maxLength={LONGEST}
          required
          hint="Its filters and order are kept in this browser. A view with the same name is replaced."
          error={isChecked && !name.trim() ? "Enter a name for the view." : undefined}
          onChange={(event) => setName(event.target.value)}
        />
        <div className="mt-5 flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary">
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** The named views of this list, and a button that names what is displayed now. */
export function SavedViews() {
  const { pathname, search } = useLocation();
  const { views, save, remove } = useViews();
  const [isNaming, setNaming] = useState(false);
  const current = viewOf(search);
  const own = views[pathname] ?? [];
  const canSave = current !== "" && !own.some((view) => view.search === current);
  if (own.length === 0 && !canSave) return null;
  return (
    <nav aria-label="Saved views" className="flex flex-wrap items-center gap-2">
      {own.length > 0 && (
        <ul className="flex min-w-0 flex-wrap gap-2">
          {own.map((view) => (
            <li
              key={view.name}
              className="inline-flex max-w-full items-center rounded-md border border-line-strong bg-surface"
            >
              <Link
                to={pathname + view.search}
                aria-current={view.search === current ? "true" : undefined}
                className="flex min-h-8 min-w-0 items-center rounded-s-md px-2.5 py-1 font-medium wrap-anywhere hover:underline aria-[current=true]:bg-accent-soft aria-[current=true]:font-semibold aria-[current=true]:text-accent"
              >
                {view.name}
              </Link>
              <button
                type="button"
                aria-label={`Remove the view ${view.name}`}
                onClick={() => remove(pathname, view.name)}
                className="grid size-8 shrink-0 place-items-center rounded text-muted hover:text-ink"
              >
                <Icon name="close" className="size-3" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {canSave && (
        <Button kind="quiet" icon="plus" onClick={() => setNaming(true)}>
          Save this view
        </Button>
      )}
      {isNaming && (
        <SaveDialog
          onClose={() => setNaming(false)}
          onSave={(name) => {
            save(pathname, { name, search: current });
            setNaming(false);
          }}
        />
      )}
    </nav>
  );
}
