/** One healing of a repository, as the API tells of it: results, events, diagnostics, changes, outputs, report. */

import type { CommandOutput, Diagnostic, Fix, FixAttempt, HealingResults, RunEvent, Workflow } from "../api/types";
import type { components } from "../api/schema";
import type { Clock } from "./clock";

type What = components["schemas"]["What"];

export const REPOSITORY = "https://github.com/parcel-team/parcel";

const FIXES: Fix[] = [
  {
    file: "parcel/rates.py",
    bugType: "SYNTAX",
    line: 27,
    commitMessage: "[AI-AGENT] Fix SYNTAX error in parcel/rates.py line 27",
    status: "Fixed",
    origin: "rule",
    summary: "SYNTAX error in parcel/rates.py line 27 → Fix: insert the missing `:`",
  },
  {
    file: "parcel/label.py",
    bugType: "IMPORT",
    line: 3,
    commitMessage: "[AI-AGENT] Fix IMPORT error in parcel/label.py line 3",
    status: "Fixed",
    summary: "IMPORT error in parcel/label.py line 3 → Fix: import 'Address' instead of 'Adress'",
  },
  {
    file: "parcel/address.py",
    bugType: "LINTING",
    line: 4,
    commitMessage: "[AI-AGENT] Fix LINTING error in parcel/address.py line 4",
    status: "Fixed",
    summary: "LINTING error in parcel/address.py line 4 → Fix: remove unused import: `string`",
  },
  {
    file: "parcel/carriers/regional/north/timetable_of_the_night_service.py",
    bugType: "TYPE_ERROR",
    line: 114,
    commitMessage:
      "[AI-AGENT] Fix TYPE_ERROR error in parcel/carriers/regional/north/timetable_of_the_night_service.py line 114",
    status: "Fixed",
    origin: "search",
    alsoAllowed: ["line 114: convert 'number' by repr()"],
    summary:
      "TYPE_ERROR error in parcel/carriers/regional/north/timetable_of_the_night_service.py line 114 → Fix: convert 'number' by str()",
  },
  {
    file: "parcel/tracking.py",
    bugType: "LOGIC",
    line: 58,
    commitMessage: "[AI-AGENT] Fix LOGIC error in parcel/tracking.py line 58",
    status: "Failed",
    summary: "LOGIC error in parcel/tracking.py line 58 → not fixed: AssertionError: assert 20 == 21",
  },
];

export function healingResults(clock: Clock, minutesAgo: number): HealingResults {
  const begun = clock.ago(minutesAgo);
  return {
    repository: REPOSITORY,
    teamName: "Night Shift",
    leaderName: "Ada Lovelace",
    branchName: "NIGHT_SHIFT_ADA_LOVELACE_AI_Fix",
    totalFailures: 5,
    fixesApplied: 4,
    iterations: 2,
    ciStatus: "PASSED",
    totalTime: "4m 22s",
    fixes: FIXES,
    iterationHistory: [
      { iteration: 1, status: "FAILED", timestamp: clock.after(begun, 128), failureCount: 2 },
      { iteration: 2, status: "PASSED", timestamp: clock.after(begun, 258), failureCount: 0 },
    ],
    commitCount: 4,
    retryLimit: 5,
    outcome: "fixed",
    stopReason: "GREEN",
    explanation: "the branch, cloned fresh, passes everything",
    next: "Review the branch and merge it.",
    refused: [
      {
        file: "parcel/tracking.py",
        line: 58,
        fixer: "search",
        description: "write '<' instead of '<='",
        reason: "test_returns would fail",
      },
    ],
    commands: ["python -m pytest -q"],
    notRun: [],
    warnings: ["parcel/tracking.py: test_eta is marked as an expected failure and was left alone"],
    pullRequest: `${REPOSITORY}/pull/42`,
  };
}

