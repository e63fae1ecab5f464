import type { ReactNode } from "react";
import { Icon } from "./icon";

/** The address if it is one that a browser may follow: anything but http(s) could be a program. */
export function safeAddress(address: string): string | undefined {
  try {
    const { protocol, href } = new URL(address);
    return protocol === "https:" || protocol === "http:" ? href : undefined;
  } catch {
    return undefined;
  }
}

/** A link to another site, or plain text where the address is not to be followed. */
export function SafeLink({ to, children = to }: { to: string; children?: ReactNode }) {
  const href = safeAddress(to);
  if (!href) return <span className="wrap-anywhere">{children}</span>;
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer"
      className="inline-flex max-w-full items-baseline gap-1 text-accent underline decoration-accent/40 underline-offset-2 hover:decoration-accent"
    >
      <span className="min-w-0 wrap-anywhere">{children}</span>
      <Icon name="external" className="size-3 self-center" />
      <span className="sr-only">(opens in a new tab)</span>
    </a>
  );
}
