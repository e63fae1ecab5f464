const WIDTH = 300;
const HEIGHT = 48;
const LINE = 0.5;
/** A number that is not zero is visible, however large the others are. */
const LOWEST = 2;

export interface DayBar {
  /** The day and its numbers, as a tooltip. */
  title: string;
  up: number;
  /** The opposite of `up`, in the same unit; it is drawn below the line. */
  down?: number;
}

interface DayChartProps {
  /** The oldest first. */
  days: readonly DayBar[];
  /** What the chart shows, in words. */
  label: string;
}

/** Numbers of days as bars: what is good upwards, its opposite downwards. */
export function DayChart({ days, label }: DayChartProps) {
  const isOpposed = days.some(({ down }) => down !== undefined);
  const highest = Math.max(...days.map(({ up }) => up), 0);
  const deepest = Math.max(...days.map(({ down = 0 }) => down), 0);
  // Small numbers on both sides of the line keep their least heights.
  const scale = (HEIGHT - LINE - 2 * LOWEST) / Math.max(highest + deepest, Number.MIN_VALUE);
  const heightOf = (value: number) => (value > 0 ? Math.max(value * scale, LOWEST) : 0);
  const line = HEIGHT - LINE - heightOf(deepest);
  const step = WIDTH / Math.max(days.length, 1);
  return (
    <svg role="img" aria-label={label} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className="w-full" fill="currentColor">
      {days.map(({ title, up, down = 0 }, index) => {
        const bar = { x: index * step, width: step * 0.8 };
        return (
          <g key={index}>
            <title>{title}</title>
            <rect x={index * step} width={step} height={HEIGHT} fill="transparent" />
            <rect
              {...bar}
              y={line - heightOf(up)}
              height={heightOf(up)}
              className={isOpposed ? "text-good" : "text-accent"}
            />
            <rect {...bar} y={line} height={heightOf(down)} className="text-bad" />
          </g>
        );
      })}
      <rect y={line} width={WIDTH} height={LINE} className="text-muted" />
    </svg>
  );
}
