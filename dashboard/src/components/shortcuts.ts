import { useEffect } from "react";
import { useShortcuts } from "../store/shortcuts";

/** What can be opened over every page. */
export type Overlay = "palette" | "shortcuts";

const isMac = /Mac|iP(hone|ad)/.test(navigator.userAgent);

/** Name of the palette's keys on this machine. */
export const PALETTE_KEYS = isMac ? "⌘ K" : "Ctrl K";

const TEXT = "textarea, select, input:not([type=radio], [type=checkbox]), [contenteditable]";

/** Opens overlays by keys, and moves the focus to the search of the page. A dialog that is open keeps its keys. */
export function useShortcutKeys(open: (overlay: Overlay) => void) {
  const singleKeys = useShortcuts((state) => state.singleKeys);
  useEffect(() => {
    const act = ({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean => {
      const isPalette = (ctrlKey || metaKey) && !altKey && key.toLowerCase() === "k";
      if (document.querySelector("dialog[open]")) return isPalette;
      if (isPalette) open("palette");
      else if (!singleKeys || ctrlKey || metaKey || altKey || (target as Element).matches(TEXT)) return false;
      else if (key === "?") open("shortcuts");
      else if (key === "/") document.querySelector<HTMLElement>("main [type=search]")?.focus();
      else return false;
      return true;
    };
    const onKeyDown = (event: KeyboardEvent) => {
      if (act(event)) event.preventDefault();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [open, singleKeys]);
}
