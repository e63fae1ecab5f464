import { Badge } from "../ui/badge";
import { lookOf, type Look } from "./tones";

/** A state as a badge. */
export function StateBadge({ looks, value }: { looks: Record<string, Look>; value: string }) {
  const { tone, label, icon } = lookOf(looks, value);
  return (
    <Badge tone={tone} icon={icon}>
      {label}
    </Badge>
  );
}
