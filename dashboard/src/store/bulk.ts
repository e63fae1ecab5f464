import { create } from "zustand";

export interface Failed {
  name: string;
  error: unknown;
}

/** One action on many sources, and what came of it. */
export interface BulkWork {
  /** What it is called: the label of its button. */
  label: string;
  /** What the sources are afterwards: "in the queue". */
  result: string;
  /** The sources it applies to. */
  names: readonly string[];
  /** Selected sources it does not apply to, with the reason. */
  leftOut: readonly { name: string; reason: string }[];
  done: readonly string[];
  failed: readonly Failed[];
  isOver: boolean;
  stop: () => void;
}

interface Bulk {
  selected: ReadonlySet<string>;
  /** The current work, or the last one until it is dismissed. It continues when the page of the list is left. */
  work: BulkWork | undefined;
  select: (names: readonly string[], isSelected: boolean) => void;
  setWork: (work: BulkWork | undefined) => void;
  update: (change: (work: BulkWork) => Partial<BulkWork>) => void;
}

export const useBulk = create<Bulk>()((set) => ({
  selected: new Set(),
  work: undefined,
  select: (names, isSelected) =>
    set(({ selected }) => {
      const next = new Set(selected);
      for (const name of names) {
        if (isSelected) next.add(name);
        else next.delete(name);
      }
      return { selected: next };
    }),
  setWork: (work) => set({ work }),
  update: (change) => set(({ work }) => ({ work: work && { ...work, ...change(work) } })),
}));
