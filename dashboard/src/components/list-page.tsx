import type { ReactNode } from "react";
import { Button } from "../ui/button";
import { Select } from "../ui/field";
import { words } from "../ui/format";
import { Loaded } from "../ui/loaded";
import { Message } from "../ui/message";
import { Page } from "../ui/page";
import type { Filters } from "./filters";
import { SearchFilter } from "./search-filter";

interface ListPageProps<Row, Name extends string> {
  title: string;
  /** What one row is. */
  noun: string;
  filters: Filters<Name | "search">;
  /** The filters that are a choice, beside the search: the label of each value. */
  choices?: Record<Name, Record<string, string>>;
  /** Labels of filters without a choice, where "All ...s" does not fit. */
  anything?: Partial<Record<Name, string>>;
  actions?: ReactNode;
  /** Content above the list. */
  above?: ReactNode;
  query: {
    error: unknown;
    refetch: () => unknown;
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    fetchNextPage: () => unknown;
  };
  rows: readonly Row[] | undefined;
  /** In place of the list when there is nothing at all. */
  empty: ReactNode;
  children: (rows: readonly Row[]) => ReactNode;
}

/** A page of one list, newest first: filtered, gone on with as long as there is more. */
export function ListPage<Row, Name extends string = never>({
  title,
  noun,
  filters: { filter, setFilter, clear, isFiltered },
  choices,
  anything,
  actions,
  above,
  query,
  rows,
  empty,
  children,
}: ListPageProps<Row, Name>) {
  return (
    <Page title={title} actions={actions}>
      {above}
      <div className="min-w-0 rounded-lg border border-line bg-surface shadow-card">
        <div className="flex flex-wrap items-end gap-3 border-b border-line px-4 py-3">
          {choices &&
            (Object.keys(choices) as Name[]).map((name) => (
              <Select
                key={name}
                className="max-sm:flex-1"
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
                      <Button kind="quiet" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                        Load more
                      </Button>
                    </div>
                  )}
                </>
              );
            }
            if (!isFiltered) return empty;
            return (
              <Message title={`No ${noun} fits the filter`} action={<Button onClick={clear}>Clear the filter</Button>}>
                Choose other values, or look at all {noun}s.
              </Message>
            );
          }}
        </Loaded>
      </div>
    </Page>
  );
}
