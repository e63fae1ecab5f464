import { useRef, useState } from "react";
import { Button } from "./button";

interface CopyTextProps {
  text: string;
  /** Accessible name of the button. */
  label: string;
}

/** A text with a button that copies it. Without access to the clipboard, the button selects the text. */
export function CopyText({ text, label }: CopyTextProps) {
  const code = useRef<HTMLElement>(null);
  const [state, setState] = useState<"copied" | "selected">();
  const select = () => {
    if (code.current) window.getSelection()?.selectAllChildren(code.current);
    setState("selected");
  };
  const copy = () => {
    // Browsers have a clipboard only for pages from https or from this machine.
    const clipboard = navigator.clipboard as Clipboard | undefined;
    if (clipboard) clipboard.writeText(text).then(() => setState("copied"), select);
    else select();
  };
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-2">
      <code ref={code} className="rounded bg-sunken px-2 py-1 font-mono text-xs wrap-anywhere">
        {text}
      </code>
      <Button icon={state === "copied" ? "check" : "copy"} aria-label={label} onClick={copy}>
        {state === "copied" ? "Copied" : "Copy"}
      </Button>
      <span role="status" className="text-xs text-muted">
        {state === "selected" && "Selected: press Ctrl+C or ⌘C."}
      </span>
    </span>
  );
}
