const WIDTH = 160;
const HEIGHT = 36;
const EDGE = 3;

interface LineChartProps {
  /** The values, the oldest first. */
  values: readonly number[];
  label: string;
}

/** Values over time as a small line; the label says what it shows. */
export function LineChart({ values, label }: LineChartProps) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const place = (value: number, index: number) => {
    const x = EDGE + (index / Math.max(1, values.length - 1)) * (WIDTH - 2 * EDGE);
    const share = high === low ? 0.5 : (value - low) / (high - low);
    return [x, HEIGHT - EDGE - share * (HEIGHT - 2 * EDGE)] as const;
  };
  const points = values.map(place);
  const last = points.at(-1);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      className="h-9 w-40 max-w-full text-accent"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinejoin="round"
    >
      <polyline points={points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ")} />
      {last && <circle cx={last[0]} cy={last[1]} r="2.5" fill="currentColor" stroke="none" />}
    </svg>
  );
}
