import { useQuery } from "@tanstack/react-query";
import { needs } from "../api/queries";
import type { Need } from "../api/types";
import { useFilters } from "../components/filters";
import { ListPage } from "../components/list-page";
import { NeedList } from "../components/need-list";
import { labelsOf, NEED_LOOKS } from "../components/tones";
import { Message } from "../ui/message";

const CHOICES = { kind: labelsOf(NEED_LOOKS) };

/** Number of entries of one kind up to which the server lists them. */
const MOST_OF_A_KIND = 100;

/** True if the list lacks entries of some kind. */
function isCut(needs: readonly Need[]): boolean {
  const counts = new Map<string, number>();
  for (const { kind } of needs) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return Math.max(0, ...counts.values()) >= MOST_OF_A_KIND;
}

/** What needs a person: reviews, quarantines, failed tasks, fixes to merge. An entry is gone as soon as its cause is. */
export function NeedsPage() {
  const filters = useFilters(["kind", "search"], CHOICES);
  const { kind, search } = filters.filter;
  const { data, error, refetch, isFetching, isPlaceholderData } = useQuery(needs());
  const wanted = search.toLowerCase();
  const rows = data?.needs.filter(
    (need) =>
      (kind === "" || need.kind === kind) &&
      [need.target, need.message, need.branch].some((text) => text?.toLowerCase().includes(wanted)),
  );
  return (
    <ListPage
      title="Needs you"
      noun="entry"
      nouns="entries"
      filters={filters}
      choices={CHOICES}
      // The document is the whole list.
      query={{
        error,
        refetch,
        isFetching,
        isPlaceholderData,
        hasNextPage: false,
        isFetchNextPageError: false,
        fetchNextPage: refetch,
      }}
      rows={rows}
      empty={
        <Message icon="check" title="Nothing needs you">
          Fixes to review or merge, quarantined sources and failed tasks appear here.
        </Message>
      }
    >
      {(rows) => (
        <>
          <NeedList needs={rows} />
          {data && isCut(data.needs) && (
            <p className="border-t border-line px-4 py-2 text-xs text-muted">
              The newest {MOST_OF_A_KIND} of each kind are listed.
            </p>
          )}
        </>
      )}
    </ListPage>
  );
}
