import { create } from "zustand";
import { persist } from "zustand/middleware";

interface Shortcuts {
  /** Whether keys without Control do something. Speech input may type them by accident, so they can be turned off. */
  singleKeys: boolean;
  setSingleKeys: (singleKeys: boolean) => void;
}

export const useShortcuts = create<Shortcuts>()(
  persist((set) => ({ singleKeys: true, setSingleKeys: (singleKeys) => set({ singleKeys }) }), {
    name: "autoheal-shortcuts",
  }),
);
