/** Thirty days of an installation: mostly well, with one bad day. */

import type { Trends } from "../api/types";
import type { Clock } from "./clock";
import { REPOSITORY } from "./healing";

const DAYS = 30;
/** Days since the bad one. */
const BAD_DAY = 9;

export function makeTrends(clock: Clock, isEmpty = false): Trends {
  const days = Array.from({ length: DAYS }, (_, index) => {
    const ago = DAYS - 1 - index;
    const day = clock.ago(ago * 1_440).slice(0, 10);
    if (isEmpty)
      return {
        day,
        runs: 0,
        well: 0,
        notWell: 0,
        fixesTried: 0,
        fixesPassed: 0,
        fixesTakenBack: 0,
        alerts: 0,
        microDollars: 0,
      };
    const notWell = ago === BAD_DAY ? 31 : (index * 5) % 4;
    const well = 96 - notWell + ((index * 7) % 11);
    const fixesPassed = ago === BAD_DAY ? 12 : (index * 3) % 5;
    return {
      day,
      runs: well + notWell,
      well,
      notWell,
      fixesTried: fixesPassed + (index % 3),
      fixesPassed,
      fixesTakenBack: index % 11 === 6 ? 1 : 0,
      // Nothing recovers on a day without a fix.
      recoveryMillis: fixesPassed > 0 ? 60_000 + ((index * 17) % 90) * 1_000 : null,
      alerts: ago === BAD_DAY ? 14 : (index * 2) % 3,
      microDollars: ((index * 13) % 40) * 10_000,
    };
  });
  if (isEmpty) return { days, slowest: [], noisiest: [] };
  return {
    days,
    slowest: [
      { kind: "HEAL_REPO", target: REPOSITORY, runs: 6, averageMillis: 262_000 },
      { kind: "FIX_SOURCE", target: "tide-table", runs: 9, averageMillis: 48_300 },
      { kind: "REFRESH_SOURCE", target: "job-board", runs: 720, averageMillis: 9_400 },
    ],
    noisiest: [
      { target: "tide-table", alerts: 17 },
      { target: REPOSITORY, alerts: 4 },
    ],
  };
}
