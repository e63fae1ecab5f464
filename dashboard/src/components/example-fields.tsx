import { Button } from "../ui/button";
import { Field } from "../ui/field";

interface Example {
  field: string;
  value: string;
}

interface ExampleFieldsProps {
  examples: readonly Example[];
  onChange: (examples: readonly Example[]) => void;
}

/** Values as they stand on the page, from which the recipe is learned. */
export function ExampleFields({ examples, onChange }: ExampleFieldsProps) {
  const change = (index: number, part: Partial<Example>) =>
    onChange(examples.map((example, at) => (at === index ? { ...example, ...part } : example)));
  return (
    <fieldset className="min-w-0">
      <legend className="text-xs font-medium text-muted">Examples</legend>
      <p className="mt-1 text-xs text-muted">What you see on the page now, such as “price” and “12.90”. Optional.</p>
      {examples.map(({ field, value }, index) => (
        <div key={index} className="mt-3 grid items-end gap-2 sm:grid-cols-[1fr_2fr_auto]">
          <Field
            label={`Field ${index + 1}`}
            value={field}
            onChange={(event) => change(index, { field: event.target.value })}
          />
          <Field
            label={`Value ${index + 1}`}
            value={value}
            onChange={(event) => change(index, { value: event.target.value })}
          />
          <Button
            kind="quiet"
            icon="close"
            aria-label={`Remove example ${index + 1}`}
            onClick={() => onChange(examples.filter((_, at) => at !== index))}
          >
            Remove
          </Button>
        </div>
      ))}
      <Button className="mt-3" icon="plus" onClick={() => onChange([...examples, { field: "", value: "" }])}>
        Add an example
      </Button>
    </fieldset>
  );
}
