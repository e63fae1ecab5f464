import type { ValueSet } from "../api/types";
import { ValueList } from "../ui/json-view";
import { Message } from "../ui/message";
import { Time } from "../ui/time";

/** What a source gave, newest first. */
export function ValueHistory({ values }: { values: readonly ValueSet[] }) {
  if (values.length === 0)
    return <Message title="No values yet">They appear here after the first run that went well.</Message>;
  return (
    <ol aria-label="Values" className="divide-y divide-line">
      {values.map(({ at, version, values }, index) => (
        <li key={index} className="grid grid-cols-1 gap-2 p-4 sm:grid-cols-[9rem_minmax(0,1fr)]">
          <p className="text-xs text-muted">
            <Time at={at} />
            <span className="block">version {version}</span>
          </p>
          <ValueList values={values} />
        </li>
      ))}
    </ol>
  );
}
