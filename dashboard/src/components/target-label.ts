/** A target as people call it: a repository on GitHub by owner and name, anything else as it is. */
export function targetLabel(target: string): string {
  return target.replace(/^https:\/\/github\.com\/(?=.)/, "");
}