const ROUND: readonly (readonly [node: string, millis: number, topic: string, message: string])[] = [
  ["analyze_repo", 2_140, "finding", "Python with pytest, 38 files"],
  ["discover_tests", 180, "finding", "11 test files"],
  ["diagnose_failures", 31_400, "finding", "5 failures in 4 files"],
  ["plan", 40, "plan", "SYNTAX errors first: nothing can be collected before"],
  ["generate_fixes", 9_300, "patch", "3 candidates for parcel/rates.py:27"],
  ["patch_code", 42_000, "patch", "SYNTAX error in parcel/rates.py line 27 → Fix: insert the missing `:`"],
  ["commit_push", 3_900, "commit", "[AI-AGENT] Fix SYNTAX error in parcel/rates.py line 27"],
  ["monitor_ci", 39_000, "finding", "CI: 2 failures left"],
];

/** All events of a healing of two rounds. */
export function healingEvents(clock: Clock, minutesAgo: number): RunEvent[] {
  let at = clock.ago(minutesAgo);
  const events: RunEvent[] = [];
  const add = (what: What, seconds = 0) => {
    at = clock.after(at, seconds);
    events.push({ sequence: events.length + 1, at, ...what });
  };
  add({ type: "run_started", target: REPOSITORY });
  for (const round of [1, 2]) {
    for (const [node, millis, topic, message] of ROUND) {
      add({ type: "node_started", node, attempt: 1 });
      if (round === 1 && node === "commit_push") {
        add({ type: "node_failed", node, attempt: 1, error: "the remote closed the connection", retry: true }, 2);
        add({ type: "node_started", node, attempt: 2 }, 2);
      }
      const isLast = round === 2 && node === "monitor_ci";
      add({ type: "note", node, topic, message: isLast ? "CI: green" : message }, millis / 2_000);
      add({ type: "node_finished", node, millis }, millis / 2_000);
    }
  }
  add({ type: "run_finished", stopReason: "GREEN" });
  return events;
}

/** The events of a healing that is in the midst of trying its first patch. */
export function begunEvents(clock: Clock, minutesAgo: number): RunEvent[] {
  const events = healingEvents(clock, minutesAgo);
  return events.slice(0, events.findIndex((event) => event.type === "node_started" && event.node === "patch_code") + 2);
}

/** The same, ended there from outside. */
export function endedEvents(clock: Clock, minutesAgo: number, stopReason: string): RunEvent[] {
  const events = begunEvents(clock, minutesAgo);
  const at = clock.after(events.at(-1)?.at ?? "", 1);
  return [...events, { sequence: events.length + 1, at, type: "run_finished", stopReason }];
}

export const WORKFLOWS: Record<string, Workflow> = {
  HEAL_REPO: {
    kind: "HEAL_REPO",
    nodes: ROUND.map(([node]) => node),
    edges: [
      { from: "analyze_repo", to: "discover_tests" },
      { from: "discover_tests", to: "diagnose_failures" },
      { from: "diagnose_failures", to: "plan" },
      { from: "plan", to: "generate_fixes", label: "work to do" },
      { from: "plan", label: "over" },
      { from: "generate_fixes", to: "patch_code" },
      { from: "patch_code", to: "commit_push", label: "accepted" },
      { from: "patch_code", to: "plan", label: "nothing accepted" },
      { from: "commit_push", to: "monitor_ci" },
      { from: "monitor_ci", to: "analyze_repo", label: "red" },
      { from: "monitor_ci", label: "over" },
    ],
  },
  FIX_SOURCE: {
    kind: "FIX_SOURCE",
    nodes: ["check_breaker", "collect_context", "fix", "stage", "validate", "deploy"],
    edges: [
      { from: "check_breaker", to: "collect_context", label: "may attempt" },
      { from: "check_breaker", label: "quarantined or dead" },
      { from: "collect_context", to: "fix", label: "something is wrong" },
      { from: "collect_context", label: "well already" },
      { from: "fix", to: "stage", label: "a proposal" },
      { from: "fix", to: "deploy", label: "none" },
      { from: "stage", to: "validate" },
      { from: "validate", to: "deploy" },
      { from: "deploy" },
    ],
  },
  REFRESH_SOURCE: { kind: "REFRESH_SOURCE", nodes: ["refresh"], edges: [{ from: "refresh" }] },
  ADD_SOURCE: { kind: "ADD_SOURCE", nodes: ["scout"], edges: [{ from: "scout" }] },
};

