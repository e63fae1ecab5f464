import { useInfiniteQuery } from "@tanstack/react-query";
import { runs } from "../api/list-queries";
import { useAddressSorting, useFilters } from "../components/filters";
import { ListPage } from "../components/list-page";
import { KIND_LABELS, RunsTable } from "../components/runs-table";
import { labelsOf, RUN_LOOKS } from "../components/tones";
import { ButtonLink } from "../ui/button";
import { Message } from "../ui/message";

const CHOICES = { state: labelsOf(RUN_LOOKS), kind: KIND_LABELS };

/** Every run, newest first. */
export function RunsPage() {
  const filters = useFilters(["state", "kind", "search"], CHOICES);
  const query = useInfiniteQuery(runs(filters.filter));
  const sorting = useAddressSorting();
  return (
    <ListPage
      title="Runs"
      noun="run"
      filters={filters}
      choices={CHOICES}
      query={query}
      sortsWhole
      rows={query.data?.pages.flatMap((page) => page.runs)}
      empty={
        <Message
          title="Nothing has run yet"
          action={
            <>
              <ButtonLink to="/" kind="primary">
                Heal a repository
              </ButtonLink>
              <ButtonLink to="/new-source">Add a source</ButtonLink>
            </>
          }
        >
          A run is one walk through the agents, for a repository or a source.
        </Message>
      }
    >
      {(runs) => <RunsTable runs={runs} caption="Runs" sorting={query.hasNextPage ? "none" : sorting} />}
    </ListPage>
  );
}
