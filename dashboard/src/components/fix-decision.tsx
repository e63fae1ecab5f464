import { useState } from "react";
import { useApproval, useRejection } from "../api/source-actions";
import type { RecipeVersion, Source } from "../api/types";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { Field } from "../ui/field";

/** The longest reason that the server stores, in characters. */
const LONGEST_REASON = 500;

interface FixDecisionProps {
  source: Source;
  waiting: RecipeVersion;
}

/** Buttons that approve or reject the waiting fix. Both open a dialog that states the consequences first. */
export function FixDecision({ source, waiting }: FixDecisionProps) {
  const [asking, setAsking] = useState<"approve" | "reject">();
  const [readsNow, setReadsNow] = useState(true);
  const approval = useApproval(source.name);
  const [reason, setReason] = useState("");
  const rejection = useRejection(source.name);
  const close = () => setAsking(undefined);
  const active = source.recipeVersion;
  return (
    <>
      <Button kind="danger" onClick={() => setAsking("reject")}>
        Reject
      </Button>
      <Button kind="primary" icon="check" onClick={() => setAsking("approve")}>
        Approve
      </Button>
      {asking === "approve" && (
        <Dialog title={`Approve version ${waiting.version}?`} onClose={close}>
          <ul className="list-disc space-y-1 ps-5 text-muted">
            <li>Version {waiting.version} becomes the active recipe of this source.</li>
            {typeof active === "number" && (
              <li>Version {active} is archived. You can roll back to it in the history.</li>
            )}
          </ul>
          <label className="mt-4 flex items-start gap-2">
            <input
              type="checkbox"
              className="mt-0.5 size-4 accent-accent"
              checked={readsNow}
              onChange={(event) => setReadsNow(event.target.checked)}
            />
            Read the source at once, instead of at its next scheduled time
          </label>
          <div className="mt-5 flex justify-end gap-2">
            <Button onClick={close}>Not now</Button>
            <Button
              kind="primary"
              busy={approval.isPending}
              onClick={() => approval.mutate(readsNow, { onSuccess: close })}
            >
              Approve
            </Button>
          </div>
        </Dialog>
      )}
      {asking === "reject" && (
        <Dialog title={`Reject version ${waiting.version}?`} onClose={close}>
          <ul className="list-disc space-y-1 ps-5 text-muted">
            <li>The same fix is not proposed again; you can undo this in the history.</li>
            <li>
              {typeof active === "number" ? `Version ${active} stays active` : "The source stays without a recipe"}, so
              the source keeps failing until another fix passes or the page changes back.
            </li>
          </ul>
          <Field
            label="Reason (optional)"
            hint="It is stored with the decision."
            className="mt-4"
            maxLength={LONGEST_REASON}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
          <div className="mt-5 flex justify-end gap-2">
            <Button onClick={close}>Not now</Button>
            <Button
              kind="danger"
              busy={rejection.isPending}
              onClick={() =>
                rejection.mutate({ version: waiting.version, reason: reason.trim() }, { onSuccess: close })
              }
            >
              Reject
            </Button>
          </div>
        </Dialog>
      )}
    </>
  );
}
