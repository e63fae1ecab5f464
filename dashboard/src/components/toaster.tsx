import { useEffect } from "react";
import { useToasts, type Toast } from "../store/toasts";
import { Button } from "../ui/button";
import { Icon } from "../ui/icon";

const GOOD_NEWS_MILLIS = 5_000;
/** Good news with a button stays long enough to reach it. */
const ACTION_MILLIS = 20_000;
const EDGES = { bad: "border-s-bad", good: "border-s-good", info: "border-s-info" };
const COLOURS = { bad: "text-bad", good: "text-good", info: "text-info" };

function ToastCard({ toast }: { toast: Toast }) {
  const dismiss = useToasts((state) => state.dismiss);
  const { id, tone, title, message, action } = toast;
  const hasAction = action !== undefined;
  // Good news goes by itself; a failure stays until it is read.
  useEffect(() => {
    if (tone !== "good") return;
    const timer = setTimeout(() => dismiss(id), hasAction ? ACTION_MILLIS : GOOD_NEWS_MILLIS);
    return () => clearTimeout(timer);
  }, [id, tone, hasAction, dismiss]);
  return (
    <li
      className={`pointer-events-auto flex items-start gap-3 rounded-md border border-s-4 border-line bg-surface p-3 shadow-lg ${EDGES[tone]}`}
    >
      <Icon
        name={tone === "good" ? "check" : tone === "bad" ? "warning" : "info"}
        className={`mt-0.5 ${COLOURS[tone]}`}
      />
      <div className="min-w-0 flex-1">
        <p className="font-semibold">{title}</p>
        {message && <p className="mt-0.5 text-muted">{message}</p>}
        {action && (
          <Button
            className="mt-2"
            onClick={() => {
              dismiss(id);
              action.act();
            }}
          >
            {action.label}
          </Button>
        )}
      </div>
      <button
        type="button"
        aria-label="Dismiss"
        onClick={() => dismiss(id)}
        className="-m-1 rounded p-1 text-muted hover:text-ink"
      >
        <Icon name="close" />
      </button>
    </li>
  );
}

/** What just happened, over the page's lower end. */
export function Toaster() {
  const toasts = useToasts((state) => state.toasts);
  return (
    <section
      aria-label="Notices"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-4 bottom-4 z-30 sm:left-auto sm:w-96"
    >
      <ul className="flex flex-col gap-2">
        {toasts.map((toast) => (
          <ToastCard key={toast.id} toast={toast} />
        ))}
      </ul>
    </section>
  );
}
