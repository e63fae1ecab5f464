import { useState } from "react";
import { useChangeSource } from "../api/source-actions";
import type { Source } from "../api/types";
import { Button } from "../ui/button";
import { Field } from "../ui/field";
import { SourceChoices } from "./source-choices";
import { EMPTY_SOURCE, sourceProblem } from "./source-form";

/** The schedule of a source, who approves its fixes, and what a run with uncertain fields gives. */
export function SourceSettings({ source }: { source: Source }) {
  const [minutes, setMinutes] = useState(String(source.intervalSeconds / 60));
  const [schedule, setSchedule] = useState(source.schedule ?? "");
  const [choices, setChoices] = useState({ healPolicy: source.healPolicy, onUncertain: source.onUncertain });
  const change = useChangeSource(source.name);
  const problem = sourceProblem("minutes", { ...EMPTY_SOURCE, minutes });
  return (
    <form
      noValidate
      aria-label="Settings"
      className="grid max-w-lg grid-cols-1 gap-4 p-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (problem === undefined)
          change.mutate({ intervalSeconds: Number(minutes) * 60, schedule: schedule.trim(), ...choices });
      }}
    >
      <Field
        label="Read every (minutes)"
        inputMode="numeric"
        value={minutes}
        error={problem}
        onChange={(event) => setMinutes(event.target.value)}
      />
      <Field
        label="Or at set times"
        placeholder="0 6 * * *"
        hint="A cron expression in UTC, which takes precedence over the interval. Empty: at the interval."
        value={schedule}
        onChange={(event) => setSchedule(event.target.value)}
      />
      <SourceChoices {...choices} onChange={setChoices} />
      <div>
        <Button type="submit" kind="primary" busy={change.isPending}>
          Save
        </Button>
      </div>
    </form>
  );
}
