import { useInfiniteQuery } from "@tanstack/react-query";
import { tasks } from "../api/queries";
import { useFilters } from "../components/filters";
import { ListPage } from "../components/list-page";
import { KIND_LABELS } from "../components/runs-table";
import { TasksTable } from "../components/tasks-table";
import { labelsOf, TASK_LOOKS } from "../components/tones";
import { ButtonLink } from "../ui/button";
import { Message } from "../ui/message";

const CHOICES = { state: labelsOf(TASK_LOOKS), kind: KIND_LABELS };

/** What is to be done, is being done and was done. */
export function QueuePage() {
  const filters = useFilters(["state", "kind", "search"]);
  const query = useInfiniteQuery(tasks(filters.filter));
  return (
    <ListPage
      title="Queue"
      noun="task"
      filters={filters}
      choices={CHOICES}
      query={query}
      rows={query.data?.pages.flatMap((page) => page.tasks)}
      empty={
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
      }
    >
      {(tasks) => <TasksTable tasks={tasks} />}
    </ListPage>
  );
}
