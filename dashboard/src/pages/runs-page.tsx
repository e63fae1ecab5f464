import { useInfiniteQuery } from "@tanstack/react-query";
import { runs as runsQuery } from "../api/queries";
import { useFilters } from "../components/filters";
import { LoadMore } from "../components/load-more";
import { RunsTable, KIND_LABELS } from "../components/runs-table";
import { TargetFilter } from "../components/target-filter";
import { Button, ButtonLink } from "../ui/button";
import { Select } from "../ui/field";
import { Loaded } from "../ui/loaded";
import { Message } from "../ui/message";
import { Page } from "../ui/page";
import { Panel } from "../ui/panel";

const KINDS = [
  { value: "", label: "All kinds" },
  ...Object.entries(KIND_LABELS).map(([value, label]) => ({ value, label })),
];
const STATES = [
  { value: "", label: "All states" },
  { value: "running", label: "Running" },
  { value: "healed", label: "Healed" },
  { value: "not_healed", label: "Not healed" },
];

/** Every run, newest first. */
export function RunsPage() {
  const { filter, setFilter, clear, isFiltered } = useFilters(["kind", "state", "target"]);
  const query = useInfiniteQuery(runsQuery(filter));
  return (
    <Page title="Runs">
      <div className="flex flex-wrap items-end gap-3">
        <Select
          className="max-sm:flex-1"
          label="Kind"
          options={KINDS}
          value={filter.kind}
          onChange={(event) => setFilter("kind", event.target.value)}
        />
        <Select
          className="max-sm:flex-1"
          label="State"
          options={STATES}
          value={filter.state}
          onChange={(event) => setFilter("state", event.target.value)}
        />
        <TargetFilter key={filter.target} value={filter.target} onChange={(target) => setFilter("target", target)} />
      </div>
      <Panel title="Runs" flush>
        <Loaded query={query} lines={12}>
          {({ pages }) => {
            const runs = pages.flatMap((page) => page.runs);
            if (runs.length > 0) {
              return (
                <>
                  <RunsTable runs={runs} caption="Runs" />
                  <LoadMore query={query} />
                </>
              );
            }
            return isFiltered ? (
              <Message title="No run fits the filter" action={<Button onClick={clear}>Clear the filter</Button>}>
                Choose other values, or look at all runs.
              </Message>
            ) : (
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
            );
          }}
        </Loaded>
      </Panel>
    </Page>
  );
}
