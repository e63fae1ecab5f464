import type { StoredPage } from "../api/types";
import { formatRelative, words } from "../ui/format";

/** Returns the name of a stored page in lists: its role and its age. */
export const snapshotLabel = ({ role, takenAt }: StoredPage, now: number) =>
  `${words(role)}, ${formatRelative(Date.parse(takenAt), now)}`;
