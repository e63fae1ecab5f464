/** Requests that run at the same time: more would only wait in the browser or be refused by the server's rate limit. */
export const AT_ONCE = 4;

/**
 * Performs an action for each item in order, at most `AT_ONCE` at the same time. A failure does not stop the others; an
 * abort does, and the action is not started for the items that are left. Resolves when all started actions are over.
 */
export async function forEachBounded<T>(
  items: readonly T[],
  act: (item: T) => Promise<unknown>,
  onDone: (item: T, error?: { cause: unknown }) => void,
  signal: AbortSignal,
): Promise<void> {
  const left = items.values();
  const work = async () => {
    for (const item of left) {
      try {
        await act(item);
        onDone(item);
      } catch (cause) {
        onDone(item, { cause });
      }
      if (signal.aborted) return;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}
