/**
 * A path or an address on one line: its beginning gives way, its end, which tells it apart, stays. Only for rows that lead
 * to a page with the whole text.
 */
export function LongPath({ text }: { text: string }) {
  const cut = text.replace(/\/$/, "").lastIndexOf("/") + 1;
  return (
    <span title={text} className="flex max-w-full min-w-0 font-mono text-xs" data-testid="long-path">
      <span className="min-w-0 truncate text-muted">{text.slice(0, cut)}</span>
      <span className="max-w-full shrink-0 truncate">{text.slice(cut)}</span>
    </span>
  );
}

/** Output of programs: kept as it is, scrolled in its own box. */
export function Preformatted({ label, children }: { label: string; children: string }) {
  return (
    <pre
      role="region"
      aria-label={label}
      tabIndex={0}
      className="max-h-96 overflow-auto bg-sunken/60 p-3 font-mono text-xs leading-5"
    >
      {children}
    </pre>
  );
}
