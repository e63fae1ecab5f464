import type { ButtonHTMLAttributes } from "react";
import { Link, type LinkProps } from "react-router";
import { Icon, type IconName } from "./icon";

export type ButtonKind = "primary" | "secondary" | "danger" | "quiet";

const KINDS: Record<ButtonKind, string> = {
  primary: "bg-accent text-on-accent border-transparent hover:brightness-110 font-semibold",
  secondary: "bg-surface text-ink border-line-strong hover:bg-sunken font-medium",
  danger: "bg-surface text-bad border-bad hover:bg-bad-soft font-medium",
  quiet: "border-transparent text-muted hover:bg-sunken hover:text-ink font-medium",
};

function look(kind: ButtonKind): string {
  return (
    "inline-flex min-h-8 items-center justify-center gap-1.5 rounded-md border px-3 py-1 text-sm whitespace-nowrap " +
    `transition-colors disabled:opacity-60 disabled:hover:brightness-100 ${KINDS[kind]}`
  );
}

interface Shared {
  kind?: ButtonKind;
  icon?: IconName;
}

/** A button; `busy` keeps its width and says that it works. */
export function Button({
  kind = "secondary",
  icon,
  busy = false,
  className = "",
  children,
  disabled,
  type = "button",
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & Shared & { busy?: boolean }) {
  const shown = busy ? "spinner" : icon;
  return (
    <button
      type={type}
      className={`${look(kind)} ${className}`}
      disabled={disabled === true || busy}
      aria-busy={busy}
      {...rest}
    >
      {shown && <Icon name={shown} />}
      {children}
    </button>
  );
}

/** A link that looks like a button: it leads somewhere. */
export function ButtonLink({ kind = "secondary", icon, className = "", children, ...rest }: LinkProps & Shared) {
  return (
    <Link className={`${look(kind)} ${className}`} {...rest}>
      {icon && <Icon name={icon} />}
      {children}
    </Link>
  );
}
