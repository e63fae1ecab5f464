/** Unified diffs as data: their files, without parts that change nothing but the order of fields. */

export interface PatchPart {
  /** Path of the file, or the name of the document. */
  file: string;
  /** Number of the first changed line in the new file. */
  line: number | undefined;
  text: string;
}

/** Header of the part of a source's patch that compares what the source should yield. */
const DEFINITION = /definition/;

/** Splits a patch into its files. A line of a hunk may begin with `---`: only two lines together are a header. */
export function partsOf(patch: string): PatchPart[] {
  const lines = patch.replace(/\n$/, "").split("\n");
  const starts = lines.flatMap((line, index) =>
    line.startsWith("--- ") && lines[index + 1]?.startsWith("+++ ") ? [index] : [],
  );
  return starts.map((start, index): PatchPart => {
    const part = lines.slice(start, starts[index + 1]);
    const [oldName, newName] = [part[0] ?? "", part[1] ?? ""].map((line) => line.slice(4).split("\t")[0] ?? "");
    const name = newName === "/dev/null" ? oldName : newName;
    return { file: name?.replace(/^[ab]\//, "") ?? "", line: firstChange(part), text: `${part.join("\n")}\n` };
  });
}

function firstChange(lines: readonly string[]): number | undefined {
  let line: number | undefined;
  for (const text of lines.slice(2)) {
    const hunk = /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(text);
    if (hunk) line = Number(hunk[1]);
    else if (line !== undefined && /^[+-]/.test(text)) return line;
    else if (line !== undefined) line += 1;
  }
  return undefined;
}

/** Returns lines of JSON in a form that is the same for every order of the members of its objects. */
function unordered(lines: readonly string[]): string {
  const stack: string[][] = [[]];
  for (const line of lines) {
    const text = line.trim().replace(/,$/, "");
    if (/[[{]$/.test(text)) stack.push([text]);
    else if (/^[\]}]/.test(text) && stack.length > 1) {
      const [head = "", ...members] = stack.pop() ?? [];
      stack.at(-1)?.push(JSON.stringify([head, members.sort()]));
    } else if (!/^[\]}]$/.test(text)) stack.at(-1)?.push(text);
  }
  return JSON.stringify(stack.map((members) => members.sort()));
}

function isReorderingOnly({ file, text }: PatchPart): boolean {
  if (!DEFINITION.test(file)) return false;
  const lines = text
    .split("\n")
    .slice(2)
    .filter((line) => !line.startsWith("@@"));
  const side = (sign: string) => unordered(lines.filter((line) => !line.startsWith(sign)).map((line) => line.slice(1)));
  return side("+") === side("-");
}

/** Returns a source's patch without the comparison of definitions that differ only in the order of their fields. */
export function withoutReordering(patch: string): string {
  const parts = partsOf(patch);
  if (!parts.some(isReorderingOnly)) return patch;
  return parts
    .filter((part) => !isReorderingOnly(part))
    .map(({ text }) => text)
    .join("");
}

/** Joins patches into one file for `git apply`. */
export function joinedPatch(patches: readonly string[]): string {
  return patches.map((patch) => (patch.endsWith("\n") || patch === "" ? patch : `${patch}\n`)).join("");
}
