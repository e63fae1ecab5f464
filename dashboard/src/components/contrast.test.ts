import { readFileSync } from "node:fs";
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

describe("what is no text", () => {
  it.each(["line-strong", "accent", "good", "bad", "warn", "info"])(
    "has a contrast of 3:1 on its background: %s",
    (role) => {
      for (const background of ["surface", "canvas"]) {
        colours(role).forEach((colour, theme) => {
          expect(contrast(colour, colours(background)[theme] ?? "")).toBeGreaterThanOrEqual(3);
        });
      }
      expect(colours(role)).toHaveLength(2);
    },
  );
});
