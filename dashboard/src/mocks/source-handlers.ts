/** Sources and what can be done with them. */

import { http, HttpResponse } from "msw";
import type { Decision, NewSource, ProposedRule, RuleRequest, Source, Task } from "../api/types";
import { acceptedValues } from "../components/recipe-fields";
import { failure, filtered } from "./answers";
import { makeRecipes, makeSnapshots, makeSourceFixes, makeTrial, makeValues, RECIPE, snapshotHtml } from "./sources";
import { makeSourceDiagnostics, makeTimeline } from "./source-trouble";
import type { World } from "./world";

/** Health, the worst first. */
const WORST = ["DEAD", "QUARANTINED", "DEGRADED", "ACTIVE"];

/** What an order to a source changes of it. */
const CHANGES: Record<string, Partial<Source>> = {
  release: { state: "ACTIVE", breakerReason: undefined, quarantineUntil: undefined, fixAttemptsToday: 0 },
  approve: { waitsForApproval: false, recipeVersion: 3 },
  rollback: { recipeVersion: 1 },
};

export function sourceHandlers(world: World) {
  const sourceOf = (name: unknown) => world.sources.find((source) => source.name === name);
  const missing = () => failure(404, "SOURCE_NOT_FOUND", "there is no such source");
  const enqueue = (kind: Task["kind"], target: string): Task => {
    const now = new Date().toISOString();
    const task: Task = {
      taskId: 1_000 + world.tasks.length,
      kind,
      target,
      state: "PENDING",
      priority: 50,
      createdAt: now,
      runAt: now,
      retryCount: 0,
      maxRetries: 3,
      deaths: 0,
      cancelRequested: false,
    };
    world.tasks.unshift(task);
    return task;
  };
  const decisionsOf = ({ name }: Source) => world.decisions.get(name) ?? [];
  const decide = (source: Source, decision: string, rest: Partial<Decision>) => {
    const made = { at: world.clock.ago(0), decision, askedBy: "dashboard", ...rest };
    world.decisions.set(source.name, [made, ...decisionsOf(source)]);
  };
  const isRejected = (source: Source) => decisionsOf(source)[0]?.decision === "REJECTED";
  /** A part of a source at its own address. */
  const part = (name: string, read: (source: Source) => object) =>
    http.get(`*/api/sources/:name/${name}`, ({ params }) => {
      const source = sourceOf(params.name);
      return source ? HttpResponse.json(read(source)) : missing();
    });

  return [
    http.get("*/api/sources", ({ request }) => {
      const { searchParams } = new URL(request.url);
      const [offset, limit] = [Number(searchParams.get("offset") ?? 0), Number(searchParams.get("limit") ?? 50)];
      const waits = searchParams.get("waits") === "true";
      const fitting = filtered(world.sources, request, ["state"]).filter((source) => !waits || source.waitsForApproval);
      if (!searchParams.get("order"))
        fitting.sort((a, b) => WORST.indexOf(a.state) - WORST.indexOf(b.state) || a.name.localeCompare(b.name));
      const sources = fitting.slice(offset, offset + limit).map((source) => ({ ...source, lastValues: undefined }));
      const next = offset + limit < fitting.length ? offset + limit : undefined;
      return HttpResponse.json({ sources, total: fitting.length, next });
    }),
    http.get("*/api/sources/statistics", () =>
      HttpResponse.json(
        world.sources.length === 0
          ? { attempts: 0, passed: 0, promoted: 0, takenBack: 0, sources: 0, quarantined: 0 }
          : {
              attempts: 31,
              passed: 27,
              promoted: 25,
              takenBack: 1,
              sources: 6,
              quarantined: 1,
              averageRecoveryMillis: 94_000,
            },
      ),
    ),
    http.post("*/api/sources", async ({ request }) => {
      const asked = (await request.json()) as NewSource;
      const name = asked.name ?? new URL(asked.url).hostname.replaceAll(".", "-");
      if (sourceOf(name)) return failure(409, "CONFLICT", `there is a source named ${name} already`);
      world.sources.push({
        name,
        url: asked.url,
        state: "ACTIVE",
        successCount: 0,
        failureCount: 0,
        fixAttemptsToday: 0,
        intervalSeconds: asked.intervalSeconds ?? 3_600,
        healPolicy: asked.healPolicy ?? "auto",
        onUncertain: asked.onUncertain ?? "skip_run",
        waitsForApproval: false,
        recentRuns: [],
        createdAt: new Date().toISOString(),
      });
      return HttpResponse.json({ name, task: enqueue("ADD_SOURCE", name) }, { status: 201 });
    }),
    part("recipes", (source) => ({
      recipes: source.recipeVersion
        ? makeRecipes(world.clock, source.waitsForApproval ? "STAGING" : isRejected(source) ? "REJECTED" : "PRODUCTION")
        : [],
    })),
    part("decisions", (source) => ({ decisions: decisionsOf(source) })),
    part("diagnostics", (source) => ({ diagnostics: makeSourceDiagnostics(world.clock, source) })),
    part("timeline", (source) => ({ events: makeTimeline(world.clock, source) })),
    part("values", (source) => ({ values: makeValues(world.clock, source) })),
    part("fixes", (source) => ({ fixes: source.recipeVersion ? makeSourceFixes(world.clock, source) : [] })),
    part("snapshots", (source) => ({ snapshots: source.recipeVersion ? makeSnapshots(world.clock, source) : [] })),
    http.get("*/api/sources/:name/snapshots/:snapshotId/page", ({ params, request }) => {
      const withNumbers = new URL(request.url).searchParams.get("numbers") === "true";
      return HttpResponse.html(snapshotHtml(Number(params.snapshotId), withNumbers));
    }),
    http.post("*/api/sources/:name/rules", async ({ request }) => {
      const { field, elements } = (await request.json()) as RuleRequest;
      const rules = [`.rule-of-${elements.join("-")}`, `body > :nth-child(${(elements[0] ?? 0) + 1})`];
      const rule = (selector: string): ProposedRule => ({
        selector,
        recipe: { ...RECIPE, fields: { ...RECIPE.fields, [field]: { select: selector } } },
        pages: makeTrial({ [field]: [`the value of ${field}`] }),
      });
      return HttpResponse.json({ rules: rules.map(rule) });
    }),
    http.post("*/api/sources/:name/trial", async ({ params, request }) => {
      const { recipe } = (await request.json()) as { recipe: { fields?: object } };
      if (!recipe.fields) return failure(400, "INVALID_INPUT", "`recipe`: missing field `fields`");
      // The title is as it was; everything else is another value.
      const valuesOf = (field: string) =>
        field === "title" ? acceptedValues(sourceOf(params.name)?.lastValues, field) : [`another ${field}`];
      const values = Object.keys(recipe.fields).map((field) => [field, valuesOf(field)] as const);
      return HttpResponse.json({ pages: makeTrial(Object.fromEntries(values)) });
    }),
    http.put("*/api/sources/:name/recipe", async ({ params, request }) => {
      const source = sourceOf(params.name);
      const { recipe, replaces } = (await request.json()) as { recipe: Record<string, unknown>; replaces: number };
      if (!source) return missing();
      world.replacedRecipes.push(recipe);
      source.recipeVersion = replaces + 1;
      return HttpResponse.json(source);
    }),
    http.get("*/api/sources/:name", ({ params }) => {
      const source = sourceOf(params.name);
      if (!source) return missing();
      const fields = Object.keys(RECIPE.fields).map((name) => ({ name, type: "text", many: false, required: true }));
      return HttpResponse.json({
        source,
        definition: { base_url: source.url, kind: "single", fields },
        recipe: source.recipeVersion ? RECIPE : undefined,
      });
    }),
    http.patch("*/api/sources/:name", async ({ params, request }) => {
      const source = sourceOf(params.name);
      if (!source) return missing();
      return HttpResponse.json(Object.assign(source, await request.json()));
    }),
    http.delete("*/api/sources/:name", ({ params }) => {
      world.sources = world.sources.filter(({ name }) => name !== params.name);
      return new HttpResponse(null, { status: 204 });
    }),
    http.post("*/api/sources/:name/reject", async ({ params, request }) => {
      const source = sourceOf(params.name);
      if (!source) return missing();
      const { reason } = (await request.json()) as { reason?: string };
      decide(source, "REJECTED", { version: 2, note: reason });
      return HttpResponse.json(Object.assign(source, { waitsForApproval: false }));
    }),
    http.post("*/api/sources/:name/reconsider", async ({ params, request }) => {
      const source = sourceOf(params.name);
      if (!source) return missing();
      const { version } = (await request.json()) as { version: number };
      if (source.waitsForApproval || !isRejected(source))
        return failure(409, "CONFLICT", `version ${version} is not rejected`);
      decide(source, "RECONSIDERED", { version });
      return HttpResponse.json(Object.assign(source, { waitsForApproval: true }));
    }),
    http.post("*/api/sources/:name/accept", ({ params }) => {
      const source = sourceOf(params.name);
      if (!source) return missing();
      const failed = world.runs.find(({ target, isWell }) => target === source.name && isWell === false);
      if (failed?.stopReason !== "SCHEMA_MISMATCH")
        return failure(409, "CONFLICT", "the failed read gave no values: edit the rule instead");
      decide(source, "ACCEPTED", {});
      return HttpResponse.json(Object.assign(source, { state: "ACTIVE", quarantineUntil: undefined }));
    }),
    http.post("*/api/sources/:name/:command", ({ params }) => {
      const source = sourceOf(params.name);
      if (!source) return missing();
      if (params.command === "run") return HttpResponse.json(enqueue("REFRESH_SOURCE", source.name), { status: 202 });
      if (params.command === "heal") return HttpResponse.json(enqueue("FIX_SOURCE", source.name), { status: 202 });
      return HttpResponse.json(Object.assign(source, CHANGES[String(params.command)]));
    }),
  ];
}
