/** Line icons on a grid of 16, drawn by us. They only ever stand beside words, so they are hidden from screen readers. */

const PATHS = {
  overview: "M2.5 8.5h3l1.5-5 3 9 1.5-4h2",
  runs: "M3 4h10M3 8h10M3 12h6",
  sources:
    "M8 2.5c3 0 5 .9 5 2s-2 2-5 2-5-.9-5-2 2-2 5-2ZM3 4.5v7c0 1.1 2 2 5 2s5-.9 5-2v-7M3 8c0 1.1 2 2 5 2s5-.9 5-2",
  queue: "M3 3h10v3H3zM3 10h10v3H3z",
  alerts: "M8 2.5a3.5 3.5 0 0 0-3.5 3.5c0 3.5-1.5 4.5-1.5 5h10c0-.5-1.5-1.5-1.5-5A3.5 3.5 0 0 0 8 2.5ZM6.7 13.5h2.6",
  usage: "M3 13.5v-4M6.5 13.5v-8M10 13.5V7M13.5 13.5V3",
  reference: "M6 4 2.5 8 6 12M10 4l3.5 4-3.5 4",
  search: "M7 3a4 4 0 1 1 0 8 4 4 0 0 1 0-8ZM10 10l3.5 3.5",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  close: "M4 4l8 8M12 4l-8 8",
  check: "M3.5 8.5 6.5 11.5 12.5 5",
  cross: "M4.5 4.5l7 7M11.5 4.5l-7 7",
  clock: "M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11ZM8 5v3.2l2 1.3",
  spinner: "M8 2.5A5.5 5.5 0 1 1 2.5 8",
  warning: "M8 2.5 14 13H2ZM8 6.5v3M8 11.2v.3",
  info: "M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11ZM8 7.3v3.4M8 5v.3",
  pause: "M5.5 4v8M10.5 4v8",
  stop: "M4.5 4.5h7v7h-7z",
  offline: "M2.5 2.5l11 11M3 7.5a7 7 0 0 1 3-1.8M13 7.5a7 7 0 0 0-3.5-1.9M5.5 10a3.6 3.6 0 0 1 2-.9M8 12.8v.2",
  arrow: "M3 8h10M9.5 4.5 13 8l-3.5 3.5",
  back: "M13 8H3M6.5 4.5 3 8l3.5 3.5",
  external: "M6.5 3.5h-3v9h9v-3M9 3h4v4M13 3 7.5 8.5",
  plus: "M8 3.5v9M3.5 8h9",
  up: "M4.5 9.5 8 6l3.5 3.5",
  down: "M4.5 6.5 8 10l3.5-3.5",
  updown: "M5 6.5 8 3.5l3 3M5 9.5l3 3 3-3",
  sun: "M8 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6ZM8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9",
  moon: "M13 9.6A5.3 5.3 0 0 1 6.4 3 5.3 5.3 0 1 0 13 9.6Z",
  system: "M2.5 3.5h11v7.5h-11zM6 13.5h4M8 11v2.5",
  branch: "M5 3v7M5 13a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM11 6a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM11 6c0 3-6 2-6 4",
  copy: "M6 5.5h7v8H6zM10 5.5v-3H3v8h3",
  download: "M8 2.5v8M4.5 7.5 8 11l3.5-3.5M3 13.5h10",
  heal: "M8 3.5v9M3.5 8h9",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, className = "" }: { name: IconName; className?: string }) {
  return (
    <svg
      viewBox="0 0 16 16"
      className={`size-4 shrink-0 ${name === "spinner" ? "spinning" : ""} ${className}`}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