export function healingDiagnostics(clock: Clock, minutesAgo: number): Diagnostic[] {
  const seen = { firstSeenAt: clock.ago(minutesAgo), lastSeenAt: clock.ago(minutesAgo - 2) };
  return [
    {
      source: "test",
      category: "SYNTAX",
      file: "parcel/rates.py",
      line: 27,
      column: 31,
      message: "SyntaxError: expected ':'",
      stack:
        "File \"parcel/rates.py\", line 27\n    if weight > limit\n                     ^\nSyntaxError: expected ':'",
      occurrenceCount: 1,
      resolvedAt: clock.ago(minutesAgo - 1),
      ...seen,
    },
    {
      source: "lint",
      category: "LINTING",
      file: "parcel/address.py",
      line: 4,
      message: "F401 `string` imported but unused",
      occurrenceCount: 2,
      resolvedAt: clock.ago(minutesAgo - 2),
      ...seen,
    },
    {
      source: "test",
      category: "LOGIC",
      file: "parcel/tracking.py",
      line: 58,
      message: "AssertionError: assert datetime.date(2026, 11, 20) == datetime.date(2026, 11, 21)",
      occurrenceCount: 3,
      ...seen,
    },
  ];
}

const PATCH = `--- a/parcel/rates.py
+++ b/parcel/rates.py
@@ -24,3 +24,3 @@ def rate(weight: float, zone: Zone) -> Money:
     limit = LIMITS[zone]
-    if weight > limit
+    if weight > limit:
         raise TooHeavy(weight, limit)
`;

const FINDING = { source: "test", category: "SYNTAX", file: "parcel/rates.py", location: { line: 27, column: 31 } };

export function healingFixes(clock: Clock, minutesAgo: number): FixAttempt[] {
  return [
    {
      at: clock.ago(minutesAgo - 1),
      target: REPOSITORY,
      errorType: "SYNTAX",
      deployedTo: "PRODUCTION",
      patch: PATCH,
      diagnosis: { finding: { ...FINDING, message: "SyntaxError: expected ':'" } },
      validation: { passed: 39, failed: 2, tried_before: 2 },
    },
    {
      at: clock.ago(minutesAgo - 2),
      target: REPOSITORY,
      errorType: "LINTING",
      deployedTo: "PRODUCTION",
      patch:
        "--- a/parcel/address.py\n+++ b/parcel/address.py\n@@ -1,5 +1,4 @@\n import re\n-import string\n from dataclasses import dataclass\n",
      diagnosis: { finding: { ...FINDING, file: "parcel/address.py", message: "F401 `string` imported but unused" } },
      validation: { passed: 40, failed: 1, tried_before: 0 },
    },
  ];
}

export function healingOutputs(): CommandOutput[] {
  return [
    {
      node: "diagnose_failures",
      command: "python -m pytest -q --junitxml=report.xml",
      ended: "exit 1",
      millis: 30_900,
      output: "FF..F..F..........................F.....\n5 failed, 36 passed in 28.41s",
    },
    {
      node: "monitor_ci",
      command: "python -m pytest -q",
      ended: "exit 0",
      millis: 27_100,
      output: "41 passed in 26.90s",
    },
  ];
}

export const REPORT = `# parcel: healed

The branch \`NIGHT_SHIFT_ADA_LOVELACE_AI_Fix\`, cloned fresh, passes everything.

| file | line | what was done |
| --- | --- | --- |
| parcel/rates.py | 27 | insert the missing \`:\` |
| parcel/address.py | 4 | remove unused import |

## Left to you

- \`parcel/tracking.py\` line 58: no small change makes the test pass.

## What else was tried

1 of 5 tries were not kept.

- \`parcel/tracking.py line 58: write '+' instead of '-'\` (\`search\`): \`test_returns would fail\`

## Pull request

See the [pull request](${REPOSITORY}/pull/42).
`;
