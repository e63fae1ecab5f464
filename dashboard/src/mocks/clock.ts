/** Times of the mock world, counted back from when it was made. */

const MINUTE = 60_000;

export interface Clock {
  /** So many minutes ago; negative for what is to come. */
  ago: (minutes: number) => string;
  /** So many seconds after another time. */
  after: (time: string, seconds: number) => string;
}

export function makeClock(now: number): Clock {
  return {
    ago: (minutes) => new Date(now - minutes * MINUTE).toISOString(),
    after: (time, seconds) => new Date(Date.parse(time) + seconds * 1_000).toISOString(),
  };
}
