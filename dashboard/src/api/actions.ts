/** What the pages do: each action says what it did and has everything that may have changed read again. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useToasts } from "../store/toasts";
import { api, documentOf } from "./client";

interface Options<V> {
  /** Undoes the action: the toast offers it. */
  undo?: (variables: V) => void;
  /** True if the component displays a failure itself: then it does not become a toast. */
  isShownInPlace?: boolean;
}

/** An action of a button: a failure becomes a toast with Retry, a success one that goes away. */
export function useAction<V, R>(
  act: (variables: V) => Promise<{ data?: R }>,
  done: (variables: V) => string,
  { undo, isShownInPlace = false }: Options<V> = {},
) {
  const client = useQueryClient();
  const show = useToasts((state) => state.show);
  return useMutation({
    mutationFn: (variables: V) => documentOf(act(variables)),
    meta: { shownInPlace: isShownInPlace },
    onSuccess: (_result, variables) => {
      const action = undo && { label: "Undo", act: () => undo(variables) };
      show({ key: "done", tone: "good", title: done(variables), action });
    },
    // After a failure as well: a part of the action may have been done.
    onSettled: () => client.invalidateQueries(),
  });
}

export const useCancelTask = () =>
  useAction(
    (task_id: number) => api.POST("/api/tasks/{task_id}/cancel", { params: { path: { task_id } } }),
    (taskId) => `Task ${taskId} will stop`,
  );

export const useRetryTask = () =>
  useAction(
    (task_id: number) => api.POST("/api/tasks/{task_id}/retry", { params: { path: { task_id } } }),
    (taskId) => `Task ${taskId} is in the queue again`,
  );

export const useCancelRun = (run_id: string) =>
  useAction(
    () => api.POST("/api/runs/{run_id}/cancel", { params: { path: { run_id } } }),
    () => "The run will stop; what was accepted so far is kept",
  );

/** Submits the repository of a run once more, with the same settings. */
export const useHealAgain = () =>
  useAction(
    (runId: string) => api.POST("/api/runs/{run_id}/again", { params: { path: { run_id: runId } } }),
    () => "The repository is in the queue again",
  );
