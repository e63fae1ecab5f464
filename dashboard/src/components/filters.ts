import { useSearchParams } from "react-router";

export interface Filters<Name extends string> {
  filter: Record<Name, string>;
  setFilter: (name: Name, value: string) => void;
  clear: () => void;
  isFiltered: boolean;
}

/** The filters of a list, kept in the address so that a list can be linked to and survives going back. */
export function useFilters<Name extends string>(names: readonly Name[]): Filters<Name> {
  const [search, setSearch] = useSearchParams();
  const filter = Object.fromEntries(names.map((name) => [name, search.get(name) ?? ""])) as Record<Name, string>;
  const setFilter = (name: Name, value: string) =>
    setSearch(
      (previous) => {
        if (value) previous.set(name, value);
        else previous.delete(name);
        return previous;
      },
      { replace: true },
    );
  const clear = () => setSearch({}, { replace: true });
  return { filter, setFilter, clear, isFiltered: Object.values(filter).some(Boolean) };
}
