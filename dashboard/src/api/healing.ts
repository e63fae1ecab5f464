/** The healing that the reader is about, for any component that asks: loading, results and error without passing them on. */

import { useQuery } from "@tanstack/react-query";
import { useHealingStore } from "../store/healing";
import { api, documentOf } from "./client";
import { logError } from "./report";
import { isOver, isTimeUp, statusOptions } from "./status";
import type { HealingResults, JobRequest, StatusResponse } from "./types";

export interface HealingState {
  jobId: string | undefined;
  /** From pressing the button until the job is over. */
  isLoading: boolean;
  /** Whether the page stopped asking before the job was over. */
  isTimeUp: boolean;
  status: StatusResponse | undefined;
  results: HealingResults | undefined;
  /** Why nothing could be submitted, read or healed. */
  error: unknown;
}

/** Submits a repository and watches its job. */
export async function submitHealing(request: JobRequest): Promise<string | undefined> {
  const { submitting, submitFailed, watch } = useHealingStore.getState();
  submitting();
  try {
    const { jobId } = await documentOf(api.POST("/api/heal", { body: request }));
    watch(jobId);
    return jobId;
  } catch (error) {
    logError("the repository could not be submitted", error);
    submitFailed(error);
    return undefined;
  }
}

export function useHealing(): HealingState {
  const { jobId, since, isSubmitting, submitError } = useHealingStore();
  const { data, error, failureReason, dataUpdatedAt } = useQuery({
    ...statusOptions(jobId ?? "", since),
    enabled: jobId !== undefined,
  });
  const status = jobId === undefined ? undefined : data;
  const watching = jobId !== undefined && !isOver(status) && !error;
  // Looked at when an answer comes, which is how often a page that asks is drawn.
  const timeUp = watching && dataUpdatedAt > 0 && isTimeUp(since);
  return {
    jobId,
    isLoading: isSubmitting || (watching && !timeUp),
    isTimeUp: timeUp,
    status,
    results: status?.results ?? undefined,
    error: submitError ?? (jobId === undefined ? undefined : (error ?? failureReason ?? undefined)) ?? undefined,
  };
}
