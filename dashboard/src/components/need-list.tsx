import { Link } from "react-router";
import type { Need, NeedKind } from "../api/types";
import { ButtonLink } from "../ui/button";
import { CopyText } from "../ui/copy-text";
import { Time } from "../ui/time";
import { sentence } from "../api/describe";
import { StateBadge } from "./state-badge";
import { RetryTask } from "./task-actions";
import { placeOf } from "./target-place";
import { targetLabel } from "./target-label";
import { NEED_LOOKS } from "./tones";

const SENTENCES: Record<NeedKind, string> = {
  REVIEW: "A fix passed its validation and waits for your decision.",
  QUARANTINE: "It failed too often. No further fix is attempted until it is released.",
  DEAD: "Its host does not exist any more. Correct the address, or remove the source.",
  DEAD_LETTER: "The task failed until its retries were used up.",
  MERGE: "The fixes are on a branch and wait to be merged.",
  NOT_FIXED: "The last run did not fix what is wrong.",
};

const LABELS: Partial<Record<NeedKind, string>> = { REVIEW: "Review the fix", QUARANTINE: "Edit or release" };

/** The part of a source's page on which an entry is decided. */
const PARTS: Partial<Record<NeedKind, string>> = { REVIEW: "?tab=review", QUARANTINE: "?tab=edit" };

/** Returns the page on which the entry is decided. */
function decisionPlace({ kind, target, runId, taskId }: Need): string {
  if (runId) return `/runs/${runId}`;
  if (kind === "DEAD_LETTER" && taskId !== undefined && taskId !== null) return `/queue/${taskId}`;
  return `${placeOf(target)}${PARTS[kind] ?? ""}`;
}

function Action({ need }: { need: Need }) {
  if (need.kind === "MERGE" && need.branch) return <CopyText text={need.branch} label="Copy the name of the branch" />;
  if (need.kind === "DEAD_LETTER" && typeof need.taskId === "number")
    return <RetryTask taskId={need.taskId} kind="secondary" />;
  return <ButtonLink to={decisionPlace(need)}>{LABELS[need.kind] ?? "Look"}</ButtonLink>;
}

/** What needs a person, each entry with its action. */
export function NeedList({ needs }: { needs: readonly Need[] }) {
  return (
    <ul aria-label="Needs you" className="divide-y divide-line">
      {needs.map((need) => (
        <li
          key={`${need.kind} ${need.target} ${need.taskId ?? ""}`}
          className="flex flex-wrap items-start gap-x-4 gap-y-2 px-4 py-3"
        >
          <span className="w-36 shrink-0">
            <StateBadge looks={NEED_LOOKS} value={need.kind} />
          </span>
          <div className="min-w-0 flex-1 basis-64">
            <Link to={decisionPlace(need)} className="font-medium break-all hover:underline">
              {targetLabel(need.target)}
            </Link>
            <p className="text-muted">{SENTENCES[need.kind]}</p>
            {need.message && <p className="wrap-anywhere">{sentence(need.message)}</p>}
          </div>
          <span className="text-xs text-muted">
            since <Time at={need.since} />
          </span>
          <Action need={need} />
        </li>
      ))}
    </ul>
  );
}
