/** Everything the mock API knows. Each test makes one of its own. */

import type { Alert, Decision, RunEvent, RunSummary, Source, Task, Trends, UsageSum } from "../api/types";
import { makeClock, type Clock } from "./clock";
import { begunEvents, endedEvents, REPOSITORY } from "./healing";
import { CANCELLED_RUN, GIVEN_UP_RUN, makeRuns, RUNNING_RUN } from "./runs";
import { makeDecisions, makeSources } from "./sources";
import { makeTrends } from "./trends";

export { CANCELLED_RUN, GIVEN_UP_RUN, HEALED_RUN, RUNNING_RUN, runIdOf, SOURCE_RUN } from "./runs";

export interface MockJob {
  jobId: string;
  runId: string;
  taskId: number;
  /** How often its state was asked: that is what moves it on. */
  asked: number;
}

export interface World {
  clock: Clock;
  /** The token that the server wants, if any. */
  token: string | undefined;
  /** Pause between live events, in milliseconds. */
  pace: number;
  runs: RunSummary[];
  tasks: Task[];
  sources: Source[];
  /** The recipes that users have activated. */
  replacedRecipes: Record<string, unknown>[];
  /** The decisions about each source, the newest first. */
  decisions: Map<string, Decision[]>;
  alerts: Alert[];
  trends: Trends;
  usage: UsageSum[];
  jobs: Map<string, MockJob>;
  /** Events of runs that are not like those of the others. */
  events: Map<string, RunEvent[]>;
}

/** An id in the form of a UUID, telling what it is of. */
function makeTasks(clock: Clock): Task[] {
  const base = { priority: 100, retryCount: 0, maxRetries: 3, deaths: 0, cancelRequested: false };
  return [
    {
      ...base,
      taskId: 905,
      kind: "REFRESH_SOURCE",
      target: "desk-lamp",
      state: "PENDING",
      createdAt: clock.ago(1),
      runAt: clock.ago(-4),
    },
    {
      ...base,
      taskId: 904,
      kind: "HEAL_REPO",
      target: "https://github.com/night-shift/ledger",
      state: "PENDING",
      createdAt: clock.ago(1),
      runAt: clock.ago(1),
    },
    {
      ...base,
      taskId: 902,
      kind: "HEAL_REPO",
      target: "https://github.com/night-shift/invoice-service",
      state: "IN_PROGRESS",
      createdAt: clock.ago(3),
      runAt: clock.ago(3),
      startedAt: clock.ago(2),
      worker: "host-a:2217",
    },
    {
      ...base,
      taskId: 901,
      kind: "HEAL_REPO",
      target: REPOSITORY,
      state: "COMPLETED",
      createdAt: clock.ago(35),
      runAt: clock.ago(35),
      startedAt: clock.ago(34),
      completedAt: clock.ago(29),
      worker: "host-a:2217",
    },
    {
      ...base,
      taskId: 899,
      kind: "FIX_SOURCE",
      target: "tide-table",
      state: "QUARANTINED",
      createdAt: clock.ago(80),
      runAt: clock.ago(80),
      startedAt: clock.ago(79),
      completedAt: clock.ago(78),
      retryCount: 3,
      errorMessage: "three strikes within 24 hours: the page has no table of tides any more",
    },
    {
      ...base,
      taskId: 898,
      kind: "ADD_SOURCE",
      target: "old-archive",
      state: "FAILED",
      createdAt: clock.ago(300),
      runAt: clock.ago(300),
      startedAt: clock.ago(299),
      completedAt: clock.ago(299),
      errorMessage: "the server answers 410 Gone",
    },
    {
      ...base,
      taskId: 897,
      kind: "HEAL_REPO",
      target: "https://github.com/night-shift/attic",
      state: "CANCELLED",
      createdAt: clock.ago(101),
      runAt: clock.ago(101),
      startedAt: clock.ago(100),
      completedAt: clock.ago(99),
      cancelRequested: true,
    },
    {
      ...base,
      taskId: 896,
      kind: "HEAL_REPO",
      target: "https://github.com/night-shift/relay",
      state: "QUARANTINED",
      createdAt: clock.ago(120),
      runAt: clock.ago(90),
      startedAt: clock.ago(90),
      completedAt: clock.ago(88),
      retryCount: 3,
      errorMessage: "no space left on device",
    },
  ];
}

function makeAlerts(clock: Clock): Alert[] {
  return [
    {
      alertId: 8,
      target: "tide-table",
      kind: "QUARANTINE",
      message: "Three fixes failed within 24 hours. No more automatic attempts until tomorrow.",
      createdAt: clock.ago(78),
      postedAt: clock.ago(77),
    },
    {
      alertId: 7,
      target: "bread-recipe",
      kind: "REVIEW",
      message: "Version 3 of the recipe passed its validation and waits for approval.",
      createdAt: clock.ago(190),
    },
    {
      alertId: 6,
      target: REPOSITORY,
      kind: "OUTAGE",
      message: "The host has not answered any of its sources for an hour.",
      createdAt: clock.ago(420),
    },
    {
      alertId: 5,
      target: "desk-lamp",
      kind: "ROLLBACK",
      message: "Version 3 failed twice in force; version 2 is in force again.",
      createdAt: clock.ago(1_100),
    },
    {
      alertId: 4,
      target: "old-archive",
      kind: "DEAD",
      message: "The address has answered 410 Gone for seven days.",
      createdAt: clock.ago(2_300),
    },
  ];
}

function makeUsage(clock: Clock): UsageSum[] {
  return Array.from({ length: 14 }, (_, index) => {
    const calls = 12 + ((index * 7) % 23);
    return {
      name: clock.ago((13 - index) * 1_440).slice(0, 10),
      calls,
      inputTokens: calls * 3_140,
      outputTokens: calls * 410,
      cachedTokens: calls * 1_200,
      microDollars: calls * 11_400,
      unpricedCalls: index === 9 ? 2 : 0,
    };
  });
}

/** A busy world: one of everything. */
export function makeWorld(now = Date.now()): World {
  const clock = makeClock(now);
  const sources = makeSources(clock);
  return {
    clock,
    token: undefined,
    pace: 0,
    runs: makeRuns(clock),
    tasks: makeTasks(clock),
    sources,
    replacedRecipes: [],
    decisions: makeDecisions(clock, sources),
    alerts: makeAlerts(clock),
    trends: makeTrends(clock),
    usage: makeUsage(clock),
    jobs: new Map(),
    events: new Map([
      [RUNNING_RUN, begunEvents(clock, 2)],
      [GIVEN_UP_RUN, endedEvents(clock, 90, "DEAD_LETTER")],
      [CANCELLED_RUN, endedEvents(clock, 100, "CANCELLED")],
    ]),
  };
}

/** The world of somebody who has just begun. */
export function makeEmptyWorld(now = Date.now()): World {
  const world = makeWorld(now);
  const trends = makeTrends(world.clock, true);
  return { ...world, runs: [], tasks: [], sources: [], alerts: [], trends, usage: [], events: new Map() };
}
