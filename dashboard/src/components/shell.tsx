import { useQuery } from "@tanstack/react-query";
import { Suspense, useEffect, useRef, useState } from "react";
import { NavLink, Outlet, useLocation } from "react-router";
import { overview } from "../api/queries";
import { useSession } from "../store/session";
import { Icon } from "../ui/icon";
import { lazyPart } from "../ui/lazy-part";
import { Skeleton } from "../ui/skeleton";
import { ConnectionBanner } from "./connection-banner";
import { ErrorBoundary } from "./error-boundary";
import { PLACES } from "./places";
import { PALETTE_KEYS, useShortcutKeys, type Overlay } from "./shortcuts";
import { ThemeSwitch } from "./theme-switch";
import { Toaster } from "./toaster";

const CommandPalette = lazyPart(async () => (await import("./command-palette")).CommandPalette);
const ShortcutList = lazyPart(async () => (await import("./shortcut-list")).ShortcutList);
const TokenDialog = lazyPart(async () => (await import("./token-dialog")).TokenDialog);

function useCounts(): Record<string, number | undefined> {
  const { data } = useQuery(overview());
  if (!data) return {};
  return { "/queue": data.queue.pending + data.queue.running, "/needs": data.needsYou };
}

function Places({ onGo }: { onGo?: () => void }) {
  const counts = useCounts();
  return (
    <ul className="flex flex-col gap-0.5">
      {PLACES.map(([to, label, icon]) => (
        <li key={to}>
          <NavLink
            to={to}
            end={to === "/"}
            {...(onGo && { onClick: onGo })}
            className="flex min-h-9 items-center gap-2.5 rounded-md px-2.5 font-medium text-muted hover:bg-sunken hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:font-semibold aria-[current=page]:text-accent"
          >
            <Icon name={icon} />
            <span className="flex-1">{label}</span>
            {(counts[to] ?? 0) > 0 && <span className="text-xs">{counts[to]}</span>}
          </NavLink>
        </li>
      ))}
    </ul>
  );
}

function Brand() {
  return (
    <NavLink to="/" className="flex items-center gap-2 rounded text-base font-semibold tracking-tight">
      <span className="grid size-6 place-items-center rounded-md bg-accent text-on-accent">
        <Icon name="overview" />
      </span>
      autoheal
    </NavLink>
  );
}

function PaletteButton({ onOpen, className }: { onOpen: () => void; className: string }) {
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      aria-keyshortcuts="Control+K Meta+K"
      onClick={onOpen}
      className={`flex min-h-9 items-center gap-2.5 rounded-md text-muted hover:text-ink ${className}`}
    >
      <Icon name="search" />
      Go to
      <kbd className="ms-auto font-sans text-xs max-lg:hidden">{PALETTE_KEYS}</kbd>
    </button>
  );
}

function Version() {
  const { data } = useQuery(overview());
  return <span className="text-xs text-muted">{data && `version ${data.version}`}</span>;
}

function TopBar({ onSearch }: { onSearch: () => void }) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!open) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      setOpen(false);
      button.current?.focus();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [open]);
  return (
    <header className="sticky top-0 z-20 border-b border-line bg-surface lg:hidden">
      <div className="flex h-12 items-center justify-between px-4">
        <Brand />
        <PaletteButton onOpen={onSearch} className="ms-auto me-3 px-2 font-medium" />
        <button
          ref={button}
          type="button"
          aria-expanded={open}
          aria-controls="places"
          onClick={() => setOpen(!open)}
          className="-me-2 inline-flex min-h-9 items-center gap-2 rounded-md px-2 font-medium text-muted hover:text-ink"
        >
          <Icon name={open ? "close" : "menu"} />
          Menu
        </button>
      </div>
      <nav id="places" aria-label="Main" hidden={!open} className="border-t border-line p-3">
        <Places onGo={() => setOpen(false)} />
        <div className="mt-3 flex items-center justify-between px-2.5">
          <Version />
          <ThemeSwitch />
        </div>
      </nav>
    </header>
  );
}

function SideBar({ onSearch }: { onSearch: () => void }) {
  return (
    <nav
      aria-label="Main"
      className="sticky top-0 hidden h-dvh w-52 shrink-0 flex-col border-e border-line bg-surface p-3 lg:flex"
    >
      <div className="px-2.5 pt-1 pb-4">
        <Brand />
      </div>
      <PaletteButton onOpen={onSearch} className="mb-3 border border-line-strong px-2.5" />
      <Places />
      <div className="mt-auto flex flex-col gap-2 px-2.5">
        <ThemeSwitch />
        <Version />
      </div>
    </nav>
  );
}

/** What lies over the page; it is loaded when it is wanted. */
function Overlays({ overlay, setOverlay }: { overlay: Overlay | undefined; setOverlay: (open?: Overlay) => void }) {
  const isTokenWanted = useSession((state) => state.tokenWanted);
  const close = () => setOverlay();
  return (
    <ErrorBoundary key={overlay}>
      <Suspense>
        {isTokenWanted && <TokenDialog />}
        {overlay === "palette" && <CommandPalette onClose={close} showShortcuts={() => setOverlay("shortcuts")} />}
        {overlay === "shortcuts" && <ShortcutList onClose={close} />}
      </Suspense>
    </ErrorBoundary>
  );
}

/** The frame around all pages. */
export function Shell() {
  const { pathname, hash } = useLocation();
  const [overlay, setOverlay] = useState<Overlay>();
  useShortcutKeys(setOverlay);
  const search = () => setOverlay("palette");
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  // A change of page is no load of a document: the focus has to be taken to where the new content begins.
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    // A page that is opened at a part of it takes the focus there.
    if (hash) return;
    main.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [pathname, hash]);
  return (
    <div className="lg:flex">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-40 focus:rounded-md focus:bg-accent focus:px-3 focus:py-2 focus:text-on-accent"
      >
        Skip to content
      </a>
      <SideBar onSearch={search} />
      <TopBar onSearch={search} />
      <div className="min-w-0 flex-1">
        <ConnectionBanner />
        <Overlays overlay={overlay} setOverlay={setOverlay} />
        <main ref={main} id="main" tabIndex={-1} className="min-w-0">
          <ErrorBoundary key={pathname}>
            <Suspense fallback={<Skeleton lines={10} className="h-8" />}>
              <Outlet />
            </Suspense>
          </ErrorBoundary>
        </main>
      </div>
      <Toaster />
    </div>
  );
}
