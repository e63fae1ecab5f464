import type { Feed } from "../api/run-feed";
import type { RunEvent } from "../api/types";
import { formatMillis, words } from "../ui/format";
import { Icon, type IconName } from "../ui/icon";
import { Message } from "../ui/message";
import { Moment } from "../ui/time";
import { FAILURE_TOPIC } from "./run-progress";
import { lookOf, RUN_LOOKS } from "./tones";

interface Line {
  icon: IconName;
  colour: string;
  /** Subject of the line. */
  label?: string;
  text: string;
}

/** Topics of notes that do not just inform. */
const TOPICS: Record<string, { icon: IconName; colour: string }> = {
  warning: { icon: "warning", colour: "text-warn" },
  refused: { icon: "warning", colour: "text-warn" },
  outage: { icon: "warning", colour: "text-warn" },
  [FAILURE_TOPIC]: { icon: "cross", colour: "text-bad" },
};

function noteLine(topic: string, message: string): Line {
  const look = Object.hasOwn(TOPICS, topic) ? TOPICS[topic] : undefined;
  return { icon: "info", colour: "text-info", ...look, label: words(topic), text: message };
}

/** Returns the line of an event. `hasFailed`: the agent that finishes with this event failed before. */
function lineOf(event: RunEvent, hasFailed: boolean): Line {
  switch (event.type) {
    case "run_started":
      return { icon: "arrow", colour: "text-info", label: "Started", text: event.target };
    case "run_resumed":
      return { icon: "arrow", colour: "text-info", label: "Resumed", text: `at ${words(event.node)}` };
    case "node_started": {
      const attempt = event.attempt > 1 ? `, attempt ${event.attempt}` : "";
      return { icon: "arrow", colour: "text-muted", text: `${words(event.node)} started${attempt}` };
    }
    case "node_failed": {
      const next = event.retry ? "; retrying" : "";
      return { icon: "cross", colour: "text-bad", label: `${words(event.node)} failed`, text: event.error + next };
    }
    case "node_finished": {
      const time = formatMillis(event.millis);
      return hasFailed
        ? { icon: "cross", colour: "text-bad", text: `${words(event.node)} ended without success after ${time}` }
        : { icon: "check", colour: "text-good", text: `${words(event.node)} finished in ${time}` };
    }
    case "run_finished":
      return {
        icon: "stop",
        colour: "text-ink",
        label: event.outcome ? lookOf(RUN_LOOKS, event.outcome).label : "Finished",
        text: event.explanation ?? event.stopReason,
      };
    case "note":
      return noteLine(event.topic, event.message);
    case "progress":
      return { icon: "info", colour: "text-muted", text: event.message };
  }
}

/** Returns the lines of events. An agent that failed for good finishes as well: such an end is no success. */
function linesOf(events: readonly RunEvent[]): (Line & { event: RunEvent })[] {
  const failed = new Set<string>();
  return events.map((event) => {
    if (event.type === "node_started") failed.delete(event.node);
    if (event.type === "node_failed" || (event.type === "note" && event.topic === FAILURE_TOPIC))
      failed.add(event.node);
    return { event, ...lineOf(event, event.type === "node_finished" && failed.has(event.node)) };
  });
}

const STATES: Record<Feed["state"], string> = {
  connecting: "Connecting…",
  live: "Live",
  broken: "The connection to the live events was lost. The page reconnects by itself.",
  ended: "",
};

interface EventLogProps {
  feed: Feed;
  /** Maximum number of lines, the last ones. */
  most?: number;
  /** Error of the run, which no event may have reported. */
  failure?: string | undefined;
}

/** The events of a run with their topics, the newest last, as they come. */
export function EventLog({ feed, most, failure }: EventLogProps) {
  const { events, progress, state } = feed;
  const lines = linesOf(events);
  const shown = most === undefined ? lines : lines.slice(-most);
  const isReported =
    failure === undefined || events.some((event) => "message" in event && event.message.includes(failure));
  return (
    <div className="p-4">
      {events.length === 0 && state !== "connecting" && (
        <Message title="Nothing has happened yet">Events appear here as soon as a worker takes the task.</Message>
      )}
      <ol aria-label="Events" className="flex flex-col gap-1">
        {shown.map(({ event, icon, colour, label, text }) => (
          <li key={event.sequence} className="flex items-start gap-2">
            <span className="shrink-0 font-mono text-xs leading-5 text-muted">
              <Moment at={event.at} />
            </span>
            <Icon name={icon} className={`mt-0.5 ${colour}`} />
            <span className="min-w-0 wrap-anywhere whitespace-pre-line">
              {label && <span className="font-semibold">{label}: </span>}
              {text}
            </span>
          </li>
        ))}
        {state === "ended" && !isReported && (
          <li className="flex items-start gap-2 text-bad">
            <Icon name="cross" className="mt-0.5" />
            <span className="min-w-0 wrap-anywhere">
              <span className="font-semibold">Error: </span>
              {failure}
            </span>
          </li>
        )}
      </ol>
      <p role="status" className="mt-2 flex min-h-5 items-center gap-2 text-xs text-muted">
        {state === "live" && <span aria-hidden="true" className="pulsing size-2 rounded-full bg-good" />}
        <span className="min-w-0 break-words">{progress ?? STATES[state]}</span>
      </p>
    </div>
  );
}
