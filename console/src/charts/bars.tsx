import { useElementSize } from '@mantine/hooks';
import { scaleLinear } from 'd3-scale';
import type { ReactNode } from 'react';
import { Chart } from './chart.tsx';

type Bar = { name: string; value: number };

const SMALLEST = 280;
const [ROW, TOP] = [26, 8];
const MARGIN = { left: 150, narrow: 96, right: 90 };
const [NARROW, LETTER] = [480, 7];

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
  const { ref, width: measured } = useElementSize();
  const width = Math.max(SMALLEST, measured);
  const left = width < NARROW ? MARGIN.narrow : MARGIN.left;
  const letters = Math.floor(left / LETTER);
  const height = bars.length * ROW + TOP;
  const x = scaleLinear()
    .domain([0, Math.max(...bars.map(({ value }) => value), Number.EPSILON)])
    .range([left, width - MARGIN.right]);
  return (
    <Chart title={title} unit={unit} header={['Name', unit]} rows={bars.map(({ name, value }) => [name, value])}>
      <div ref={ref}>
        <svg role="img" aria-label={`${title}, in ${unit}`} width={width} height={height} className="drawing">
          {bars.map(({ name, value }, index) => (
            <g key={name}>
              <text className="tick" x={left - 8} y={TOP + index * ROW + 12} dy="0.1em" textAnchor="end">
                {name.length > letters ? `${name.slice(0, letters - 1)}…` : name}
              </text>
              <rect className="bar-up" x={left} y={TOP + index * ROW} width={Math.max(1, x(value) - left)} height={ROW - 8}>
                <title>{`${name}: ${format(value)}`}</title>
              </rect>
              <text className="label" x={x(value) + 6} y={TOP + index * ROW + 12} dy="0.1em">
                {format(value)}
              </text>
            </g>
          ))}
        </svg>
      </div>
    </Chart>
  );
}
