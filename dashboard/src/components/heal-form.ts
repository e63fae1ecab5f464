/** What the user enters to heal a repository, and the request that it becomes. */

import type { JobRequest } from "../api/types";
import { validateGitHubUrl } from "./repository-url";

export interface HealFormValues {
  repositoryUrl: string;
  teamName: string;
  leaderName: string;
  branch: string;
  retryLimit: string;
  minutes: string;
  dryRun: boolean;
}

export const EMPTY_HEALING: HealFormValues = {
  repositoryUrl: "",
  teamName: "",
  leaderName: "",
  branch: "",
  retryLimit: "",
  minutes: "",
  dryRun: false,
};

/** The fields that can be wrong, in their order in the form. */
export const CHECKED = ["repositoryUrl", "teamName", "leaderName", "retryLimit", "minutes"] as const;
export type CheckedName = (typeof CHECKED)[number];

/** Returns what is wrong with an optional whole number, if anything is. */
function numberProblem(text: string, least: number, most: number): string | undefined {
  const isInRange = /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most;
  return text === "" || isInRange ? undefined : `Enter a whole number from ${least} to ${most}.`;
}

/** What is wrong with a field, if anything is. */
export function problemOf(name: CheckedName, value: string, acceptsFolders = false): string | undefined {
  const text = value.trim();
  switch (name) {
    case "repositoryUrl":
      if (!text) return "Enter the address of the repository.";
      return validateGitHubUrl(text) || (acceptsFolders && text.startsWith("/"))
        ? undefined
        : "It must look like https://github.com/owner/repository.";
    case "teamName":
      return text ? undefined : "Enter the name of the team. The branch is named after it.";
    case "leaderName":
      return text ? undefined : "Enter the name of the team's leader. The branch is named after it.";
    case "retryLimit":
      return numberProblem(text, 0, 50);
    case "minutes":
      return numberProblem(text, 1, 1440);
  }
}

/** The request of a form without problems. What is left empty is left to the server. */
export function healRequest(values: HealFormValues): JobRequest {
  const [branch, retryLimit, minutes] = [values.branch.trim(), values.retryLimit.trim(), values.minutes.trim()];
  return {
    repositoryUrl: values.repositoryUrl.trim(),
    teamName: values.teamName.trim(),
    leaderName: values.leaderName.trim(),
    ...(branch && { branch }),
    ...(retryLimit && { retryLimit: Number(retryLimit) }),
    ...(minutes && { minutes: Number(minutes) }),
    ...(values.dryRun && { dryRun: true }),
  };
}
