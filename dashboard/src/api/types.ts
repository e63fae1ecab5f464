/** The API's documents, by the names that the pages use. The types are generated from `openapi.json`. */

import type { components, operations, paths } from "./schema";

type Schemas = components["schemas"];

export type JobRequest = Schemas["JobRequest"];
export type JobResponse = Schemas["JobResponse"];
export type Job = Schemas["Job"];
export type StatusResponse = Schemas["StatusResponse"];
export type HealingResults = Schemas["HealingResults"];
export type Fix = Schemas["Fix"];
export type FixStatus = Fix["status"];
export type FixOrigin = NonNullable<Fix["origin"]>;
export type RefusedChange = Schemas["RefusedChange"];
export type IterationStatus = Schemas["IterationStatus"];
export type CiStatus = Schemas["Verdict"];
export type ErrorBody = Schemas["ErrorBody"];
export type ErrorCode = ErrorBody["code"];

export type RunSummary = Schemas["RunSummary"];
export type RunState = RunSummary["state"];
export type Need = Schemas["NeedEntry"];
export type NeedKind = Need["kind"];
export type Run = Schemas["Run"];
export type ModelUsage = Schemas["ModelUsage"];
export type RunEvent = Schemas["RunEvent"];
export type Diagnostic = Schemas["Diagnostic"];
export type FixAttempt = Schemas["FixAttempt"];
export type CommandOutput = Schemas["CommandOutput"];
export type Workflow = Schemas["Workflow"];

export type Task = Schemas["Task"];
export type TaskDetail = Schemas["TaskWithRuns"];
export type TaskKind = Task["kind"];
export type TaskState = Task["state"];

export type Source = Schemas["Source"];
export type SourceState = Source["state"];
export type SourceOrder = NonNullable<NonNullable<operations["listSources"]["parameters"]["query"]>["order"]>;
export type HealPolicy = Source["healPolicy"];
export type WhenUncertain = Source["onUncertain"];
export type RecentRun = Schemas["RecentRunResult"];
export type NewSource = Schemas["NewSource"];
export type SourceChanges = Schemas["SourceChanges"];
export type SourceDetail = Schemas["SourceDetail"];
export type RecipeVersion = Schemas["RecipeVersion"];
export type RecipeStage = RecipeVersion["stage"];
export type Decision = Schemas["DecisionMade"];
export type SourceDiagnostic = Schemas["SourceDiagnostic"];
export type TimelineEvent = Schemas["TimelineEvent"];
export type EventKind = TimelineEvent["kind"];
export type ValueSet = Schemas["ValueSet"];
export type StoredPage = Schemas["StoredPage"];
export type ProposedRule = Schemas["ProposedRule"];
export type RuleRequest = Schemas["RuleRequest"];
export type PageTrial = Schemas["PageTrial"];
export type FieldTrial = Schemas["FieldTrial"];

export type Alert = Schemas["Alert"];
export type AlertKind = Alert["kind"];
export type UsageSum = Schemas["UsageSum"];
export type UsageGrouping = NonNullable<NonNullable<operations["getUsage"]["parameters"]["query"]>["by"]>;

export type Trends = paths["/api/trends"]["get"]["responses"][200]["content"]["application/json"];
export type TrendDay = Trends["days"][number];
