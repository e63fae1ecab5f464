/** The score of a healing: fast is rewarded, many commits cost. */

import { secondsOf } from "./duration";

export interface ScoreBreakdown {
  baseScore: number;
  speedBonus: number;
  commitPenalty: number;
  finalScore: number;
}

const BASE_SCORE = 100;
const SPEED_BONUS = 10;
const FAST_SECONDS = 5 * 60;
const FREE_COMMITS = 20;
const COMMIT_PENALTY = 2;

/** A time that cannot be read earns no bonus. */
export function scoreOf(totalTime: string, commitCount: number): ScoreBreakdown {
  const seconds = secondsOf(totalTime);
  const speedBonus = seconds !== undefined && seconds < FAST_SECONDS ? SPEED_BONUS : 0;
  const commitPenalty = Math.max(0, commitCount - FREE_COMMITS) * COMMIT_PENALTY;
  return { baseScore: BASE_SCORE, speedBonus, commitPenalty, finalScore: BASE_SCORE + speedBonus - commitPenalty };
}
