import type { CommandOutput } from "../api/types";
import { Badge } from "../ui/badge";
import { counted, formatMillis, words } from "../ui/format";
import { Preformatted } from "../ui/long-text";
import { Message } from "../ui/message";

const isGood = ({ ended }: CommandOutput) => ended === "exit 0";

function Ended({ output }: { output: CommandOutput }) {
  return <Badge tone={isGood(output) ? "good" : "warn"}>{output.ended}</Badge>;
}

function Output({ output: { command, output } }: { output: CommandOutput }) {
  return (
    <div className="mt-2">
      <Preformatted label={`Output of ${command}`}>{output || "It printed nothing."}</Preformatted>
    </div>
  );
}

function Times({ output: { node, millis } }: { output: CommandOutput }) {
  return (
    <span className="text-xs text-muted">
      {words(node)}, {formatMillis(millis)}
    </span>
  );
}

const SUMMARY = "flex flex-wrap items-center gap-x-3 gap-y-1";

function Command({ command }: { command: string }) {
  return <code className="min-w-0 font-mono text-xs font-semibold break-all">{command}</code>;
}

/** A command that ran several times. */
function Repeated({ outputs }: { outputs: readonly CommandOutput[] }) {
  const failed = outputs.filter((output) => !isGood(output)).length;
  return (
    <details>
      <summary className={SUMMARY}>
        <Command command={outputs[0]?.command ?? ""} />
        <Badge tone="neutral">{counted(outputs.length, "time")}</Badge>
        {failed > 0 && <span className="text-xs text-muted">{failed} of them without success</span>}
      </summary>
      <ol className="mt-2 flex flex-col gap-1 ps-4">
        {outputs.map((output, index) => (
          <li key={index}>
            <details>
              <summary className={SUMMARY}>
                <Ended output={output} />
                <Times output={output} />
              </summary>
              <Output output={output} />
            </details>
          </li>
        ))}
      </ol>
    </details>
  );
}

/** The outputs of the commands of a run; runs of the same command are one entry. */
export function OutputList({ outputs }: { outputs: readonly CommandOutput[] }) {
  if (outputs.length === 0) {
    return <Message title="No outputs">The outputs of tests, installers and linters appear here.</Message>;
  }
  const groups = new Map<string, CommandOutput[]>();
  for (const output of outputs) {
    const group = groups.get(output.command);
    if (group) group.push(output);
    else groups.set(output.command, [output]);
  }
  return (
    <ul aria-label="Outputs" className="divide-y divide-line">
      {[...groups].map(([command, [output, ...others]]) => (
        <li key={command} className="p-4">
          {output && others.length === 0 ? (
            <details>
              <summary className={SUMMARY}>
                <Command command={command} />
                <Ended output={output} />
                <Times output={output} />
              </summary>
              <Output output={output} />
            </details>
          ) : (
            output && <Repeated outputs={[output, ...others]} />
          )}
        </li>
      ))}
    </ul>
  );
}
