import type { Feed } from "../api/run-feed";
import type { RunEvent } from "../api/types";
import { formatMillis, words } from "../ui/format";
import { Icon, type IconName } from "../ui/icon";
import { Message } from "../ui/message";
import { Moment } from "../ui/time";
import { reasonInWords } from "./stop-reasons";

interface Line {
  icon: IconName;
  colour: string;
  text: string;
}

function lineOf(event: RunEvent): Line {
  switch (event.type) {
    case "run_started":
      return { icon: "arrow", colour: "text-info", text: `Began with ${event.target}` };
    case "run_resumed":
      return { icon: "arrow", colour: "text-info", text: `Taken up again at ${words(event.node)}` };
    case "node_started": {
      const attempt = event.attempt > 1 ? `, try ${event.attempt}` : "";
      return { icon: "arrow", colour: "text-muted", text: `${words(event.node)} begins${attempt}` };
    }
    case "node_failed": {
      const next = event.retry ? ". It is tried again." : "";
      return { icon: "cross", colour: "text-bad", text: `${words(event.node)} failed: ${event.error}${next}` };
    }
    case "node_finished":
      return { icon: "check", colour: "text-good", text: `${words(event.node)} done in ${formatMillis(event.millis)}` };
    case "run_finished":
      return { icon: "stop", colour: "text-ink", text: `Over: ${reasonInWords(event.stopReason)}` };
    case "note":
      return event.topic === "warning"
        ? { icon: "warning", colour: "text-warn", text: event.message }
        : { icon: "info", colour: "text-info", text: event.message };
    case "progress":
      return { icon: "info", colour: "text-muted", text: event.message };
  }
}

const STATES: Record<Feed["state"], string> = {
  connecting: "Connecting…",
  live: "Live",
  broken: "The live events broke off. The page asks again by itself.",
  ended: "",
};

/** What happened, newest last, as it comes. */
export function EventLog({ feed, most }: { feed: Feed; most?: number }) {
  const { events, progress, state } = feed;
  const shown = most === undefined ? events : events.slice(-most);
  return (
    <div className="p-4">
      {events.length === 0 && state !== "connecting" && (
        <Message title="Nothing has happened yet">Events appear here as soon as a worker takes the task.</Message>
      )}
      <ol aria-label="Events" className="flex flex-col gap-1">
        {shown.map((event) => {
          const { icon, colour, text } = lineOf(event);
          return (
            <li key={event.sequence} className="flex items-start gap-2">
              <span className="shrink-0 font-mono text-xs leading-5 text-muted">
                <Moment at={event.at} />
              </span>
              <Icon name={icon} className={`mt-0.5 ${colour}`} />
              <span className="min-w-0 break-words whitespace-pre-line">{text}</span>
            </li>
          );
        })}
      </ol>
      <p role="status" className="mt-2 flex min-h-5 items-center gap-2 text-xs text-muted">
        {state === "live" && <span aria-hidden="true" className="pulsing size-2 rounded-full bg-good" />}
        <span className="min-w-0 break-words">{progress ?? STATES[state]}</span>
      </p>
    </div>
  );
}
