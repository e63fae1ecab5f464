/** How a job is watched: asked at regular intervals until it is over or the time is up. */

import { queryOptions } from "@tanstack/react-query";
import { api, documentOf } from "./client";
import { mayPass } from "./describe";
import type { StatusResponse } from "./types";

export const POLL_MILLIS = 2_000;
export const LONGEST_PAUSE_MILLIS = 30_000;
/** A job may wait in the queue and its CI take hours; a page that was left open must not ask for ever. */
export const WATCH_MILLIS = 6 * 60 * 60_000;

/** Whether a job will not change any more. */
export function isOver(status: StatusResponse | undefined): boolean {
  return status?.status === "completed" || status?.status === "failed";
}

/** Whether a job was watched for so long that the page stops asking. */
export function isTimeUp(since: number): boolean {
  return Date.now() - since >= WATCH_MILLIS;
}

/** A job's state, asked again and again; `since` is when the watching began. */
export function statusOptions(jobId: string, since: number) {
  return queryOptions({
    queryKey: ["status", jobId],
    queryFn: ({ signal }) =>
      documentOf(api.GET("/api/status/{job_id}", { params: { path: { job_id: jobId } }, signal })),
    staleTime: 0,
    refetchIntervalInBackground: true,
    refetchInterval: ({ state }) => {
      const refused = state.status === "error" && !mayPass(state.error);
      return isOver(state.data) || refused || isTimeUp(since) ? false : POLL_MILLIS;
    },
    // No answer, or a server in trouble: the pauses grow, and the first answer brings back the regular interval.
    retry: (_failures, error) => mayPass(error) && !isTimeUp(since),
    retryDelay: (failures) => Math.min(POLL_MILLIS * 2 ** failures, LONGEST_PAUSE_MILLIS),
  });
}
