import { scaleLinear } from 'd3-scale';
import type { ReactNode } from 'react';
import { Chart } from './chart.tsx';

type Bar = { name: string; value: number };

const WIDTH = 720;
const [ROW, TOP] = [26, 8];
const MARGIN = { left: 150, right: 90 };

/** Bars from zero, one for each name, with the figure at its end; in the order in which they are given. */
export function Bars({
  title,
  unit,
  bars,
  format,
}: {
  title: string;
  unit: string;
  bars: readonly Bar[];
  format: (value: number) => string;
}): ReactNode {
  const height = bars.length * ROW + TOP;
  const x = scaleLinear()
    .domain([0, Math.max(...bars.map(({ value }) => value), Number.EPSILON)])
    .range([MARGIN.left, WIDTH - MARGIN.right]);
  return (
    <Chart title={title} unit={unit} header={['Name', unit]} rows={bars.map(({ name, value }) => [name, value])}>
      <svg role="img" aria-label={`${title}, in ${unit}`} viewBox={`0 0 ${WIDTH} ${height}`} className="drawing">
        {bars.map(({ name, value }, index) => (
          <g key={name}>
            <text className="tick" x={MARGIN.left - 8} y={TOP + index * ROW + 12} dy="0.1em" textAnchor="end">
              {name.length > 22 ? `${name.slice(0, 21)}…` : name}
            </text>
            <rect
              className="bar-up"
              x={MARGIN.left}
              y={TOP + index * ROW}
              width={Math.max(1, x(value) - MARGIN.left)}
              height={ROW - 8}
            >
              <title>{`${name}: ${format(value)}`}</title>
            </rect>
            <text className="label" x={x(value) + 6} y={TOP + index * ROW + 12} dy="0.1em">
              {format(value)}
            </text>
          </g>
        ))}
      </svg>
    </Chart>
  );
}
