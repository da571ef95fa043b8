import { scaleLinear } from 'd3-scale';
import type { ReactNode } from 'react';
import { axisTitle, HorizontalAxis, roomOf, shortened } from './axis.tsx';
import { Chart } from './chart.tsx';
import { Mark } from './marks.tsx';
import { lookOf } from './palette.ts';

type Named = { name: string; value: number };
type Range = { name: string; low: number; high: number; marks: readonly Named[]; color?: number | string };

const [ROW, TOP, BOTTOM, TICK] = [34, 22, 42, 90];
const [LINE, THICK, NAMES_MOST, RIGHT] = [14, 14, 140, 24];

type Props = {
  title: string;
  unit: string;
  /** What the two ends are, for the table and the readings. */
  ends?: readonly [low: string, high: string];
  ranges: readonly Range[];
  format: (value: number) => string;
  /** Values that are drawn down all ranges with their names. */
  lines?: readonly Named[];
};

/** Ranges from a low to a high, with named marks in between: one row for each name. A range of an entity is a bar of its colour. */
export function Ranges({ title, unit, ends = ['Smallest', 'Largest'], ranges, format, lines = [] }: Props): ReactNode {
  const head = TOP + lines.length * LINE;
  const height = head + ranges.length * ROW + BOTTOM;
  const names = [...new Set(ranges.flatMap(({ marks }) => marks.map(({ name }) => name)))];
  const markOf = ({ marks }: Range, name: string): number | null => marks.find((mark) => mark.name === name)?.value ?? null;
  return (
    <Chart
      title={title}
      unit={unit}
      header={['Name', ends[0], ...names, ends[1]]}
      rows={[
        ...ranges.map((range) => [range.name, range.low, ...names.map((name) => markOf(range, name)), range.high]),
        ...lines.map(({ name, value }) => [name, value, ...names.map(() => null), null]),
      ]}
      keys={names.map((name, at) => ({ name, look: lookOf(at), as: 'mark' }))}
      readings={ranges.map(({ name, low, high, marks }) => [
        name,
        `${ends[0]}: ${format(low)}`,
        ...marks.map((mark) => `${mark.name}: ${format(mark.value)}`),
        `${ends[1]}: ${format(high)}`,
      ])}
      height={height}
    >
      {({ width, at: read }) => {
        const left = Math.min(NAMES_MOST, width * 0.3, Math.max(...ranges.map(({ name }) => roomOf(name)), 40) + 8);
        const right = width - RIGHT;
        const highest = Math.max(...ranges.map(({ high }) => high), ...lines.map(({ value }) => value), Number.EPSILON);
        const x = scaleLinear().domain([0, highest]).nice(5).range([left, right]);
        return (
          <>
            <HorizontalAxis
              scale={x}
              ticks={Math.max(2, Math.floor((right - left) / TICK))}
              top={head - 8}
              base={height - BOTTOM + 4}
              format={format}
              title={axisTitle(unit)}
            />
            {ranges.map(({ name, low, high, marks, color }, at) => {
              const y = head + at * ROW + ROW / 2;
              const look = color === undefined ? null : lookOf(color);
              return (
                <g key={name} data-at={at} className={at === read ? 'read' : ''}>
                  <rect className="hit" x={0} y={y - ROW / 2} width={width} height={ROW} />
                  <text className="tick" x={left - 8} y={y} dy="0.32em" textAnchor="end">
                    {shortened(name, left - 8)}
                  </text>
                  {look ? (
                    <rect x={x(low)} y={y - THICK / 2} width={Math.max(2, x(high) - x(low))} height={THICK} fill={look.color} />
                  ) : (
                    <path
                      className="range"
                      d={`M${x(low)},${y}H${x(high)}M${x(low)},${y - 5}V${y + 5}M${x(high)},${y - 5}V${y + 5}`}
                    />
                  )}
                  {marks.map((mark) => (
                    <Mark key={mark.name} look={lookOf(names.indexOf(mark.name))} x={x(mark.value)} y={y} />
                  ))}
                </g>
              );
            })}
            {lines.map(({ name, value }, at) => (
              <g key={name}>
                <line className="limit" x1={x(value)} x2={x(value)} y1={6 + at * LINE} y2={height - BOTTOM + 4} />
                <text
                  className="label halo"
                  x={x(value) + (x(value) > width / 2 ? -5 : 5)}
                  y={14 + at * LINE}
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
