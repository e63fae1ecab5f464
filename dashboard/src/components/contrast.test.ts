import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const CSS = readFileSync("src/index.css", "utf8");

/** The colours of a role: light, dark. */
function colours(role: string): string[] {
  const [line = ""] = new RegExp(`^\\s*--${role}: .*;$`, "m").exec(CSS) ?? [];
  return [...line.matchAll(/#[0-9a-f]{6}/g)].map(([colour]) => colour);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [bright = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (bright + 0.05) / (dark + 0.05);
}

/** The backgrounds on which a role draws borders, bars, dots and icons. */
const DRAWN_ON: Record<string, readonly string[]> = {
  "line-strong": ["surface", "canvas"],
  muted: ["surface", "canvas", "sunken"],
  accent: ["surface", "canvas", "sunken", "accent-soft"],
  "on-accent": ["accent"],
  good: ["surface", "canvas", "good-soft"],
  bad: ["surface", "canvas", "bad-soft"],
  warn: ["surface", "canvas", "warn-soft"],
  info: ["surface", "canvas", "info-soft"],
};

const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((path) => /(?<!\.test)\.tsx$/.test(path))
  .map((path) => [path, readFileSync(`src/${path}`, "utf8")] as const);

describe("what is no text", () => {
  it.each(Object.entries(DRAWN_ON))("has a contrast of 3:1 on its backgrounds: %s", (role, backgrounds) => {
    expect(colours(role)).toHaveLength(2);
    for (const background of backgrounds) {
      colours(role).forEach((colour, theme) => {
        const ratio = contrast(colour, colours(background)[theme] ?? "");
        expect(ratio, `${role} on ${background} in theme ${theme}`).toBeGreaterThanOrEqual(3);
      });
    }
  });

  it("is not made transparent, which would take that contrast away", () => {
    const thin = new RegExp(`\\b(?:bg|border|ring|text|outline)-(?:${Object.keys(DRAWN_ON).join("|")})/\\d+`, "g");
    const found = sources.flatMap(([path, text]) => (text.match(thin) ?? []).map((name) => `${path}: ${name}`));
    expect(sources.length).toBeGreaterThan(50);
    expect(found).toEqual([]);
  });

  it("surrounds every field and every button that is not filled", () => {
    const field = sources.find(([path]) => path === "ui/field.tsx")?.[1] ?? "";
    const button = sources.find(([path]) => path === "ui/button.tsx")?.[1] ?? "";
    expect(/const BOX =[^;]*;/.exec(field)?.[0]).toContain("border-line-strong");
    expect(/secondary: "[^"]*"/.exec(button)?.[0]).toContain("border-line-strong");
  });
});
