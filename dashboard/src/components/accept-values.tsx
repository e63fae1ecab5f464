import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { describeError } from "../api/describe";
import { useAcceptance } from "../api/source-actions";
import * as sourceQueries from "../api/source-queries";
import type { RecipeVersion, Source } from "../api/types";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { Loaded } from "../ui/loaded";
import { Time } from "../ui/time";
import { FieldTable, TrialValues, Values } from "./field-table";
import { acceptedValues, failingPage, hasChanged, newestFirst, versionsOf } from "./recipe-fields";

interface ComparisonProps {
  source: Source;
  active: RecipeVersion;
}

/** The values of the active recipe on the newest page that failed, next to the last good ones, and the decision. */
function Comparison({ source, active, onClose }: ComparisonProps & { onClose: () => void }) {
  const snapshots = useQuery(sourceQueries.sourceSnapshots(source.name));
  const trial = useQuery(sourceQueries.recipeTrial(source.name, active.version, active.recipe));
  const acceptance = useAcceptance(source.name);
  const page = snapshots.data && failingPage(newestFirst(snapshots.data.snapshots));
  return (
    <Loaded query={snapshots}>
      {() => (
        <Loaded query={trial}>
          {({ pages }) => {
            const fields = pages.find(({ snapshotId }) => snapshotId === page?.snapshotId)?.fields;
            if (!page || !fields) return <p className="text-muted">No page of a failed read is stored.</p>;
            return (
              <>
                <p className="mb-2 text-muted">
                  The values of version {active.version} on the page that failed <Time at={page.takenAt} />:
                </p>
                <div className="rounded-md border border-line">
                  <FieldTable
                    caption="Values to accept"
                    columns={["Last good value", "Value now"]}
                    rows={fields.map((field) => {
                      const accepted = acceptedValues(source.lastValues, field.name);
                      return {
                        field: field.name,
                        cells: [
                          <Values key="accepted" values={accepted} none="none" />,
                          <TrialValues key="now" trial={field} isChanged={hasChanged(accepted, field)} />,
                        ],
                      };
                    })}
                  />
                </div>
                <ul className="mt-4 list-disc space-y-1 ps-5 text-muted">
                  <li>
                    The values of the failed read are stored as good ones, and later reads are compared with them.
                  </li>
                  <li>The recipe stays as it is.</li>
                  {source.state === "QUARANTINED" && <li>The quarantine ends.</li>}
                </ul>
                {acceptance.error && (
                  <p role="alert" className="mt-4 text-bad">
                    {describeError(acceptance.error).message}
                  </p>
                )}
                <div className="mt-5 flex justify-end gap-2">
                  <Button onClick={onClose}>Not now</Button>
                  <Button
                    kind="primary"
                    busy={acceptance.isPending}
                    onClick={() => acceptance.mutate(undefined, { onSuccess: onClose })}
                  >
                    Accept
                  </Button>
                </div>
              </>
            );
          }}
        </Loaded>
      )}
    </Loaded>
  );
}

/** The button for a read whose values have changed: a dialog displays them before they are accepted. */
export function AcceptValues({ source }: { source: Source }) {
  const [asking, setAsking] = useState(false);
  const recipes = useQuery(sourceQueries.sourceRecipes(source.name));
  const active = recipes.data && versionsOf(recipes.data.recipes).active;
  if (!active) return null;
  const close = () => setAsking(false);
  return (
    <>
      <Button onClick={() => setAsking(true)}>Accept these values</Button>
      {asking && (
        <Dialog title="Are these values right?" onClose={close} isWide>
          <Comparison source={source} active={active} onClose={close} />
        </Dialog>
      )}
    </>
  );
}
