import { useInfiniteQuery } from "@tanstack/react-query";
import { alerts } from "../api/list-queries";
import { AlertList } from "../components/alert-list";
import { useFilters } from "../components/filters";
import { ListPage } from "../components/list-page";
import { Message } from "../ui/message";

/** What a person was told. */
export function AlertsPage() {
  const filters = useFilters(["search"]);
  const query = useInfiniteQuery(alerts(filters.filter.search));
  return (
    <ListPage
      title="Alerts"
      noun="alert"
      filters={filters}
      query={query}
      rows={query.data?.pages.flatMap((page) => page.alerts)}
      empty={
        <Message icon="check" title="All quiet">
          You are told here when a source is quarantined or dead, a fix waits for you, or a budget is used up. Webhooks
          and mail are set in the settings of the server.
        </Message>
      }
    >
      {(alerts) => <AlertList alerts={alerts} />}
    </ListPage>
  );
}
