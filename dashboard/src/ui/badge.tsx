import type { ReactNode } from "react";
import { Icon, type IconName } from "./icon";

export type Tone = "good" | "bad" | "warn" | "info" | "neutral";

/** The colours of a tone; `index.css` says which colour each role has. */
export const TONES: Record<Tone, string> = {
  good: "bg-good-soft text-good",
  bad: "bg-bad-soft text-bad",
  warn: "bg-warn-soft text-warn",
  info: "bg-info-soft text-info",
  neutral: "bg-sunken text-muted",
};

const ICONS: Record<Tone, IconName | undefined> = {
  good: "check",
  bad: "cross",
  warn: "warning",
  info: "info",
  neutral: undefined,
};

interface BadgeProps {
  tone: Tone;
  /** Instead of the tone's own icon; `false` for none. */
  icon?: IconName | false | undefined;
  children: ReactNode;
}

/** A state in one word, told by colour, icon and text alike. */
export function Badge({ tone, icon, children }: BadgeProps) {
  const shown = icon === false ? undefined : (icon ?? ICONS[tone]);
  return (
    <span
      data-tone={tone}
      className={`inline-flex h-5 items-center align-middle gap-1 rounded px-1.5 text-xs font-semibold whitespace-nowrap ${TONES[tone]}`}
    >
      {shown && <Icon name={shown} className="size-3" />}
      {children}
    </span>
  );
}
