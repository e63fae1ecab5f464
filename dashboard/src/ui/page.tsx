import type { ReactNode } from "react";
import { Link } from "react-router";
import { useLists } from "../store/lists";
import { Icon } from "./icon";

interface PageProps {
  title: string;
  /** What the tab of the browser says, if that is not the title: a run says how it is. */
  tab?: string | undefined;
  /** The list that this belongs to: the way back leads to it as it was displayed last. */
  back?: { to: string; label: string };
  /** Beneath the title: what this is, or the state of it. */
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** The frame of a page: way back, title, state, actions. */
export function Page({ title, tab = title, back, lead, actions, children }: PageProps) {
  const searches = useLists((state) => state.searches);
  return (
    <div className="mx-auto w-full max-w-[100rem] px-4 py-5 sm:px-6">
      <title>{`${tab} · autoheal`}</title>
      {back && (
        <Link
          to={back.to + (searches[back.to] ?? "")}
          className="mb-1 inline-flex items-center gap-1 text-xs text-muted hover:text-ink"
        >
          <Icon name="back" className="size-3" />
          {back.label}
        </Link>
      )}
      <div className="mb-5 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <h1 className="text-xl font-semibold tracking-tight break-words">{title}</h1>
          {lead && <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">{lead}</div>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </div>
      <div className="flex flex-col gap-5">{children}</div>
    </div>
  );
}
