import { create } from "zustand";
import { createJSONStorage, persist } from "zustand/middleware";

interface Lists {
  /** The query of each list as it was displayed last, by path: `?state=running`. */
  searches: Partial<Record<string, string>>;
  remember: (path: string, search: string) => void;
}

/** Filters and order of each list, so that the way back from an entry leads to the list it was opened from. */
export const useLists = create<Lists>()(
  persist(
    (set) => ({
      searches: {},
      remember: (path, search) => set(({ searches }) => ({ searches: { ...searches, [path]: search } })),
    }),
    { name: "autoheal-lists", storage: createJSONStorage(() => sessionStorage) },
  ),
);
