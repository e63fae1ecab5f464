import { Badge } from "../ui/badge";
import type { RunSummary } from "../api/types";
import { lookOf, RUN_LOOKS, type Look } from "./tones";

/** A state as a badge. */
export function StateBadge({ looks, value }: { looks: Record<string, Look>; value: string }) {
  const { tone, label, icon } = lookOf(looks, value);
  return (
    <Badge tone={tone} icon={icon}>
      {label}
    </Badge>
  );
}

/** The outcome of a run, or that it is running. */
export function RunBadge({ run }: { run: RunSummary }) {
  return <StateBadge looks={RUN_LOOKS} value={run.state} />;
}
