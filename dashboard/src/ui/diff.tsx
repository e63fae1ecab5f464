import { useState } from "react";
import { Button } from "./button";
import { counted } from "./format";

interface DiffLine {
  kind: "added" | "removed" | "place" | "file" | "same";
  text: string;
  /** Number of the line in the old and in the new file; only in a hunk. */
  old?: number;
  new?: number;
}

const LOOKS: Record<DiffLine["kind"], string> = {
  added: "bg-good-soft text-good",
  removed: "bg-bad-soft text-bad",
  place: "bg-info-soft/60 text-info",
  file: "font-semibold text-ink",
  same: "text-ink/90",
};

/** More are displayed on demand: the page stays quick. */
const MOST_LINES = 2_000;

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)/;

/** The lines of a unified diff, each with its kind and numbers. A line of a hunk may begin with `---`: only its place tells. */
export function linesOf(patch: string): DiffLine[] {
  let inHunk = false;
  let [oldLine, newLine] = [1, 1];
  const lines = patch.replace(/\n$/, "").split("\n");
  return lines.map((text, index): DiffLine => {
    const header = text.startsWith("diff ") || (text.startsWith("--- ") && lines[index + 1]?.startsWith("+++ "));
    if (header) inHunk = false;
    const hunk = HUNK.exec(text);
    if (hunk) {
      inHunk = true;
      [oldLine, newLine] = [Number(hunk[1]), Number(hunk[2])];
      return { kind: "place", text };
    }
    if (!inHunk) return { kind: "file", text };
    if (text.startsWith("\\")) return { kind: "same", text };
    if (text.startsWith("+")) return { kind: "added", text, new: newLine++ };
    if (text.startsWith("-")) return { kind: "removed", text, old: oldLine++ };
    return { kind: "same", text, old: oldLine++, new: newLine++ };
  });
}

/** A unified diff with line numbers and colours; the signs at the beginnings of lines say the same without colour. */
export function Diff({ patch, label }: { patch: string; label: string }) {
  const lines = linesOf(patch);
  const [most, setMost] = useState(MOST_LINES);
  const left = lines.length - most;
  const width = String(Math.max(0, ...lines.map((line) => Math.max(line.old ?? 0, line.new ?? 0)))).length;
  const numbers = (line: DiffLine) =>
    [line.old, line.new].map((number) => String(number ?? "").padStart(width)).join(" ");
  return (
    <>
      <pre
        role="region"
        aria-label={label}
        tabIndex={0}
        className="max-h-[32rem] overflow-auto py-2 font-mono text-xs leading-5"
      >
        <code className="block w-max min-w-full">
          {lines.slice(0, most).map((line, index) => (
            // Generated content: line numbers are not copied with the text.
            <span
              key={index}
              data-line={line.kind}
              data-numbers={line.old === undefined && line.new === undefined ? undefined : numbers(line)}
              className={`block px-3 data-numbers:before:me-3 data-numbers:before:text-muted data-numbers:before:content-[attr(data-numbers)] ${LOOKS[line.kind]}`}
            >
              {line.text || " "}
            </span>
          ))}
        </code>
      </pre>
      {left > 0 && (
        <div className="border-t border-line p-2 text-center">
          <Button kind="quiet" onClick={() => setMost(most + MOST_LINES)}>
            Show {counted(Math.min(left, MOST_LINES), "more line", "more lines")} of {left}
          </Button>
        </div>
      )}
    </>
  );
}
