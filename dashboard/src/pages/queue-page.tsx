import { useInfiniteQuery } from "@tanstack/react-query";
import { ANY_STATE, tasks } from "../api/list-queries";
import { useAddressSorting, useFilters } from "../components/filters";
import { ListPage } from "../components/list-page";
import { KIND_LABELS } from "../components/runs-table";
import { TasksTable } from "../components/tasks-table";
import { labelsOf, TASK_LOOKS } from "../components/tones";
import { ButtonLink } from "../ui/button";
import { Message } from "../ui/message";

const CHOICES = { state: { ...labelsOf(TASK_LOOKS), [ANY_STATE]: "All states" }, kind: KIND_LABELS };

/** Tasks: first those that run and wait, the others on demand. */
export function QueuePage() {
  const filters = useFilters(["state", "kind", "search"], CHOICES);
  const query = useInfiniteQuery(tasks(filters.filter));
  const sorting = useAddressSorting();
  return (
    <ListPage
      title="Queue"
      noun="task"
      filters={filters}
      choices={CHOICES}
      anything={{ state: "Open tasks" }}
      query={query}
      sortsWhole
      rows={query.data?.pages.flatMap((page) => page.tasks)}
      empty={
        <Message
          icon="queue"
          title="Nothing runs or waits"
          action={
            <>
              <ButtonLink to="/" kind="primary">
                Heal a repository
              </ButtonLink>
              <ButtonLink to={`?state=${ANY_STATE}`}>See all tasks</ButtonLink>
            </>
          }
        >
          Repositories that you submit and sources that are due wait here for a worker.
        </Message>
      }
    >
      {(tasks) => <TasksTable tasks={tasks} sorting={query.hasNextPage ? "none" : sorting} />}
    </ListPage>
  );
}
