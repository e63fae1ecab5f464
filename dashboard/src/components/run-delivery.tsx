import { useNavigate } from "react-router";
import { useHealAgain } from "../api/actions";
import type { FixAttempt, HealingResults, RunSummary } from "../api/types";
import { Button } from "../ui/button";
import { CopyText } from "../ui/copy-text";
import { download } from "../ui/download";
import { Panel } from "../ui/panel";
import { safeAddress, SafeLink } from "../ui/safe-link";
import { joinedPatch } from "./patches";

/** Characters that a shell passes on as they are. Commands with other names are not offered. */
const PLAIN = /^[\w][\w./-]*$/;

/** Returns the command that merges a branch into the current one; `undefined` if its name needs quotes. */
export function mergeCommand({ repository, branchName }: HealingResults): string | undefined {
  if (!PLAIN.test(branchName)) return undefined;
  return safeAddress(repository) ? `git fetch origin ${branchName} && git merge FETCH_HEAD` : `git merge ${branchName}`;
}

/** Returns the page of a branch, and the page that opens a pull request for it, at a host whose addresses are known. */
function pagesOf({ repository, branchName }: HealingResults) {
  const base = /^https:\/\/github\.com\/[^/?#]+\/[^/?#]+$/.exec(repository)?.[0];
  if (!base) return undefined;
  const branch = branchName.split("/").map(encodeURIComponent).join("/");
  return { tree: `${base}/tree/${branch}`, request: `${base}/compare/${branch}?expand=1` };
}

interface RunDeliveryProps {
  run: RunSummary;
  results: HealingResults;
  attempts: readonly FixAttempt[];
}

/** The result of a healing and the next steps: the branch, how to merge it, the patch, the pull request, another run. */
export function RunDelivery({ run, results, attempts }: RunDeliveryProps) {
  const navigate = useNavigate();
  const again = useHealAgain();
  const hasBranch = results.commitCount > 0 || results.stopReason === "UNMERGED";
  const command = mergeCommand(results);
  const pages = pagesOf(results);
  const patch = joinedPatch(attempts.map((attempt) => attempt.patch));
  const { branchName, pullRequest } = results;
  const runAgain = () => again.mutate(run.runId, { onSuccess: ({ jobId }) => void navigate(`/jobs/${jobId}`) });
  return (
    <Panel
      title="Result"
      aside={
        <Button icon="runs" busy={again.isPending} onClick={runAgain}>
          Run again
        </Button>
      }
    >
      {hasBranch ? (
        <dl className="grid grid-cols-1 gap-x-4 gap-y-3 sm:grid-cols-[7rem_minmax(0,1fr)] sm:items-center">
          <dt className="text-xs text-muted">Branch</dt>
          <dd className="flex flex-wrap items-center gap-x-4 gap-y-2">
            <CopyText text={branchName} label="Copy the name of the branch" />
            {pages && <SafeLink to={pages.tree}>Open the branch</SafeLink>}
          </dd>
          {command && (
            <>
              <dt className="text-xs text-muted">Merge</dt>
              <dd>
                <CopyText text={command} label="Copy the command that merges the branch" />
              </dd>
            </>
          )}
          <dt className="text-xs text-muted">Pull request</dt>
          <dd>
            {pullRequest ? (
              <SafeLink to={pullRequest} />
            ) : pages ? (
              <SafeLink to={pages.request}>Open a pull request</SafeLink>
            ) : (
              <span className="text-muted">none</span>
            )}
          </dd>
          {patch !== "" && (
            <>
              <dt className="text-xs text-muted">Patch</dt>
              <dd className="flex flex-wrap items-center gap-x-4 gap-y-2">
                <Button icon="download" onClick={() => download(`${branchName}.patch`, "text/x-diff", patch)}>
                  Download the patch
                </Button>
                <span className="text-xs text-muted">
                  For <code className="font-mono">git apply</code> on the commit that was healed.
                </span>
              </dd>
            </>
          )}
        </dl>
      ) : (
        <p className="text-muted">This run committed no change, so it has nothing to merge.</p>
      )}
    </Panel>
  );
}
