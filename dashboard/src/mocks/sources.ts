/** Sources in every state of health, with what is kept of them. */

import type {
  Decision,
  FieldTrial,
  FixAttempt,
  PageTrial,
  RecipeVersion,
  Source,
  SourceState,
  StoredPage,
  ValueSet,
} from "../api/types";
import type { Clock } from "./clock";

const BREAKER_REASONS: Partial<Record<SourceState, Source["breakerReason"]>> = {
  QUARANTINED: "MAX_ATTEMPTS_REACHED",
  DEAD: "DOMAIN_DEAD",
};

interface Sketch {
  name: string;
  url: string;
  state: SourceState;
  /** The last runs: `+` went well, `-` did not. */
  runs: string;
  values?: unknown;
  rest?: Partial<Source>;
}

const SKETCHES: readonly Sketch[] = [
  {
    name: "desk-lamp",
    url: "https://shop.example/lamps/desk-lamp",
    state: "ACTIVE",
    runs: "+++++++++-++++++",
    values: { title: "Desk lamp", price: "39.90 EUR", in_stock: true },
  },
  {
    name: "job-board",
    url: "https://jobs.example/engineering?location=remote&page=1",
    state: "DEGRADED",
    runs: "++++++++++++-+--",
    values: [
      { title: "Site reliability engineer", company: "North Grid" },
      { title: "Compiler engineer", company: "Ember" },
    ],
  },
  {
    name: "tide-table",
    url: "https://harbour.example/tides/today",
    state: "QUARANTINED",
    runs: "+++++++++++++---",
    values: { high: "04:12", low: "10:31" },
    rest: { fixAttemptsToday: 3 },
  },
  {
    name: "bread-recipe",
    url: "https://kitchen.example/recipes/rye-bread",
    state: "ACTIVE",
    runs: "++++++++++++++++",
    values: { name: "Rye bread", minutes: 95 },
    rest: { waitsForApproval: true, healPolicy: "review" },
  },
  {
    name: "bus-departures",
    url: "https://transit.example/stops/8810/departures",
    state: "ACTIVE",
    runs: "+++++",
    values: [{ line: "12", due: "07:42" }],
    rest: { schedule: "*/5 5-23 * * *" },
  },
  {
    name: "old-archive",
    url: "https://archive.example/catalogue/1998/index.html",
    state: "DEAD",
    runs: "----------------",
  },
];

export function makeSources(clock: Clock): Source[] {
  return SKETCHES.map(({ name, url, state, runs, values, rest }, index) => ({
    name,
    url,
    state,
    lastSuccessAt: runs.includes("+") ? clock.ago(runs.endsWith("+") ? 12 + index * 7 : 190 + index * 31) : undefined,
    lastFailureAt: runs.includes("-") ? clock.ago(runs.endsWith("-") ? 14 + index * 5 : 2_900) : undefined,
    successCount: Array.from(runs).filter((run) => run === "+").length * 12,
    failureCount: Array.from(runs).filter((run) => run === "-").length,
    fixAttemptsToday: 0,
    breakerReason: BREAKER_REASONS[state],
    quarantineUntil: state === "QUARANTINED" ? clock.ago(-1_300) : undefined,
    intervalSeconds: 3_600,
    healPolicy: "auto",
    onUncertain: "skip_run",
    recipeVersion: state === "DEAD" ? undefined : 2,
    waitsForApproval: false,
    recentRuns: Array.from(runs).map((run, at) => ({
      runId: `${name}-${at}`,
      finishedAt: clock.ago((runs.length - at) * 60),
      isWell: run === "+",
    })),
    lastValues: values,
    lastValuesAt: values === undefined ? undefined : clock.ago(12 + index * 7),
    createdAt: clock.ago(60 * 24 * (9 + index)),
    ...rest,
  }));
}

const OLD_RECIPE = {
  version: 1,
  fields: {
    title: { select: "h1.product-title", type: "text" },
    price: { select: ".price-box .amount", transforms: [{ money: { decimal: ".", currency: "EUR" } }] },
  },
};
const NEW_RECIPE = {
  version: 1,
  fields: {
    title: { select: "main h1", type: "text" },
    price: { select: "[data-role=price]", transforms: [{ money: { decimal: ".", currency: "EUR" } }] },
  },
};
export const RECIPE = NEW_RECIPE;

const RECIPE_DIFF = `--- version 1
+++ version 2
@@ -2,9 +2,9 @@
   "fields": {
     "title": {
-      "select": "h1.product-title",
+      "select": "main h1",
       "type": "text"
     },
     "price": {
-      "select": ".price-box .amount",
+      "select": "[data-role=price]",
`;

/** The stage of the newest version: it replaced the first one unless it waits or is rejected. */
type Newest = "PRODUCTION" | "STAGING" | "REJECTED";

export function makeRecipes(clock: Clock, stage: Newest): RecipeVersion[] {
  const waits = stage === "STAGING";
  const isActive = stage === "PRODUCTION";
  const first: RecipeVersion = {
    version: 1,
    stage: isActive ? "ARCHIVED" : "PRODUCTION",
    waits: false,
    askedBy: "add_source",
    promotedBy: "validation",
    createdAt: clock.ago(12_900),
    promotedAt: clock.ago(12_899),
    runs: 212,
    failedRuns: 1,
    recipe: OLD_RECIPE,
  };
  const second: RecipeVersion = {
    version: 2,
    stage,
    waits,
    askedBy: "fix_source",
    promotedBy: isActive ? "validation" : undefined,
    createdAt: clock.ago(1_440),
    promotedAt: isActive ? clock.ago(1_439) : undefined,
    replaces: isActive ? 1 : undefined,
    runs: isActive ? 24 : 0,
    failedRuns: 0,
    recipe: NEW_RECIPE,
    diff: RECIPE_DIFF,
  };
  return [second, first];
}

