import { useId } from "react";
import { useShortcuts } from "../store/shortcuts";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { PALETTE_KEYS } from "./shortcuts";

const SINGLE: readonly (readonly [keys: string, effect: string])[] = [
  ["/", "Search the list"],
  ["?", "Show this list"],
];

function Row({ keys, effect }: { keys: string; effect: string }) {
  return (
    <div className="flex items-center justify-between gap-4 py-1.5">
      <dt>{effect}</dt>
      <dd>
        <kbd className="rounded border border-line-strong bg-sunken px-1.5 font-mono text-xs whitespace-nowrap">
          {keys}
        </kbd>
      </dd>
    </div>
  );
}

/** The keys that work on every page. */
export function ShortcutList({ onClose }: { onClose: () => void }) {
  const { singleKeys, setSingleKeys } = useShortcuts();
  const id = useId();
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className="divide-y divide-line">
        <Row keys={PALETTE_KEYS} effect="Go to a page, source or run" />
        {singleKeys && SINGLE.map(([keys, effect]) => <Row key={keys} keys={keys} effect={effect} />)}
      </dl>
      <label htmlFor={id} className="mt-3 flex items-center gap-2">
        <input
          id={id}
          type="checkbox"
          className="size-4 accent-accent"
          checked={singleKeys}
          onChange={(event) => setSingleKeys(event.target.checked)}
        />
        Use keys without {PALETTE_KEYS.split(" ")[0]}
      </label>
      <div className="mt-5 flex justify-end">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}
