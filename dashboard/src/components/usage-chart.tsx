import { Bar, BarChart, CartesianGrid, ResponsiveContainer, XAxis, YAxis } from "recharts";
import type { UsageSum } from "../api/types";
import { formatDollars } from "../ui/format";

const TICK = { fill: "var(--muted)", fontSize: 12 };

/** Dollars per row; the table beneath says the same in figures. */
export default function UsageChart({ rows }: { rows: readonly UsageSum[] }) {
  return (
    <div aria-hidden="true" className="h-52 overflow-hidden">
      <ResponsiveContainer width="100%" height="100%" initialDimension={{ width: 600, height: 208 }}>
        <BarChart data={[...rows]} margin={{ left: 0, right: 0, top: 8, bottom: 0 }} accessibilityLayer={false}>
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis dataKey="name" axisLine={false} tickLine={false} tick={TICK} minTickGap={24} />
          <YAxis
            width={64}
            axisLine={false}
            tickLine={false}
            tick={TICK}
            tickFormatter={(value: number) => formatDollars(value)}
          />
          <Bar
            dataKey="microDollars"
            fill="var(--accent)"
            radius={[3, 3, 0, 0]}
            maxBarSize={40}
            isAnimationActive={false}
          />
        </BarChart>
      </ResponsiveContainer>
    </div>
  );
}
