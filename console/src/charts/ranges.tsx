import { scaleLinear } from 'd3-scale';
import { useElementSize } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Chart } from './chart.tsx';

type Range = { name: string; low: number; high: number; marks: readonly { name: string; value: number }[] };

const [ROW, TOP, AXIS] = [34, 20, 34];
const MARGIN = { left: 90, right: 24 };
const SMALLEST = 300;
const TICKS = 5;
const SIZE = 5;

/** Ranges from the smallest to the largest, with named marks in between: one row for each name. */
export function Ranges({
  title,
  unit,
  ranges,
  format,
}: {
  title: string;
  unit: string;
  ranges: readonly Range[];
  format: (value: number) => string;
}): ReactNode {
  const { ref, width: measured } = useElementSize();
  const width = Math.max(SMALLEST, measured);
  const height = TOP + ranges.length * ROW + AXIS;
  const x = scaleLinear()
    .domain([0, Math.max(...ranges.map(({ high }) => high), Number.EPSILON)])
    .nice(TICKS)
    .range([MARGIN.left, width - MARGIN.right]);
  const names = [...new Set(ranges.flatMap(({ marks }) => marks.map(({ name }) => name)))];
  return (
    <Chart
      title={title}
      unit={unit}
      header={['Name', 'Smallest', ...names, 'Largest']}
      rows={ranges.map(({ name, low, high, marks }) => [
        name,
        low,
        ...names.map((each) => marks.find((mark) => mark.name === each)?.value ?? null),
        high,
      ])}
    >
      <ul className="legend">
        {names.map((name, at) => (
          <li key={name}>
            <svg width="14" height="12" aria-hidden="true">
              <Shape kind={at} x={7} y={6} />
            </svg>{' '}
            {name}
          </li>
        ))}
      </ul>
      <div ref={ref}>
        <svg role="img" aria-label={`${title}, ${unit}`} width={width} height={height} className="drawing">
          {x.ticks(TICKS).map((tick) => (
            <g key={tick}>
              <line className="rule" x1={x(tick)} x2={x(tick)} y1={TOP - 8} y2={height - AXIS} />
              <text className="tick" x={x(tick)} y={height - AXIS + 16} textAnchor="middle">
                {format(tick)}
              </text>
            </g>
          ))}
          {ranges.map(({ name, low, high, marks }, at) => {
            const y = TOP + at * ROW + ROW / 2;
            return (
              <g key={name}>
                <text className="tick" x={MARGIN.left - 8} y={y} dy="0.32em" textAnchor="end">
                  {name}
                </text>
                <line x1={x(low)} x2={x(high)} y1={y} y2={y} stroke="currentColor" strokeWidth="2" opacity="0.5">
                  <title>{`${name}: ${format(low)} to ${format(high)}`}</title>
                </line>
                {marks.map((mark) => (
                  <g key={mark.name}>
                    <title>{`${name}, ${mark.name}: ${format(mark.value)}`}</title>
                    <Shape kind={names.indexOf(mark.name)} x={x(mark.value)} y={y} />
                  </g>
                ))}
              </g>
            );
          })}
        </svg>
      </div>
    </Chart>
  );
}

const COLORS = ['#0072b2', '#e69f00', '#d55e00', '#cc79a7'];

function Shape({ kind, x, y }: { kind: number; x: number; y: number }): ReactNode {
  const fill = COLORS[kind % COLORS.length] ?? 'currentColor';
  if (kind % 3 === 0) return <circle cx={x} cy={y} r={SIZE} fill={fill} />;
  if (kind % 3 === 1) return <rect x={x - SIZE + 1} y={y - SIZE + 1} width={2 * SIZE - 2} height={2 * SIZE - 2} fill={fill} />;
  return <polygon points={`${x},${y - SIZE} ${x + SIZE},${y + SIZE - 1} ${x - SIZE},${y + SIZE - 1}`} fill={fill} />;
}
