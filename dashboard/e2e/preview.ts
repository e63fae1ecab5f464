/** The mock build in a real browser. */

import { createHash } from "node:crypto";
import { preview, type PreviewServer } from "vite";
import type { Browser } from "playwright-core";
import { SNAPSHOT_STYLE } from "../src/mocks/sources";
import { launch } from "./browser";

/** What the server of autoheal sends with the page: whatever this build does has to work under it. */
const POLICY =
  `default-src 'self'; style-src 'self' 'sha256-${createHash("sha256").update(SNAPSHOT_STYLE).digest("base64")}'; ` +
  "img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

export interface Stage {
  browser: Browser;
  address: string;
  close: () => Promise<void>;
}

/** Serves the mock build on a free port and starts a browser. */
export async function setStage(): Promise<Stage> {
  const server: PreviewServer = await preview({
    mode: "mock",
    build: { outDir: "dist-mock" },
    preview: { port: 0, host: "127.0.0.1", headers: { "Content-Security-Policy": POLICY } },
    logLevel: "error",
  });
  const browser = await launch();
  const address = server.resolvedUrls?.local[0] ?? "";
  return {
    browser,
    address: address.replace(/\/$/, ""),
    close: async () => {
      await browser.close();
      await server.close();
    },
  };
}

export const HEALED_RUN = "01a2008c-96f2-72eb-94e4-000000000001";
export const RUNNING_RUN = "01a2008c-96f2-72eb-94e4-000000000002";
export const GIVEN_UP_RUN = "01a2008c-96f2-72eb-94e4-000000000004";

/** Every page, and every part of those that have parts. */
export const PATHS = [
  "/",
  "/needs",
  "/needs?kind=REVIEW&search=bread",
  "/runs",
  "/runs?kind=HEAL_REPO&sort=Took&direction=descending",
  `/runs/${HEALED_RUN}`,
  `/runs/${HEALED_RUN}?tab=diagnostics`,
  `/runs/${HEALED_RUN}?tab=fixes`,
  `/runs/${HEALED_RUN}?tab=outputs`,
  `/runs/${HEALED_RUN}?tab=report`,
  `/runs/${HEALED_RUN}?tab=log`,
  `/runs/${RUNNING_RUN}`,
  `/runs/${GIVEN_UP_RUN}`,
  "/sources",
  "/new-source",
  "/sources/bread-recipe",
  "/sources/bread-recipe?tab=runs",
  "/sources/desk-lamp?tab=values",
  "/sources/job-board",
  "/sources/job-board?tab=values",
  "/sources/job-board?tab=snapshots",
  "/sources/desk-lamp?tab=recipe",
  "/sources/tide-table?tab=edit",
  "/sources/bread-recipe?tab=history",
  "/sources/tide-table?tab=fixes",
  "/sources/tide-table?tab=settings",
  "/queue",
  "/queue?state=all",
  "/queue/899",
  "/alerts",
  "/usage",
  "/reference",
  "/jobs/nobody",
  "/nowhere",
];
