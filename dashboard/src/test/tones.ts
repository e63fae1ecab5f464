/** Which colour a tone really is: read from the style sheet, so that a test of "green" is not a test of a name. */

import { readFileSync } from "node:fs";
import { TONES, type Tone } from "../ui/badge";

const CSS = readFileSync("src/index.css", "utf8");

/** Every value that the style sheet gives a variable: one per theme. */
function valuesOf(variable: string): string[] {
  const [value = ""] = new RegExp(`^\\s*--${variable}: .*;$`, "m").exec(CSS) ?? [];
  return [...value.matchAll(/#[0-9a-f]{6}/g)].map(([colour]) => colour);
}

function hueOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255);
  const most = Math.max(red, green, blue);
  const range = most - Math.min(red, green, blue);
  if (range === 0) return Number.NaN;
  const sextant =
    most === red
      ? ((green - blue) / range + 6) % 6
      : most === green
        ? (blue - red) / range + 2
        : (red - green) / range + 4;
  return sextant * 60;
}

/** The hues of what is shown in a tone, of text and background in all themes. */
function huesOf(tone: Tone): number[] {
  return TONES[tone].split(" ").flatMap((name) => valuesOf(name.replace(/^(bg|text)-/, "")).map(hueOf));
}

/** Whether an element is shown in green: the tone is green in every theme, and the element wears its classes. */
export function isGreen(element: HTMLElement): boolean {
  return wears(element, "good") && huesOf("good").every((hue) => hue > 90 && hue < 170);
}

export function isRed(element: HTMLElement): boolean {
  return wears(element, "bad") && huesOf("bad").every((hue) => hue < 20 || hue > 340);
}

function wears(element: HTMLElement, tone: Tone): boolean {
  return huesOf(tone).length >= 4 && TONES[tone].split(" ").every((name) => element.classList.contains(name));
}
