import { Bar, BarChart, LabelList, ResponsiveContainer, XAxis, YAxis } from "recharts";

export interface ScoreBar {
  name: string;
  points: number;
  text: string;
  fill: string;
}

/** The parts of a score as bars. */
export default function ScoreChart({ bars }: { bars: ScoreBar[] }) {
  return (
    <ResponsiveContainer width="100%" height="100%" initialDimension={{ width: 240, height: 112 }}>
      <BarChart
        data={bars}
        layout="vertical"
        margin={{ left: 0, right: 36, top: 0, bottom: 0 }}
        accessibilityLayer={false}
      >
        <XAxis type="number" hide domain={["dataMin", "dataMax"]} />
        <YAxis
          type="category"
          dataKey="name"
          width={64}
          axisLine={false}
          tickLine={false}
          tick={{ fill: "var(--muted)", fontSize: 12 }}
        />
        <Bar dataKey="points" radius={3} barSize={16} isAnimationActive={false}>
          <LabelList dataKey="text" position="right" fill="var(--ink)" fontSize={12} />
        </Bar>
      </BarChart>
    </ResponsiveContainer>
  );
}
