import type { Workflow } from "../api/types";
import { formatMillis, words } from "../ui/format";
import { Icon, type IconName } from "../ui/icon";
import type { NodeProgress, NodeState, RunProgress } from "./run-progress";
import { columnOf, END, linesOf, type EdgeLine } from "./workflow-layout";

const ROW = 52;
const BOX = 36;
const LANE = 14;

const LOOKS: Record<NodeState, { box: string; icon: IconName | undefined; text: string }> = {
  waiting: { box: "border-line bg-surface text-muted", icon: undefined, text: "waiting" },
  running: { box: "border-info bg-info-soft text-info ring-1 ring-info", icon: "spinner", text: "running" },
  done: { box: "border-good bg-good-soft text-good", icon: "check", text: "done" },
  stopped: { box: "border-line-strong bg-sunken text-ink", icon: "stop", text: "stopped" },
  failed: { box: "border-bad bg-bad-soft text-bad", icon: "cross", text: "failed" },
};

/** The curve of a line that leaves the column, into its lane and back. */
function curve({ from, to, lane = 0 }: EdgeLine): string {
  const start = from * ROW + BOX / 2 + (to < from ? -5 : 5);
  const end = to * ROW + BOX / 2 + (to < from ? 5 : -5);
  const out = 8 + (lane + 1) * LANE;
  const bend = start < end ? 6 : -6;
  return `M0 ${start} H${out - 6} q6 0 6 ${bend} V${end - bend} q0 ${bend} -6 ${bend} H4`;
}

function NodeBox({ name, progress, isEnd }: { name: string; progress: NodeProgress | undefined; isEnd: boolean }) {
  const { state = "waiting", visits = 0, millis = 0, attempt = 0, error } = progress ?? {};
  const { box, icon, text } = LOOKS[state];
  return (
    <li
      data-node={name}
      data-state={state}
      style={{ height: BOX, marginBottom: ROW - BOX }}
      className={`flex items-center gap-2 rounded-md border px-3 max-sm:px-2 ${box} ${isEnd ? "border-dashed" : ""}`}
      aria-current={state === "running" ? "step" : undefined}
      title={state === "failed" ? error : undefined}
    >
      {icon ? (
        <Icon name={icon} />
      ) : (
        <span aria-hidden="true" className="mx-1 size-2 shrink-0 rounded-full bg-line-strong" />
      )}
      <span className="min-w-0 flex-1 leading-4 font-medium">{words(name)}</span>
      <span className="sr-only">{text}</span>
      <span className="flex gap-x-2 text-xs leading-4 whitespace-nowrap max-sm:flex-col max-sm:items-end">
        {visits > 1 && <span>{visits}×</span>}
        {attempt > 1 && state === "running" && <span>try {attempt}</span>}
        {millis > 0 && <span>{formatMillis(millis)}</span>}
      </span>
    </li>
  );
}

/** The errors of the agents that failed. */
function Errors({ progress }: { progress: RunProgress }) {
  const failed = [...progress.nodes].filter(([, { state, error }]) => state === "failed" && error);
  if (failed.length === 0) return null;
  return (
    <ul aria-label="Errors of agents" className="mt-4 flex flex-col gap-2 border-t border-line pt-3">
      {failed.map(([node, { error }]) => (
        <li key={node} className="flex items-start gap-2 text-bad">
          <Icon name="cross" className="mt-0.5" />
          <span className="min-w-0 wrap-anywhere">
            <span className="font-medium">{words(node)}</span>: {error}
          </span>
        </li>
      ))}
    </ul>
  );
}

interface WorkflowGraphProps {
  workflow: Workflow;
  progress: RunProgress;
  /** True if the run is over and did not succeed. */
  isFailed?: boolean;
}

/** The agents of a workflow and where the run is among them. */
export function WorkflowGraph({ workflow, progress, isFailed = false }: WorkflowGraphProps) {
  const column = columnOf(workflow);
  const lines = linesOf(workflow);
  const beside = lines.filter(({ lane }) => lane !== undefined);
  const lanes = beside.reduce((most, { lane = 0 }) => Math.max(most, lane + 1), 0);
  const width = 12 + lanes * LANE;
  const height = column.length * ROW - (ROW - BOX);
  const states = [...progress.nodes.values()].map(({ state }) => state);
  const end: NodeState = states.includes("stopped")
    ? "stopped"
    : isFailed || states.includes("failed")
      ? "failed"
      : states.every((state) => state === "done")
        ? "done"
        : "stopped";
  const ended: NodeProgress | undefined =
    progress.stopReason === undefined ? undefined : { state: end, visits: 1, millis: 0, attempt: 1 };
  return (
    <>
      <div className="flex">
        <div className="relative min-w-0 flex-1">
          <ol aria-label="Agents">
            {column.map((name) => (
              <NodeBox
                key={name}
                name={name}
                isEnd={name === END}
                progress={name === END ? ended : progress.nodes.get(name)}
              />
            ))}
          </ol>
          <svg aria-hidden="true" className="pointer-events-none absolute top-0 left-0 h-full w-8 text-line-strong">
            {lines
              .filter(({ lane }) => lane === undefined)
              .map(({ from }) => (
                <g key={from} transform={`translate(20 ${from * ROW + BOX})`} stroke="currentColor" fill="none">
                  <path d={`M0 0 V${ROW - BOX - 1} M-3 ${ROW - BOX - 5} l3 4 l3 -4`} />
                </g>
              ))}
          </svg>
        </div>
        <svg aria-hidden="true" width={width} height={height} className="shrink-0 text-line-strong">
          {beside.map((line) => (
            <g key={`${line.from} ${line.to}`} stroke="currentColor" fill="none">
              <path d={curve(line)} strokeDasharray={line.to < line.from ? "4 3" : undefined} />
              <path d={`M6 ${line.to * ROW + BOX / 2 + (line.to < line.from ? 5 : -5) - 3} l-4 3 l4 3`} />
              {line.label && <title>{line.label}</title>}
            </g>
          ))}
        </svg>
      </div>
      <Errors progress={progress} />
    </>
  );
}
