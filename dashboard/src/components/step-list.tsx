import { Icon } from "../ui/icon";

/** The seven steps of the specification's API. */
const STEPS = [
  ["analyze_repo", "Analyze repository"],
  ["discover_tests", "Discover tests"],
  ["diagnose_failures", "Diagnose failures"],
  ["generate_fixes", "Generate fixes"],
  ["patch_code", "Patch code"],
  ["commit_push", "Commit and push"],
  ["monitor_ci", "Monitor CI"],
] as const;

interface StepListProps {
  currentStep: string | undefined;
  /** Percent. */
  progress: number | undefined;
}

/** Where in its round a healing is. */
export function StepList({ currentStep, progress }: StepListProps) {
  const current = STEPS.findIndex(([step]) => step === currentStep);
  const percent = Math.min(100, Math.max(0, Math.round(progress ?? 0)));
  return (
    <>
      <div className="mb-1 flex justify-between text-xs text-muted">
        <span id="progress-label">Progress</span>
        <span>{percent} %</span>
      </div>
      <progress aria-labelledby="progress-label" max={100} value={percent} className="meter mb-4 block h-1.5 w-full" />
      <ol className="flex flex-col gap-1">
        {STEPS.map(([step, label], index) => {
          const isCurrent = index === current;
          return (
            <li
              key={step}
              aria-current={isCurrent ? "step" : undefined}
              className={`flex min-h-8 items-center gap-2.5 rounded-md px-2 ${isCurrent ? "bg-info-soft font-semibold text-info" : index < current ? "text-ink" : "text-muted"}`}
            >
              {isCurrent ? (
                <Icon name="spinner" />
              ) : index < current ? (
                <Icon name="check" className="text-good" />
              ) : (
                <span aria-hidden="true" className="grid size-4 place-items-center">
                  <span className="size-1.5 rounded-full bg-line-strong" />
                </span>
              )}
              {label}
            </li>
          );
        })}
      </ol>
    </>
  );
}
