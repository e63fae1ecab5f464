import type { ReactNode } from "react";
import { Button } from "../ui/button";
import { Select } from "../ui/field";
import { words } from "../ui/format";
import { Loaded } from "../ui/loaded";
import { Message } from "../ui/message";
import { Page } from "../ui/page";
import type { Filters } from "./filters";
import { TargetFilter } from "./target-filter";

interface ListPageProps<Row, Name extends string> {
  title: string;
  /** What one row is. */
  noun: string;
  filters: Filters<Name | "target">;
  /** The filters that are a choice, beside the target: the label of each value. */
  choices?: Record<Name, Record<string, string>>;
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
  query,
  rows,
  empty,
  children,
}: ListPageProps<Row, Name>) {
  return (
    <Page title={title}>
      <div className="min-w-0 rounded-lg border border-line bg-surface shadow-card">
        <div className="flex flex-wrap items-end gap-3 border-b border-line px-4 py-3">
          {choices &&
            (Object.keys(choices) as Name[]).map((name) => (
              <Select
                key={name}
                className="max-sm:flex-1"
                label={words(name)}
                options={[
                  { value: "", label: `All ${name}s` },
                  ...Object.entries(choices[name]).map(([value, label]) => ({ value, label })),
                ]}
                value={filter[name]}
                onChange={(event) => setFilter(name, event.target.value)}
              />
            ))}
          <TargetFilter key={filter.target} value={filter.target} onChange={(target) => setFilter("target", target)} />
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
