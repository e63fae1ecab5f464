import { useEffect, useId, useRef, useState } from "react";
import { BULK_ACTIONS, useBulkStart, type BulkAction } from "../api/bulk-sources";
import { describeError } from "../api/describe";
import type { Source } from "../api/types";
import { useBulk, type BulkWork } from "../store/bulk";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { counted } from "../ui/format";
import { Icon } from "../ui/icon";

interface CheckboxProps {
  label: string;
  isLabelShown?: boolean;
  isChecked: boolean;
  isMixed?: boolean;
  onChange: (isChecked: boolean) => void;
}

/** A checkbox that is large enough for a finger. */
export function SelectBox({ label, isLabelShown = false, isChecked, isMixed = false, onChange }: CheckboxProps) {
  const id = useId();
  const box = useRef<HTMLInputElement>(null);
  // Only a property says that some are selected and some are not.
  useEffect(() => {
    if (box.current) box.current.indeterminate = isMixed;
  }, [isMixed]);
  return (
    <label htmlFor={id} className="-my-1 -ms-2 inline-flex min-h-8 min-w-8 items-center justify-center gap-2 px-2">
      <input
        ref={box}
        id={id}
        type="checkbox"
        checked={isChecked}
        onChange={(event) => onChange(event.target.checked)}
        className="size-4 shrink-0 accent-accent"
      />
      <span className={isLabelShown ? "" : "sr-only"}>{label}</span>
    </label>
  );
}

interface DeleteDialogProps {
  sources: readonly Source[];
  onDelete: () => void;
  onClose: () => void;
}

function DeleteDialog({ sources, onDelete, onClose }: DeleteDialogProps) {
  return (
    <Dialog title={`Delete ${counted(sources.length, "source")}?`} onClose={onClose}>
      <p className="text-muted">
        Their recipes, values, histories and snapshots are deleted with them. This cannot be undone.
      </p>
      <div
        role="region"
        aria-label="Sources to delete"
        tabIndex={0}
        className="mt-3 max-h-60 overflow-y-auto rounded border border-line p-2"
      >
        <ul>
          {sources.map(({ name }) => (
            <li key={name} className="font-medium wrap-anywhere">
              {name}
            </li>
          ))}
        </ul>
      </div>
      <div className="mt-5 flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Keep them</Button>
        <Button kind="danger" onClick={onDelete}>
          Delete {counted(sources.length, "source")}
        </Button>
      </div>
    </Dialog>
  );
}

function Names({ title, entries }: { title: string; entries: readonly (readonly [name: string, reason: string])[] }) {
  if (entries.length === 0) return null;
  return (
    <details open={entries.length <= 5} className="mt-1">
      <summary>{title}</summary>
      <ul className="ms-4 list-disc">
        {entries.map(([name, reason]) => (
          <li key={name} className="wrap-anywhere">
            <span className="font-medium">{name}</span>
            {reason && `: ${reason}`}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The progress of an action on many sources, then what came of it: nothing that failed or was left out is hidden. */
export function BulkProgress() {
  const { work, setWork } = useBulk();
  return work ? <Work work={work} onDismiss={() => setWork(undefined)} /> : null;
}

function Work({ work, onDismiss }: { work: BulkWork; onDismiss: () => void }) {
  const { label, result, names, leftOut, done, failed, isOver, stop } = work;
  const over = done.length + failed.length;
  const notStarted = isOver
    ? names.filter((name) => !done.includes(name) && !failed.some((each) => each.name === name))
    : [];
  const reasons = failed.map(({ name, error }) => {
    const { title, message } = describeError(error);
    return [name, `${title}. ${message}`] as const;
  });
  return (
    <section
      aria-label={label}
      className="flex items-start gap-3 rounded-lg border border-line bg-surface px-4 py-3 shadow-card"
    >
      <div className="min-w-0 flex-1">
        <p role="status" className="font-semibold">
          {label}: {isOver ? `${done.length} of ${names.length} ${result}` : `${over} of ${names.length}`}
        </p>
        {!isOver && (
          <progress aria-label={label} max={names.length} value={over} className="meter mt-2 block h-1.5 w-full" />
        )}
        <Names title={`${failed.length} failed`} entries={reasons} />
        <Names title={`${notStarted.length} not started`} entries={notStarted.map((name) => [name, ""])} />
        <Names
          title={`${leftOut.length} left out, as it does not apply`}
          entries={leftOut.map(({ name, reason }) => [name, reason])}
        />
      </div>
      {isOver ? (
        <button
          type="button"
          aria-label="Dismiss"
          onClick={onDismiss}
          className="-m-1 grid size-8 place-items-center rounded text-muted hover:text-ink"
        >
          <Icon name="close" />
        </button>
      ) : (
        <Button icon="stop" onClick={stop}>
          Stop
        </Button>
      )}
    </section>
  );
}

/** Selects the displayed sources, and acts on those that are selected. */
export function BulkBar({ sources }: { sources: readonly Source[] }) {
  const { selected, select, work } = useBulk();
  const [toDelete, setToDelete] = useState<readonly Source[]>();
  const start = useBulkStart();
  // A source that the list does not display is never acted upon.
  const chosen = sources.filter(({ name }) => selected.has(name));
  const isBusy = work !== undefined && !work.isOver;
  const button = (action: BulkAction) => {
    const fitting = chosen.filter((source) => action.refusal(source) === undefined).length;
    return (
      <Button
        key={action.key}
        className="max-sm:whitespace-normal"
        kind={action.key === "delete" ? "danger" : "secondary"}
        disabled={isBusy || fitting === 0}
        onClick={() => (action.key === "delete" ? setToDelete(chosen) : void start(action, chosen))}
      >
        {action.label}
        {fitting < chosen.length && ` (${fitting} of ${chosen.length})`}
      </Button>
    );
  };
  return (
    <>
      <div className="flex min-h-12 flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-2">
        <SelectBox
          label={`Select all ${sources.length} shown`}
          isLabelShown
          isChecked={chosen.length === sources.length}
          isMixed={chosen.length > 0 && chosen.length < sources.length}
          onChange={(isChecked) =>
            select(
              sources.map(({ name }) => name),
              isChecked,
            )
          }
        />
        {chosen.length > 0 && <span className="text-muted">{chosen.length} selected</span>}
        {chosen.length > 0 && (
          <div role="group" aria-label="Actions for the selected sources" className="flex flex-wrap gap-2">
            {BULK_ACTIONS.map(button)}
          </div>
        )}
      </div>
      {toDelete && (
        <DeleteDialog
          sources={toDelete}
          onClose={() => setToDelete(undefined)}
          onDelete={() => {
            const action = BULK_ACTIONS.find(({ key }) => key === "delete");
            if (action) void start(action, toDelete);
            setToDelete(undefined);
          }}
        />
      )}
    </>
  );
}
