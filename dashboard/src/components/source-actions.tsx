import { useState } from "react";
import { useNavigate } from "react-router";
import { useRemoveSource, useSourceCommand, type SourceCommand } from "../api/source-actions";
import type { Source } from "../api/types";
import { Button, ButtonLink, type ButtonKind } from "../ui/button";
import { Dialog } from "../ui/dialog";

/** Asks before a source goes with all its history. */
function DeleteButton({ name }: { name: string }) {
  const [asking, setAsking] = useState(false);
  const remove = useRemoveSource(name);
  const navigate = useNavigate();
  return (
    <>
      <Button kind="danger" onClick={() => setAsking(true)}>
        Delete
      </Button>
      {asking && (
        <Dialog title={`Delete ${name}?`} onClose={() => setAsking(false)}>
          <p className="text-muted">Its recipe, its history and its snapshots go with it. This cannot be undone.</p>
          <div className="mt-5 flex justify-end gap-2">
            <Button onClick={() => setAsking(false)}>Keep it</Button>
            <Button
              kind="danger"
              busy={remove.isPending}
              onClick={() => remove.mutate(undefined, { onSuccess: () => void navigate("/sources") })}
            >
              Delete
            </Button>
          </div>
        </Dialog>
      )}
    </>
  );
}

/** What can be done with a source as it stands. */
export function SourceActions({ source }: { source: Source }) {
  const command = useSourceCommand(source.name);
  const button = (name: SourceCommand, label: string, kind: ButtonKind = "secondary") => (
    <Button
      kind={kind}
      busy={command.isPending && command.variables === name}
      disabled={command.isPending}
      onClick={() => command.mutate(name)}
    >
      {label}
    </Button>
  );
  return (
    <>
      {source.waitsForApproval && (
        <ButtonLink to="?tab=review" kind="primary">
          Review the fix
        </ButtonLink>
      )}
      {source.state === "QUARANTINED" && button("release", "Release from quarantine", "primary")}
      {button("run", "Run now")}
      {button("heal", "Run the Doctor")}
      <DeleteButton name={source.name} />
    </>
  );
}