export function makeDecisions(clock: Clock, sources: readonly Source[]): Map<string, Decision[]> {
  const approved: Decision = { at: clock.ago(1_439), decision: "APPROVED", askedBy: "dashboard", version: 2 };
  return new Map(
    sources.map(({ name, recipeVersion, waitsForApproval }) => [
      name,
      recipeVersion && !waitsForApproval ? [approved] : [],
    ]),
  );
}

/** Older values differ a little from the last ones. */
function earlier(values: unknown, read: number): unknown {
  if (read === 0) return values;
  if (Array.isArray(values)) return values.slice(read % values.length);
  return { ...(values as object), ...(read < 4 && { price: `${39 + read}.90 EUR` }) };
}

export function makeValues(clock: Clock, source: Source): ValueSet[] {
  if (source.lastValues === undefined) return [];
  const isLamp = source.name === "desk-lamp";
  return [12, 72, 132, 192, 252].map((minutes, read) => ({
    valueId: 100 - read,
    at: clock.ago(minutes),
    url: source.url,
    version: 2,
    values: isLamp || Array.isArray(source.lastValues) ? earlier(source.lastValues, read) : source.lastValues,
  }));
}

export function makeSnapshots(clock: Clock, source: Source): StoredPage[] {
  const snapshot = (snapshotId: number, role: StoredPage["role"], minutes: number): StoredPage => ({
    snapshotId,
    role,
    url: source.url,
    takenAt: clock.ago(minutes),
  });
  return [snapshot(1, "ORIGINAL", 12_900), snapshot(2, "GOOD", 1_500), snapshot(3, "FAILING", 1_441)];
}

/** How the server marks the elements of a recipe in a stored page. */
export const SNAPSHOT_STYLE =
  "body{font:14px/1.5 system-ui,sans-serif;margin:12px;color:#1c2430;background:#fff}" +
  "[data-autoheal-field]{outline:2px solid #0b7a4b;outline-offset:2px;background:#e3f6ec}" +
  "[data-autoheal-field]::before{content:attr(data-autoheal-field);font:600 11px/1 system-ui,sans-serif;color:#fff;" +
  "background:#0b7a4b;padding:2px 4px;margin-right:4px;border-radius:3px}";

/** A stored page as the server sends it: sanitised, the elements of the recipe's fields marked. */
export function snapshotHtml(snapshotId: number, withNumbers = false): string {
  const [heading, price] = snapshotId < 3 ? ["h1", "div"] : ["h2", "span"];
  const html =
    `<!doctype html><html lang="en"><head><title>Desk lamp</title><style>${SNAPSHOT_STYLE}</style></head><body><p>Lamps › Desk</p>` +
    `<${heading} data-autoheal-field="title">Desk lamp</${heading}>` +
    `<${price} data-autoheal-field="price">39.90 EUR</${price}>` +
    `<p>Warm light, three steps, folds flat. Delivered in two days.</p><ul><li>Cable 1.8 m</li><li>Weight 0.9 kg</li></ul></body></html>`;
  let number = 0;
  const numbered = (tag: string) => `${tag} data-autoheal-element="${number++}"`;
  return withNumbers ? html.replace(/<(?:h1|h2|div|span|p|ul|li)\b/g, numbered) : html;
}

/** What a recipe gives on each stored page of the lamp: the same values on all of them. */
export function makeTrial(values: Record<string, string[]>): PageTrial[] {
  const fields = Object.entries(values).map(([name, values]): FieldTrial => ({
    name,
    values,
    total: values.length,
    problems: [],
  }));
  return [3, 2, 1].map((snapshotId) => ({ snapshotId, fields }));
}

/** The second part of a patch: the same definition in another order. */
const REORDERED = `--- active definition
+++ staged definition
@@ -4,10 +4,10 @@
     "fields": [
       {
-        "name": "title",
+        "name": "price",
         "type": "text"
       },
       {
-        "name": "price",
+        "name": "title",
         "type": "text"
       }
`;

export function makeSourceFixes(clock: Clock, source: Source): FixAttempt[] {
  const error_message = "Missing field: title (no node matches `h1.product-title`)";
  const found: FixAttempt = {
    at: clock.after(clock.ago(1_440), 1),
    target: source.name,
    errorType: "PARSE_ERROR",
    deployedTo: source.waitsForApproval ? "STAGING" : "PRODUCTION",
    patch: RECIPE_DIFF + REORDERED,
    diagnosis: {
      error_message,
      failed_at: Date.parse(clock.ago(1_441)),
      summary: "main: 3 lines gone, 5 new; names gone: .price-box\n",
    },
    validation: { critical: false, error_type: null, errors: [], passed: true, score: 1 },
  };
  if (source.state !== "QUARANTINED") return [found];
  const reason = "the field `high` cannot be found again with certainty: 0.41 of 0.80";
  return [
    found,
    {
      ...found,
      at: clock.ago(79),
      deployedTo: "FAILED",
      patch: "",
      diagnosis: { error_message: "Missing field: high (no node matches `td.high`)" },
      validation: { passed: false, errors: [reason] },
    },
  ];
}
