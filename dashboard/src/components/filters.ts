import { useSearchParams } from "react-router";
import type { Order, Sorting } from "../ui/data-table";

export interface Filters<Name extends string> {
  filter: Record<Name, string>;
  setFilter: (name: Name, value: string) => void;
  clear: () => void;
  isFiltered: boolean;
}

/** The labels of each value that a filter may have. */
export type Choices<Name extends string> = Partial<Record<Name, Record<string, string>>>;

/** Number of loaded pages: a list that changes begins anew. */
const PAGES = "pages";
const SORT = "sort";
const DIRECTION = "direction";

/** The most pages that an address can ask for: anything may stand there. */
const MOST_PAGES = 40;

function useAddress() {
  const [search, setSearch] = useSearchParams();
  const change = (changes: Record<string, string>) =>
    setSearch(
      (previous) => {
        for (const [name, value] of Object.entries(changes)) {
          if (value) previous.set(name, value);
          else previous.delete(name);
        }
        return previous;
      },
      { replace: true },
    );
  return { search, setSearch, change };
}

/**
 * The filters of a list, kept in the address so that a list can be linked to and survives going back. A value that is
 * not a choice is none: what is selected is what the server is asked for.
 */
export function useFilters<Name extends string>(names: readonly Name[], choices: Choices<Name> = {}): Filters<Name> {
  const { search, setSearch, change } = useAddress();
  const valueOf = (name: Name) => {
    const value = search.get(name) ?? "";
    const labels = choices[name];
    return labels && !Object.hasOwn(labels, value) ? "" : value;
  };
  const filter = Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<Name, string>;
  const setFilter = (name: Name, value: string) => change({ [name]: value, [PAGES]: "" });
  const clear = () => setSearch({}, { replace: true });
  return { filter, setFilter, clear, isFiltered: Object.values(filter).some(Boolean) };
}

/** The order of a table, kept in the address. */
export function useAddressSorting(): Sorting {
  const { search, change } = useAddress();
  const column = search.get(SORT);
  const direction = search.get(DIRECTION) === "descending" ? "descending" : "ascending";
  return {
    order: column ? { column, direction } : undefined,
    setOrder: (order: Order | undefined) =>
      change({ [SORT]: order?.column ?? "", [DIRECTION]: order?.direction ?? "" }),
  };
}

/** The number of pages of a list that are to be loaded, kept in the address. */
export function useWantedPages(): [number, (pages: number) => void] {
  const { search, change } = useAddress();
  const pages = Math.trunc(Number(search.get(PAGES)));
  const wanted = pages >= 1 ? Math.min(pages, MOST_PAGES) : 1;
  return [wanted, (pages) => change({ [PAGES]: pages > 1 ? String(pages) : "" })];
}

/** Filters and order of an address in a fixed order, without what was loaded of the list: what a saved view keeps. */
export function viewOf(search: string): string {
  const parameters = new URLSearchParams(search);
  parameters.delete(PAGES);
  parameters.sort();
  return parameters.size > 0 ? `?${parameters.toString()}` : "";
}
