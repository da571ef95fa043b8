import { scaleLinear } from 'd3-scale';
import type { ReactNode } from 'react';
import { axisTitle, HorizontalAxis, roomOf, shortened } from './axis.tsx';
import { Chart } from './chart.tsx';
import { lookOf } from './palette.ts';

type Bar = {
  name: string;
  value: number | null;
  /** The name of an entity that has a colour of its own, or a place in the palette. */
  color?: number | string;
  /** In the place of the figure where there is none. */
  lacking?: string;
};

const [ROW, TOP, BOTTOM, TICK] = [26, 20, 40, 90];
const [NAMES_MOST, NAMES_SHARE, GAP] = [180, 0.32, 8];

type Props = {
  title: string;
  unit: string;
  bars: readonly Bar[];
  format: (value: number) => string;
  /** Values that are drawn down all bars with their names, such as the base case. */
  marks?: readonly { name: string; value: number }[];
};

/** Bars from zero, one for each name, with the figure at its end; in the order in which they are given. */
export function Bars({ title, unit, bars, format, marks = [] }: Props): ReactNode {
  const head = TOP + Math.max(0, marks.length - 1) * 14;
  const height = head + bars.length * ROW + BOTTOM;
  const labels = bars.map(({ value, lacking = '–' }) => (value === null ? lacking : format(value)));
  return (
    <Chart
      title={title}
      unit={unit}
      header={['Name', axisTitle(unit)]}
      rows={[
        ...bars.map(({ name, value }): [string, number | null] => [name, value]),
        ...marks.map(({ name, value }): [string, number] => [name, value]),
      ]}
      readings={bars.map(({ name }, at) => [
        name,
        labels[at] ?? '–',
        ...marks.map((mark) => `${mark.name}: ${format(mark.value)}`),
      ])}
      height={height}
    >
      {({ width, at: read }) => {
        const left = Math.min(NAMES_MOST, width * NAMES_SHARE, Math.max(...bars.map(({ name }) => roomOf(name)), 40) + GAP);
        const right = width - Math.max(...labels.map(roomOf), 20) - GAP;
        const values = [...bars, ...marks].map(({ value }) => value ?? 0);
        const x = scaleLinear()
          .domain([Math.min(0, ...values), Math.max(0, ...values, Number.EPSILON)])
          .range([left, Math.max(left + 40, right)]);
        return (
          <>
            <HorizontalAxis
              scale={x}
              ticks={Math.max(2, Math.floor((right - left) / TICK))}
              top={head - 4}
              base={height - BOTTOM}
              format={format}
              title={axisTitle(unit)}
            />
            {bars.map(({ name, value, color = 0 }, at) => {
              const y = head + at * ROW;
              const end = x(value ?? 0);
              return (
                <g key={name} data-at={at} className={at === read ? 'read' : ''}>
                  <rect className="hit" x={0} y={y - 4} width={width} height={ROW} />
                  <text className="tick" x={left - GAP} y={y + 9} dy="0.32em" textAnchor="end">
                    {shortened(name, left - GAP)}
                  </text>
                  {value !== null && (
                    <rect
                      x={Math.min(x(0), end)}
                      y={y}
                      width={value === 0 ? 0 : Math.max(1, Math.abs(end - x(0)))}
                      height={ROW - 8}
                      fill={lookOf(color).color}
                    />
                  )}
                  <text className="label halo" x={Math.max(x(0), end) + 6} y={y + 9} dy="0.32em">
                    {labels[at]}
                  </text>
                </g>
              );
            })}
            {marks.map(({ name, value }, at) => (
              <g key={name}>
                <line className="limit" x1={x(value)} x2={x(value)} y1={4 + at * 14} y2={height - BOTTOM} />
                <text
                  className="label halo"
                  x={x(value) + (x(value) > width / 2 ? -5 : 5)}
                  y={12 + at * 14}
                  textAnchor={x(value) > width / 2 ? 'end' : 'start'}
                >
                  {`${name}: ${format(value)}`}
                </text>
              </g>
            ))}
          </>
        );
      }}
    </Chart>
  );
}
