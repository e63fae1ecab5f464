import { useEffect, type ReactNode } from "react";
import { useLocation } from "react-router";
import { useLists } from "../store/lists";
import { Button } from "../ui/button";
import { Select } from "../ui/field";
import { words } from "../ui/format";
import { Loaded } from "../ui/loaded";
import { Message } from "../ui/message";
import { Page } from "../ui/page";
import { useWantedPages, type Filters } from "./filters";
import { SavedViews } from "./saved-views";
import { SearchFilter } from "./search-filter";

/** What a list needs of its query. */
interface ListQuery {
  data?: { pages: readonly unknown[] } | undefined;
  error: unknown;
  refetch: () => unknown;
  isFetching: boolean;
  isPlaceholderData: boolean;
  hasNextPage: boolean;
  isFetchNextPageError: boolean;
  fetchNextPage: () => unknown;
}

interface ListPageProps<Row, Name extends string> {
  title: string;
  /** What one row is. */
  noun: string;
  /** The same of many, if it is not `noun` with an `s`. */
  nouns?: string;
  filters: Filters<Name | "search">;
  /** The filters that are a choice, beside the search: the label of each value. */
  choices?: Record<Name, Record<string, string>>;
  /** Labels of filters without a choice, where "All ...s" does not fit. */
  anything?: Partial<Record<Name, string>>;
  actions?: ReactNode;
  /** Content above the list. */
  above?: ReactNode;
  query: ListQuery;
  rows: readonly Row[] | undefined;
  /** In place of the list when there is nothing at all. */
  empty: ReactNode;
  /** True if the table is sorted by its columns once the list is complete: a part of a list is never sorted by itself. */
  sortsWhole?: boolean;
  children: (rows: readonly Row[]) => ReactNode;
}

/** Loads as many pages as the address asks for, so that Back and Reload give the list that was left. */
function useMore(query: ListQuery) {
  const [wanted, setWanted] = useWantedPages();
  const loaded = query.data?.pages.length ?? 0;
  const isLoading = wanted > loaded && !query.isFetchNextPageError;
  const { hasNextPage, isFetching, isPlaceholderData, fetchNextPage } = query;
  const isDue = isLoading && loaded > 0 && hasNextPage && !isFetching && !isPlaceholderData;
  useEffect(() => {
    if (isDue) void fetchNextPage();
  }, [isDue, fetchNextPage]);
  return { isLoading, load: () => (query.isFetchNextPageError ? void fetchNextPage() : setWanted(loaded + 1)) };
}

/** A page of one list, newest first: filtered, gone on with as long as there is more. */
export function ListPage<Row, Name extends string = never>({
  title,
  noun,
  nouns = `${noun}s`,
  filters: { filter, setFilter, clear, isFiltered },
  choices,
  anything,
  actions,
  above,
  query,
  rows,
  empty,
  sortsWhole = false,
  children,
}: ListPageProps<Row, Name>) {
  const { pathname, search } = useLocation();
  const more = useMore(query);
  const remember = useLists((state) => state.remember);
  useEffect(() => remember(pathname, search), [remember, pathname, search]);
  return (
    <Page title={title} actions={actions}>
      {above}
      <SavedViews />
      <div className="min-w-0 rounded-lg border border-line bg-surface shadow-card">
        <div className="flex flex-wrap items-end gap-3 border-b border-line px-4 py-3">
          {choices &&
            (Object.keys(choices) as Name[]).map((name) => (
              <Select
                key={name}
                className="max-sm:min-w-32 max-sm:flex-1"
                label={words(name)}
                options={[
                  { value: "", label: anything?.[name] ?? `All ${name}s` },
                  ...Object.entries(choices[name]).map(([value, label]) => ({ value, label })),
                ]}
                value={filter[name]}
                onChange={(event) => setFilter(name, event.target.value)}
              />
            ))}
          <SearchFilter key={filter.search} value={filter.search} onChange={(search) => setFilter("search", search)} />
        </div>
        <Loaded query={{ data: rows, error: query.error, refetch: query.refetch }} lines={12}>
          {(rows) => {
            if (rows.length > 0) {
              return (
                <>
                  {children(rows)}
                  {query.hasNextPage && (
                    <div className="border-t border-line p-2 text-center">
                      <Button kind="quiet" busy={more.isLoading} onClick={more.load}>
                        Load more
                      </Button>
                      {sortsWhole && (
                        <p className="pb-1 text-xs text-muted">
                          {rows.length} loaded. Columns can be sorted once all are loaded.
                        </p>
                      )}
                    </div>
                  )}
                </>
              );
            }
            if (!isFiltered) return empty;
            return (
              <Message title={`No ${noun} fits the filter`} action={<Button onClick={clear}>Clear the filter</Button>}>
                Choose other values, or look at all {nouns}.
              </Message>
            );
          }}
        </Loaded>
      </div>
    </Page>
  );
}
