interface DiffLine {
  kind: "added" | "removed" | "place" | "file" | "same";
  text: string;
}

const LOOKS: Record<DiffLine["kind"], string> = {
  added: "bg-good-soft text-good",
  removed: "bg-bad-soft text-bad",
  place: "bg-info-soft/60 text-info",
  file: "font-semibold text-ink",
  same: "text-ink/90",
};

/** More than this is read in an editor; the page stays quick. */
const MOST_LINES = 2_000;

/** The lines of a unified diff, each with what it is. A line of a hunk may begin with `---`: only its place tells. */
export function linesOf(patch: string): DiffLine[] {
  let inHunk = false;
  const lines = patch.replace(/\n$/, "").split("\n");
  return lines.map((text, index): DiffLine => {
    const header = text.startsWith("diff ") || (text.startsWith("--- ") && lines[index + 1]?.startsWith("+++ "));
    if (header) inHunk = false;
    if (text.startsWith("@@")) {
      inHunk = true;
      return { kind: "place", text };
    }
    if (!inHunk) return { kind: "file", text };
    if (text.startsWith("+")) return { kind: "added", text };
    if (text.startsWith("-")) return { kind: "removed", text };
    return { kind: "same", text };
  });
}

/** A unified diff with its lines coloured; the signs at their beginnings say the same without colour. */
export function Diff({ patch, label }: { patch: string; label: string }) {
  const lines = linesOf(patch);
  const left = lines.length - MOST_LINES;
  return (
    <pre
      role="region"
      aria-label={label}
      tabIndex={0}
      className="max-h-[32rem] overflow-auto py-2 font-mono text-xs leading-5"
    >
      <code className="block w-max min-w-full">
        {lines.slice(0, MOST_LINES).map(({ kind, text }, index) => (
          <span key={index} data-line={kind} className={`block px-3 ${LOOKS[kind]}`}>
            {text || " "}
          </span>
        ))}
        {left > 0 && <span className="block px-3 text-muted">… and {left} lines more</span>}
      </code>
    </pre>
  );
}
