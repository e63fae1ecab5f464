import { useConnection } from "../store/connection";
import { Icon } from "../ui/icon";

/** Says when what is shown may be out of date. */
export function ConnectionBanner() {
  const { online, reachable } = useConnection();
  const text = !online
    ? "You are offline. What you see may be out of date."
    : !reachable
      ? "The server does not answer. What you see may be out of date; the page keeps trying."
      : undefined;
  return (
    <div role="status">
      {text && (
        <p className="flex items-center justify-center gap-2 border-b border-warn bg-warn-soft px-4 py-1.5 text-center text-warn">
          <Icon name="offline" />
          {text}
        </p>
      )}
    </div>
  );
}
