import { Badge } from "../ui/badge";
import type { RunSummary } from "../api/types";
import { lookOf, RUN_LOOKS, TASK_LOOKS, type Look } from "./tones";

/** A state as a badge. */
export function StateBadge({ looks, value }: { looks: Record<string, Look>; value: string }) {
  const { tone, label, icon } = lookOf(looks, value);
  return (
    <Badge tone={tone} icon={icon}>
      {label}
    </Badge>
  );
}

/** How a run stands. What a person ended is no failure, and is told in the words of its task. */
export function RunBadge({ run }: { run: RunSummary }) {
  return run.stopReason === "CANCELLED" ? (
    <StateBadge looks={TASK_LOOKS} value="CANCELLED" />
  ) : (
    <StateBadge looks={RUN_LOOKS} value={run.state} />
  );
}
