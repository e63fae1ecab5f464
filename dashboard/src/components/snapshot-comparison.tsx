import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { snapshotPage } from "../api/source-queries";
import type { RecipeVersion, StoredPage } from "../api/types";
import { Select } from "../ui/field";
import { words } from "../ui/format";
import { Loaded } from "../ui/loaded";
import { Message } from "../ui/message";
import { useNow } from "../ui/time";
import { comparedVersions } from "./recipe-fields";
import { snapshotLabel } from "./snapshot-label";

/**
 * The page of a snapshot in a frame that may do nothing: no scripts, no forms, an origin of its own. The frame inherits
 * the policy of this page, which allows one style besides its own: that by which the server marks the recipe's elements.
 */
function SnapshotFrame({
  name,
  snapshot,
  version,
}: {
  name: string;
  snapshot: StoredPage;
  version: number | undefined;
}) {
  const page = useQuery(snapshotPage(name, snapshot.snapshotId, version));
  return (
    <div className="h-96 overflow-hidden rounded-md border border-line bg-white">
      <Loaded query={page}>
        {(html) => <iframe title={`${words(snapshot.role)} snapshot`} sandbox="" srcDoc={html} className="size-full" />}
      </Loaded>
    </div>
  );
}

interface SideProps {
  name: string;
  label: string;
  snapshots: readonly StoredPage[];
  preferred: readonly StoredPage["role"][];
  /** The version of the recipe whose elements are marked. */
  version: number | undefined;
}

function Side({ name, label, snapshots, preferred, version }: SideProps) {
  const [chosen, setChosen] = useState<number>();
  const now = useNow();
  const byRole = preferred.map((role) => snapshots.find((snapshot) => snapshot.role === role)).find(Boolean);
  const snapshot = snapshots.find(({ snapshotId }) => snapshotId === chosen) ?? byRole ?? snapshots[0];
  if (!snapshot) return null;
  return (
    <div className="min-w-0">
      <Select
        label={label}
        className="mb-2"
        value={snapshot.snapshotId}
        onChange={(event) => setChosen(Number(event.target.value))}
        options={snapshots.map((page) => ({ value: String(page.snapshotId), label: snapshotLabel(page, now) }))}
      />
      <SnapshotFrame name={name} snapshot={snapshot} version={version} />
    </div>
  );
}

interface SnapshotComparisonProps {
  name: string;
  snapshots: readonly StoredPage[];
  recipes: readonly RecipeVersion[];
}

/** Two stored pages of a source side by side: the elements of the old recipe are marked in one, of the new in the other. */
export function SnapshotComparison({ name, snapshots, recipes }: SnapshotComparisonProps) {
  if (snapshots.length === 0) {
    return (
      <Message title="No snapshots yet">
        The page is kept when it is read for the first time, and when it fails.
      </Message>
    );
  }
  const { before, after } = comparedVersions(recipes);
  const marked = (version: number | undefined) => (version === undefined ? "" : ` (version ${version} marked)`);
  return (
    <div className="grid grid-cols-1 gap-4 p-4 xl:grid-cols-2">
      <Side
        name={name}
        label={`Before${marked(before)}`}
        snapshots={snapshots}
        preferred={["ORIGINAL", "GOOD"]}
        version={before}
      />
      <Side
        name={name}
        label={`After${marked(after)}`}
        snapshots={snapshots}
        preferred={["FAILING", "GOOD"]}
        version={after}
      />
    </div>
  );
}
