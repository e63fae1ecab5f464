import { useEffect, useId, useRef, type KeyboardEvent, type ReactNode } from "react";
import { useSearchParams } from "react-router";

export interface Tab {
  key: string;
  label: string;
  /** How many there are, when that is known. */
  count?: number | undefined;
  content: () => ReactNode;
}

const STEPS: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 };

interface TabsProps {
  label: string;
  tabs: readonly Tab[];
  /** Key of the tab that is open if the address names none; the first one by default. */
  initial?: string;
}

/** Tabs by the WAI-ARIA pattern; which one is open stands in the address, so that it can be linked to. */
export function Tabs({ label, tabs, initial }: TabsProps) {
  const id = useId();
  const [search, setSearch] = useSearchParams();
  const list = useRef<HTMLDivElement>(null);
  const byKey = (wanted: string | null | undefined) => tabs.find(({ key }) => key === wanted);
  const open = byKey(search.get("tab")) ?? byKey(initial) ?? tabs[0];
  const openKey = open?.key;
  // On a narrow screen the open tab may be beyond the edge, such as when a link led to it.
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>("[aria-selected=true]");
    if (list.current && tab)
      list.current.scrollLeft = tab.offsetLeft - (list.current.clientWidth - tab.clientWidth) / 2;
  }, [openKey]);
  if (!open) return null;

  const select = (key: string) =>
    setSearch(
      (previous) => {
        previous.set("tab", key);
        return previous;
      },
      { replace: true, preventScrollReset: true },
    );

  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = tabs[(tabs.indexOf(open) + step + tabs.length) % tabs.length];
    if (!next) return;
    select(next.key);
    list.current?.querySelector<HTMLElement>(`[data-tab="${next.key}"]`)?.focus();
  };

  return (
    <div className="min-w-0 rounded-lg border border-line bg-surface shadow-card">
      <div
        ref={list}
        role="tablist"
        aria-label={label}
        className="scroll-hint relative flex overflow-x-auto rounded-t-lg border-b border-line px-2"
      >
        {tabs.map(({ key, label, count }) => (
          <button
            key={key}
            type="button"
            role="tab"
            id={`${id}-${key}`}
            data-tab={key}
            aria-selected={key === open.key}
            aria-controls={`${id}-panel`}
            tabIndex={key === open.key ? 0 : -1}
            onClick={() => select(key)}
            onKeyDown={onKeyDown}
            className="-mb-px flex min-h-11 items-center gap-1.5 border-b-2 border-transparent px-3 font-medium whitespace-nowrap text-muted -outline-offset-2 hover:text-ink aria-selected:border-accent aria-selected:text-ink"
          >
            {label}
            {count !== undefined && <span className="rounded-full bg-sunken px-1.5 text-xs text-muted">{count}</span>}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${open.key}`} className="min-w-0">
        {open.content()}
      </div>
    </div>
  );
}
