/** What the pages do: each action says what it did and has everything that may have changed read again. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useToasts } from "../store/toasts";
import { api, documentOf } from "./client";
import type { JobRequest, NewSource, SourceChanges } from "./types";

/** An action of a button: a failure becomes a toast with Retry, a success one that goes away. */
function useAction<V, R>(act: (variables: V) => Promise<{ data?: R }>, done: (variables: V) => string) {
  const client = useQueryClient();
  const show = useToasts((state) => state.show);
  return useMutation({
    mutationFn: (variables: V) => documentOf(act(variables)),
    onSuccess: (_result, variables) => show({ key: "done", tone: "good", title: done(variables) }),
    // After a failure as well: a part of the action may have been done.
    onSettled: () => client.invalidateQueries(),
  });
}

export type SourceCommand = "run" | "heal" | "release" | "reject";

const DONE: Record<SourceCommand, string> = {
  run: "The source is in the queue and will be read",
  heal: "The source is in the queue and will be fixed",
  release: "The source is released from quarantine",
  reject: "The fix is rejected",
};

export const useSourceCommand = (name: string) =>
  useAction(
    (command: SourceCommand): Promise<{ data?: unknown }> =>
      api.POST(`/api/sources/{name}/${command}`, { params: { path: { name } } }),
    (command) => DONE[command],
  );

/** Approves the waiting fix, and reads the source with it at once if that is wanted. */
export const useApproval = (name: string) =>
  useAction(
    async (readsNow: boolean): Promise<{ data?: unknown }> => {
      const params = { path: { name } };
      const approved = await api.POST("/api/sources/{name}/approve", { params });
      return readsNow ? api.POST("/api/sources/{name}/run", { params }) : approved;
    },
    (readsNow) => (readsNow ? "The fix is active; the source is being read" : "The fix is active"),
  );

export const useRollback = (name: string) =>
  useAction(
    (to: number) => api.POST("/api/sources/{name}/rollback", { params: { path: { name } }, body: { to } }),
    (to) => `Version ${to} is active again`,
  );

interface NewRecipe {
  recipe: object;
  replaces: number;
  readsNow: boolean;
}

/** Activates a recipe that the user has edited, and reads the source with it at once if that is wanted. */
export const useRecipeReplacement = (name: string) =>
  useAction(
    async ({ recipe, replaces, readsNow }: NewRecipe): Promise<{ data?: unknown }> => {
      const params = { path: { name } };
      const replaced = await api.PUT("/api/sources/{name}/recipe", {
        params,
        body: { recipe: { ...recipe }, replaces },
      });
      return readsNow ? api.POST("/api/sources/{name}/run", { params }) : replaced;
    },
    ({ readsNow }) => (readsNow ? "The recipe is active; the source is being read" : "The recipe is active"),
  );

export const useRemoveSource = (name: string) =>
  useAction(
    () => api.DELETE("/api/sources/{name}", { params: { path: { name } } }),
    () => `${name} is deleted`,
  );

export const useChangeSource = (name: string) =>
  useAction(
    (body: SourceChanges) => api.PATCH("/api/sources/{name}", { params: { path: { name } }, body }),
    () => "The source is changed",
  );

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

/** Submits a repository once more, with the same names. */
export const useHealAgain = () =>
  useAction(
    (body: JobRequest) => api.POST("/api/heal", { body }),
    () => "The repository is in the queue again",
  );

export function useAddSource() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewSource) => documentOf(api.POST("/api/sources", { body })),
    meta: { shownInPlace: true },
    onSuccess: () => client.invalidateQueries(),
  });
}
