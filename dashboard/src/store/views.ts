import { create } from "zustand";
import { persist } from "zustand/middleware";

export interface View {
  name: string;
  /** Filters and order of the list: the query of its address. */
  search: string;
}

interface Views {
  /** The views of each list, by its path. */
  views: Partial<Record<string, readonly View[]>>;
  /** A view with the same name is replaced. */
  save: (path: string, view: View) => void;
  remove: (path: string, name: string) => void;
}

const without = (views: readonly View[] = [], name: string) => views.filter((view) => view.name !== name);

/** Addresses of lists that the user named. They are kept in this browser. */
export const useViews = create<Views>()(
  persist(
    (set) => ({
      views: {},
      save: (path, view) =>
        set(({ views }) => ({ views: { ...views, [path]: [...without(views[path], view.name), view] } })),
      remove: (path, name) => set(({ views }) => ({ views: { ...views, [path]: without(views[path], name) } })),
    }),
    { name: "autoheal-views" },
  ),
);
