import { useInfiniteQuery } from "@tanstack/react-query";
import { alerts as alertsQuery } from "../api/queries";
import { AlertList } from "../components/alert-list";
import { useFilters } from "../components/filters";
import { LoadMore } from "../components/load-more";
import { TargetFilter } from "../components/target-filter";
import { Button } from "../ui/button";
import { Loaded } from "../ui/loaded";
import { Message } from "../ui/message";
import { Page } from "../ui/page";
import { Panel } from "../ui/panel";

/** What a person was told. */
export function AlertsPage() {
  const { filter, setFilter, clear, isFiltered } = useFilters(["target"]);
  const query = useInfiniteQuery(alertsQuery(filter.target));
  return (
    <Page title="Alerts">
      <TargetFilter key={filter.target} value={filter.target} onChange={(target) => setFilter("target", target)} />
      <Panel title="Alerts" flush>
        <Loaded query={query} lines={8}>
          {({ pages }) => {
            const alerts = pages.flatMap((page) => page.alerts);
            if (alerts.length === 0) {
              return isFiltered ? (
                <Message title="No alert for this target" action={<Button onClick={clear}>Clear the filter</Button>} />
              ) : (
                <Message icon="check" title="All quiet">
                  You are told here when a source is quarantined or dead, a fix waits for you, or a budget is used up.
                  Webhooks and mail are set in the settings of the server.
                </Message>
              );
            }
            return (
              <>
                <AlertList alerts={alerts} />
                <LoadMore query={query} />
              </>
            );
          }}
        </Loaded>
      </Panel>
    </Page>
  );
}
