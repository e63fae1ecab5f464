import { useId, type ReactNode } from "react";

interface PanelProps {
  title: string;
  /** Beside the title, at the end. */
  aside?: ReactNode;
  /** Tables and lists reach to the edges. */
  flush?: boolean;
  className?: string;
  children: ReactNode;
}

/** A part of a page with its heading. */
export function Panel({ title, aside, flush = false, className = "", children }: PanelProps) {
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      className={`min-w-0 rounded-lg border border-line bg-surface shadow-card ${className}`}
    >
      <header className="flex min-h-11 flex-wrap items-center justify-between gap-x-4 gap-y-1 border-b border-line px-4 py-2">
        <h2 id={id} className="text-sm font-semibold">
          {title}
        </h2>
        {aside && <div className="flex items-center gap-2 text-xs text-muted">{aside}</div>}
      </header>
      <div className={flush ? "" : "p-4"}>{children}</div>
    </section>
  );
}
