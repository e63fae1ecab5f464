import type { ReactNode } from "react";

/** `wide`: an address or a name without spaces, which has a line of its own on a narrow screen. */
export type Fact = readonly [label: string, value: ReactNode, wide?: "wide"];

/** Names and values side by side. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-4 sm:grid-cols-[repeat(auto-fill,minmax(11rem,1fr))]">
      {facts.map(([label, value, wide]) => (
        <div key={label} className={`min-w-0 ${wide ? "max-sm:col-span-2" : ""}`}>
          <dt className="text-xs text-muted">{label}</dt>
          <dd className="mt-0.5 font-medium break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A figure to be seen from afar, with what it counts. */
export function Figure({ label, value, note }: { label: string; value: ReactNode; note?: ReactNode }) {
  return (
    <div className="min-w-0 px-4 py-3">
      <dt className="text-xs text-muted">{label}</dt>
      <dd className="mt-0.5 text-2xl leading-8 font-semibold tracking-tight">{value}</dd>
      {note && <dd className="text-xs text-muted">{note}</dd>}
    </div>
  );
}

/** A row of figures. */
export function Figures({ children }: { children: ReactNode }) {
  return (
    <dl className="grid grid-cols-2 divide-line rounded-lg border border-line bg-surface shadow-card sm:grid-cols-[repeat(auto-fit,minmax(9rem,1fr))] sm:divide-x">
      {children}
    </dl>
  );
}
