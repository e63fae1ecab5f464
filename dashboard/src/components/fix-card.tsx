import type { ReactNode } from "react";
import { Diff } from "../ui/diff";
import { Time } from "../ui/time";

interface FixCardProps {
  /** The fix in one sentence. */
  sentence: string;
  badge: ReactNode;
  kind: string;
  /** File and line, for a repository. */
  place?: string | undefined;
  at?: string | undefined;
  /** The failure that the fix is for. */
  problem?: string | undefined;
  /** Reasons for which the fix is not used. */
  reasons?: readonly string[];
  patch: string;
  /** Name of the diff, for screen readers. */
  diffLabel: string;
  children?: ReactNode;
}

/** One fix: sentence, place, kind, diff, and further details. */
export function FixCard({
  sentence,
  badge,
  kind,
  place,
  at,
  problem,
  reasons = [],
  patch,
  diffLabel,
  children,
}: FixCardProps) {
  return (
    <li className="py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4">
        <h3 className="min-w-0 font-semibold wrap-anywhere">{sentence}</h3>
        {badge}
        {at && (
          <span className="text-xs text-muted sm:ms-auto">
            <Time at={at} />
          </span>
        )}
      </div>
      <p className="mt-0.5 flex flex-wrap gap-x-3 px-4 text-xs text-muted">
        {place && <span className="font-mono wrap-anywhere text-ink">{place}</span>}
        <span>{kind}</span>
      </p>
      {problem && <p className="mt-1 px-4 wrap-anywhere text-muted">Failure: {problem}</p>}
      {reasons.length > 0 && (
        <ul aria-label="Reasons" className="mt-2 list-disc ps-9 pe-4 wrap-anywhere text-bad">
          {reasons.map((reason, index) => (
            <li key={index}>{reason}</li>
          ))}
        </ul>
      )}
      {patch !== "" && (
        <div className="mt-2 border-y border-line">
          <Diff patch={patch} label={diffLabel} />
        </div>
      )}
      {children}
    </li>
  );
}
