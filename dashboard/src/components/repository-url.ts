/**
 * The form of a repository's address: `https://github.com/[owner]/[repo]` and nothing after it.
 *
 * The specification's own pattern is `[\w-]+/[\w-]+`. Names of repositories may hold dots as well (`next.js`), so they
 * are accepted there; `.` and `..` are no names but steps in a path. The server accepts the same.
 */
const PATTERN = /^https:\/\/github\.com\/[\w-]+\/(?!\.{1,2}$)[\w.-]+$/;

/** Whether a text is the address of a repository on GitHub. */
export function validateGitHubUrl(text: string): boolean {
  // `$` would also match before a line break at the end.
  return PATTERN.test(text) && !text.endsWith("\n");
}
