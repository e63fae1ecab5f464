import { useState } from "react";
import { Field } from "../ui/field";

/** Searches when Enter is pressed or the field is left: a request for every letter would be of no use. */
export function SearchFilter({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const [text, setText] = useState(value);
  const apply = () => {
    if (text.trim() !== value) onChange(text.trim());
  };
  return (
    <form
      role="search"
      className="min-w-40 flex-1 sm:max-w-xs"
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <Field
        label="Search"
        type="search"
        placeholder="Part of a name or address"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={apply}
      />
    </form>
  );
}
