import type { HealPolicy, WhenUncertain } from "../api/types";
import { Select } from "../ui/field";

const POLICIES = [
  { value: "auto", label: "As soon as it passes the validation" },
  { value: "review", label: "After you approve it" },
];

const FATES = [
  { value: "skip_run", label: "Accept nothing of the run" },
  { value: "skip_field", label: "Accept the other fields" },
];

interface Choices {
  healPolicy: HealPolicy;
  onUncertain: WhenUncertain;
}

/** Who approves fixes, and what a run with uncertain fields gives. */
export function SourceChoices(props: Choices & { onChange: (choices: Choices) => void }) {
  const { healPolicy, onUncertain, onChange } = props;
  return (
    <>
      <Select
        label="Activate a fixed recipe"
        options={POLICIES}
        value={healPolicy}
        onChange={(event) => onChange({ onUncertain, healPolicy: event.target.value === "review" ? "review" : "auto" })}
      />
      <Select
        label="If a field is uncertain"
        options={FATES}
        value={onUncertain}
        onChange={(event) =>
          onChange({ healPolicy, onUncertain: event.target.value === "skip_field" ? "skip_field" : "skip_run" })
        }
      />
    </>
  );
}
