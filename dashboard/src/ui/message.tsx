import type { ReactNode } from "react";
import { describeError } from "../api/describe";
import { Button } from "./button";
import { Icon, type IconName } from "./icon";

interface MessageProps {
  icon?: IconName;
  title: string;
  /** What to do next. */
  children?: ReactNode;
  action?: ReactNode;
}

/** Something in place of content: nothing there yet, or a failure; always with what to do next. */
export function Message({ icon = "info", title, children, action }: MessageProps) {
  return (
    <div className="flex flex-col items-center gap-2 px-4 py-8 text-center">
      <span className="grid size-9 place-items-center rounded-full bg-sunken text-muted">
        <Icon name={icon} />
      </span>
      <p className="font-semibold">{title}</p>
      {children && <div className="max-w-prose text-muted text-pretty">{children}</div>}
      {action && <div className="mt-2 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}

/** A failure in words, with Retry where that may help. */
export function Failure({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) {
  const { title, message, canRetry } = describeError(error);
  return (
    <div role="alert">
      <Message icon="warning" title={title} action={canRetry && onRetry && <Button onClick={onRetry}>Retry</Button>}>
        {message}
      </Message>
    </div>
  );
}
