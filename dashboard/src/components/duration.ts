/** `Xm Ys`, as the API writes how long a healing took. */

/** The seconds of such a text; `undefined` when it is none. */
export function secondsOf(totalTime: string): number | undefined {
  const parts = /^(\d+)m (\d+)s$/.exec(totalTime.trim());
  return parts ? Number(parts[1]) * 60 + Number(parts[2]) : undefined;
}

/** The text with its seconds below 60; anything that is not of the form is shown as it is. */
export function formatTotalTime(totalTime: string): string {
  const seconds = secondsOf(totalTime);
  return seconds === undefined ? totalTime : `${Math.floor(seconds / 60)}m ${seconds % 60}s`;
}
