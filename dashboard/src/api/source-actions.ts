/** What the pages do with sources, and the decisions about their fixes. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useAction } from "./actions";
import { api, documentOf } from "./client";
import type { NewSource, SourceChanges } from "./types";

export type SourceCommand = "run" | "heal" | "release";

const DONE: Record<SourceCommand, string> = {
  run: "The source is in the queue and will be read",
  heal: "The source is in the queue and will be fixed",
  release: "The source is released from quarantine",
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

/** Makes a rejected version wait for a review again. */
export const useReconsideration = (name: string) =>
  useAction(
    (version: number) => api.POST("/api/sources/{name}/reconsider", { params: { path: { name } }, body: { version } }),
    (version) => `Version ${version} waits for a review again`,
  );

interface Rejection {
  /** The version that waits. */
  version: number;
  reason: string;
}

/** Rejects the waiting fix; the toast offers to undo it. */
export function useRejection(name: string) {
  const { mutate: reconsider } = useReconsideration(name);
  return useAction(
    ({ reason }: Rejection) =>
      api.POST("/api/sources/{name}/reject", { params: { path: { name } }, body: reason === "" ? {} : { reason } }),
    () => "The fix is rejected",
    { undo: ({ version }) => reconsider(version) },
  );
}

/** Accepts the values of the newest failed read. The dialog displays why the server refuses it. */
export const useAcceptance = (name: string) =>
  useAction(
    () => api.POST("/api/sources/{name}/accept", { params: { path: { name } } }),
    () => "The values are accepted; later reads are compared with them",
    { isShownInPlace: true },
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

export function useAddSource() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewSource) => documentOf(api.POST("/api/sources", { body })),
    meta: { shownInPlace: true },
    onSuccess: () => client.invalidateQueries(),
  });
}
