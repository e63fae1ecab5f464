import { useId, type InputHTMLAttributes, type ReactNode, type SelectHTMLAttributes } from "react";
import { Icon } from "./icon";

const BOX =
  "block h-9 w-full min-w-0 rounded-md border bg-surface px-2.5 text-base sm:text-sm text-ink disabled:opacity-60 " +
  "aria-invalid:border-bad border-line-strong";

const LABEL = "mb-1 block text-xs font-medium text-muted";

interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
}

/** A text field with its label, its hint, and what is wrong with it. */
export function Field({ label, hint, error, className = "", ...input }: FieldProps) {
  const id = useId();
  const describedBy = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(" ");
  return (
    <div className={className}>
      <label htmlFor={id} className={LABEL}>
        {label}
      </label>
      <input
        id={id}
        className={BOX}
        aria-invalid={error !== undefined}
        aria-describedby={describedBy || undefined}
        {...input}
      />
      {error !== undefined && (
        <p id={`${id}-error`} role="alert" className="mt-1 flex items-start gap-1 text-xs text-bad">
          <Icon name="warning" className="mt-px size-3.5" />
          {error}
        </p>
      )}
      {hint && (
        <p id={`${id}-hint`} className="mt-1 text-xs text-muted">
          {hint}
        </p>
      )}
    </div>
  );
}

interface SelectProps extends SelectHTMLAttributes<HTMLSelectElement> {
  label: string;
  options: readonly { value: string; label: string }[];
}

/** A choice of a few. */
export function Select({ label, options, className = "", ...select }: SelectProps) {
  const id = useId();
  return (
    <div className={className}>
      <label htmlFor={id} className={LABEL}>
        {label}
      </label>
      <select id={id} className={BOX} {...select}>
        {options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </div>
  );
}
