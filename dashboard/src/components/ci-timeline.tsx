import type { IterationStatus } from "../api/types";
import { counted } from "../ui/format";
import { Message } from "../ui/message";
import { Panel } from "../ui/panel";
import { Moment } from "../ui/time";
import { StateBadge } from "./state-badge";
import { CI_LOOKS, lookOf } from "./tones";

interface CITimelineProps {
  iterations: IterationStatus[];
  retryLimit: number;
}

const DOTS = { good: "bg-good", bad: "bg-bad", warn: "bg-warn", info: "bg-info", neutral: "bg-line-strong" };

/** The verdict of CI in each round. A retry limit of N allows N + 1 rounds. */
export function CITimelineComponent({ iterations, retryLimit }: CITimelineProps) {
  return (
    <Panel
      title="CI/CD timeline"
      aside={
        <span data-testid="iterations-used" className="font-medium text-ink">
          {iterations.length}/{retryLimit + 1} iterations
        </span>
      }
    >
      {iterations.length === 0 ? (
        <Message title="CI did not run">Nothing was pushed, so there was nothing to check.</Message>
      ) : (
        <ol aria-label="Iterations" className="flex flex-col">
          {iterations.map(({ iteration, status, timestamp, failureCount }, index) => (
            <li key={index} data-testid="iteration" className="relative flex gap-3 pb-5 last:pb-0">
              {index < iterations.length - 1 && (
                <span aria-hidden="true" className="absolute top-3 bottom-0 left-[5px] w-px bg-line" />
              )}
              <span
                aria-hidden="true"
                className={`mt-1 size-[11px] shrink-0 rounded-full ${DOTS[lookOf(CI_LOOKS, status).tone]}`}
              />
              <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1">
                <span className="font-medium">Iteration {iteration}</span>
                <StateBadge looks={CI_LOOKS} value={status} />
                <span className="text-muted">{counted(failureCount, "failure")}</span>
                <span className="text-xs text-muted sm:ms-auto">
                  <Moment at={timestamp} day />
                </span>
              </div>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}
