import type { Decision } from "../api/types";
import { words } from "../ui/format";
import { Time } from "../ui/time";

/** What people decided about a source, and who they were. */
export function DecisionList({ decisions }: { decisions: readonly Decision[] }) {
  if (decisions.length === 0) return null;
  return (
    <div className="border-t border-line p-4">
      <h3 className="mb-2 font-semibold">Decisions</h3>
      <ul className="flex flex-col gap-1 text-muted">
        {decisions.map(({ at, decision, askedBy, version }, index) => (
          <li key={index} className="break-words">
            {words(decision)}
            {typeof version === "number" && `, version ${version}`}, by {askedBy}, <Time at={at} />
          </li>
        ))}
      </ul>
    </div>
  );
}
