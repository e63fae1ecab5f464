/** Screenshots as coarse grids of colours, small enough to be kept and independent of how edges are smoothed. */

import type { Page } from "playwright-core";

/** The mean colours of the cells of a screenshot, row by row: red, green, blue. */
export interface Grid {
  width: number;
  colours: number[];
}

/** Side of a cell in pixels: a badge is as high as one, and wider. */
export const CELL = 20;

/** Colours are rounded to this step, which makes the stored pictures half as large. */
const STEP = 8;

/** A difference of one channel up to which a cell is the same: a text that moves by one pixel. */
const TOLERANCE = 16;

/** Reads the pixels of a PNG, and returns the mean of each `cell` by `cell` square. Runs in the browser, which can decode PNG. */
async function read(canvas: Page, png: string, cell: number): Promise<Grid> {
  return canvas.evaluate(
    async ({ png, cell, step }) => {
      const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
      const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
      if (!context) throw new Error("the browser cannot draw");
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, image.width, image.height);
      const [width, height] = [Math.ceil(image.width / cell), Math.ceil(image.height / cell)];
      const sums = new Float64Array(width * height * 3);
      const counts = new Float64Array(width * height);
      for (let y = 0, from = 0; y < image.height; y += 1) {
        for (let x = 0; x < image.width; x += 1, from += 4) {
          const at = Math.floor(y / cell) * width + Math.floor(x / cell);
          counts[at] = (counts[at] ?? 0) + 1;
          sums[at * 3] = (sums[at * 3] ?? 0) + (data[from] ?? 0);
          sums[at * 3 + 1] = (sums[at * 3 + 1] ?? 0) + (data[from + 1] ?? 0);
          sums[at * 3 + 2] = (sums[at * 3 + 2] ?? 0) + (data[from + 2] ?? 0);
        }
      }
      const round = (value: number) => (cell === 1 ? value : Math.min(255, Math.round(value / step) * step));
      return { width, colours: Array.from(sums, (sum, index) => round(sum / (counts[Math.floor(index / 3)] ?? 1))) };
    },
    { png, cell, step: STEP },
  );
}

/** The grid of a screenshot. `canvas` is an empty page that computes it. */
export const gridOf = (canvas: Page, screenshot: Buffer) => read(canvas, screenshot.toString("base64"), CELL);

/** The grid of a stored picture, which has one pixel for each cell. */
export const gridOfPicture = (canvas: Page, png: Buffer) => read(canvas, png.toString("base64"), 1);

/** A grid as a picture with one pixel for each cell. */
export async function pictureOf(canvas: Page, { width, colours }: Grid): Promise<Buffer> {
  const png = await canvas.evaluate(
    async ({ width, colours }) => {
      const height = colours.length / 3 / width;
      const surface = new OffscreenCanvas(width, height);
      const context = surface.getContext("2d");
      if (!context) throw new Error("the browser cannot draw");
      const image = context.createImageData(width, height);
      for (let at = 0; at < width * height; at += 1)
        image.data.set([...colours.slice(at * 3, at * 3 + 3), 255], at * 4);
      context.putImageData(image, 0, 0);
      const bytes = new Uint8Array(await (await surface.convertToBlob({ type: "image/png" })).arrayBuffer());
      return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
    },
    { width, colours },
  );
  return Buffer.from(png, "base64");
}

/** The cells in which two grids differ, as places on the page in pixels; everything if they differ in size. */
export function differences(one: Grid, other: Grid): string[] {
  if (one.width !== other.width || one.colours.length !== other.colours.length) return ["another size"];
  const cells = one.colours.flatMap((colour, index) =>
    Math.abs(colour - (other.colours[index] ?? 0)) > TOLERANCE ? [Math.floor(index / 3)] : [],
  );
  return [...new Set(cells)].map((cell) => `${(cell % one.width) * CELL},${Math.floor(cell / one.width) * CELL}`);
}
