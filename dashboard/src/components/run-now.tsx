import type { Feed } from "../api/run-feed";
import { Figure, Figures } from "../ui/facts";
import { words } from "../ui/format";
import { Panel } from "../ui/panel";
import { Elapsed } from "../ui/time";
import { sentenceOf } from "./repository-fixes";
import { progressOf } from "./run-progress";

/** The node by which each round of a healing begins. */
const FIRST_NODE = "analyze_repo";

/** Returns the notes of a run about accepted changes, in order. */
export function fixNotes({ events }: Feed): string[] {
  return events.flatMap((event) =>
    event.type === "note" && event.topic === "patch" && event.message.includes("→ Fix: ") ? [event.message] : [],
  );
}

/** A run in progress: elapsed time, round, current step, and the fixes so far. */
export function RunNow({ feed, startedAt }: { feed: Feed; startedAt: string }) {
  const { nodes, current } = progressOf(feed.events);
  const round = nodes.get(FIRST_NODE)?.visits;
  const fixes = fixNotes(feed);
  return (
    <>
      <Figures>
        <Figure label="Elapsed" value={<Elapsed since={startedAt} />} />
        {round !== undefined && <Figure label="Round" value={round} />}
        <Figure label="Step" value={<span className="text-base">{current ? words(current) : "Between steps"}</span>} />
        {round !== undefined && <Figure label="Fixes so far" value={fixes.length} />}
      </Figures>
      {fixes.length > 0 && (
        <Panel title="Fixes so far">
          <ol className="list-decimal space-y-1 ps-5">
            {fixes.map((note, index) => (
              <li key={index} className="wrap-anywhere">
                {sentenceOf(note)}
                <span className="block text-xs text-muted">{note.slice(0, note.indexOf(" → "))}</span>
              </li>
            ))}
          </ol>
        </Panel>
      )}
    </>
  );
}
