import { useInfiniteQuery } from "@tanstack/react-query";
import { tasks as tasksQuery } from "../api/queries";
import { useFilters } from "../components/filters";
import { LoadMore } from "../components/load-more";
import { TargetFilter } from "../components/target-filter";
import { KIND_LABELS } from "../components/runs-table";
import { TasksTable } from "../components/tasks-table";
import { TASK_LOOKS } from "../components/tones";
import { Button, ButtonLink } from "../ui/button";
import { Select } from "../ui/field";
import { Loaded } from "../ui/loaded";
import { Message } from "../ui/message";
import { Page } from "../ui/page";
import { Panel } from "../ui/panel";

const STATES = [
  { value: "", label: "All states" },
  ...Object.entries(TASK_LOOKS).map(([value, { label }]) => ({ value, label })),
];
const KINDS = [
  { value: "", label: "All kinds" },
  ...Object.entries(KIND_LABELS).map(([value, label]) => ({ value, label })),
];

/** What is to be done, is being done and was done. */
export function QueuePage() {
  const { filter, setFilter, clear, isFiltered } = useFilters(["state", "kind", "target"]);
  const query = useInfiniteQuery(tasksQuery(filter));
  return (
    <Page title="Queue">
      <div className="flex flex-wrap items-end gap-3">
        <Select
          className="max-sm:flex-1"
          label="State"
          options={STATES}
          value={filter.state}
          onChange={(event) => setFilter("state", event.target.value)}
        />
        <Select
          className="max-sm:flex-1"
          label="Kind"
          options={KINDS}
          value={filter.kind}
          onChange={(event) => setFilter("kind", event.target.value)}
        />
        <TargetFilter key={filter.target} value={filter.target} onChange={(target) => setFilter("target", target)} />
      </div>
      <Panel title="Tasks" flush>
        <Loaded query={query} lines={12}>
          {({ pages }) => {
            const tasks = pages.flatMap((page) => page.tasks);
            if (tasks.length > 0) {
              return (
                <>
                  <TasksTable tasks={tasks} />
                  <LoadMore query={query} />
                </>
              );
            }
            return isFiltered ? (
              <Message title="No task fits the filter" action={<Button onClick={clear}>Clear the filter</Button>}>
                Choose other values, or look at all tasks.
              </Message>
            ) : (
              <Message
                icon="queue"
                title="The queue is empty"
                action={
                  <ButtonLink to="/" kind="primary">
                    Heal a repository
                  </ButtonLink>
                }
              >
                Repositories that you submit and sources that are due wait here for a worker.
              </Message>
            );
          }}
        </Loaded>
      </Panel>
    </Page>
  );
}
