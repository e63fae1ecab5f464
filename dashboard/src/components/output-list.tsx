import type { CommandOutput } from "../api/types";
import { Badge } from "../ui/badge";
import { formatMillis, words } from "../ui/format";
import { Preformatted } from "../ui/long-text";
import { Message } from "../ui/message";

/** What the commands of a run printed. */
export function OutputList({ outputs }: { outputs: readonly CommandOutput[] }) {
  if (outputs.length === 0) {
    return <Message title="No outputs">What tests, installers and linters print is kept here.</Message>;
  }
  return (
    <ul aria-label="Outputs" className="divide-y divide-line">
      {outputs.map(({ node, command, ended, millis, output }, index) => (
        <li key={index} className="p-4">
          <details>
            <summary className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <code className="min-w-0 font-mono text-xs font-semibold break-all">{command}</code>
              <Badge tone="neutral">{ended}</Badge>
              <span className="text-xs text-muted">
                {words(node)}, {formatMillis(millis)}
              </span>
            </summary>
            <div className="mt-2">
              <Preformatted label={`Output of ${command}`}>{output || "It printed nothing."}</Preformatted>
            </div>
          </details>
        </li>
      ))}
    </ul>
  );
}
