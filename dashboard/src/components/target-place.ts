/** Where more is known of a target. Repositories are addresses or paths; anything else is the name of a source. */
export function placeOf(target: string): string {
  return target.includes("/") ? `/runs?search=${encodeURIComponent(target)}` : `/sources/${encodeURIComponent(target)}`;
}
