import { useElementSize } from '@mantine/hooks';
import { scaleLinear } from 'd3-scale';
import type { ReactNode } from 'react';
import { Chart } from './chart.tsx';

/** What is left after a step, and what the step took away. */
export type Fall = { name: string; left: number; removed: number; total?: boolean };

const [ROW, TOP, BOTTOM] = [26, 4, 44];
const LETTER = 6.6;
const [NARROWEST, NAMES_MOST] = [280, 180];

type Props = {
  title: string;
  unit: string;
  steps: readonly Fall[];
  format: (value: number) => string;
  /** The further columns of the table, of the same steps. */
  table: { header: readonly string[]; rows: readonly (readonly (string | number | null)[])[] };
};

/** A waterfall on its side: from all to what is left, each step with what it takes away where the one before ended. */
export function Falls({ title, unit, steps, format, table }: Props): ReactNode {
  const { ref, width } = useElementSize();
  const wide = Math.max(NARROWEST, width);
  const longest = Math.max(...steps.map(({ name }) => name.length));
  const names = Math.min(NAMES_MOST, wide * 0.3, longest * LETTER + 8);
  const letters = Math.floor(names / LETTER);
  const labels = Math.max(...steps.map((step) => labelOf(step, format).length)) * LETTER + 10;
  const height = TOP + steps.length * ROW + BOTTOM;
  const x = scaleLinear()
    .domain([0, Math.max(...steps.map(({ left }) => left), Number.EPSILON)])
    .range([names, Math.max(names + 40, wide - labels)]);
  const ticks = x.ticks(Math.max(2, Math.floor((wide - names - labels) / 110)));
  const base = height - BOTTOM + 4;
  return (
    <Chart title={title} unit={unit} header={table.header} rows={table.rows}>
      <div ref={ref} style={{ minHeight: height }}>
        <svg role="img" aria-label={`${title}, in ${unit}`} width={wide} height={height} className="drawing falls">
          {ticks.map((tick) => (
            <g key={tick}>
              <line className="rule" x1={x(tick)} x2={x(tick)} y1={TOP} y2={base} />
              <text className="tick" x={x(tick)} y={base + 14} textAnchor="middle">
                {format(tick)}
              </text>
            </g>
          ))}
          <text className="tick" x={(names + x.range()[1]!) / 2} y={height - 6} textAnchor="middle">
            {unit}
          </text>
          {steps.map((step, at) => {
            const { name, left, removed, total } = step;
            const y = TOP + at * ROW;
            const end = x(left + (total ? 0 : removed));
            return (
              <g key={name}>
                <text className="tick" x={names - 6} y={y + 13} textAnchor="end">
                  {name.length > letters ? `${name.slice(0, letters - 1)}…` : name}
                </text>
                <rect
                  className={total ? 'bar-total' : 'bar-left'}
                  x={x(0)}
                  y={y}
                  width={Math.max(1, x(left) - x(0))}
                  height={ROW - 8}
                >
                  <title>{`${name}: ${format(left)} left`}</title>
                </rect>
                {!total && removed > 0 && (
                  <rect className="bar-down" x={x(left)} y={y} width={Math.max(1, end - x(left))} height={ROW - 8}>
                    <title>{`${name}: ${format(removed)} removed`}</title>
                  </rect>
                )}
                <text className="label" x={end + 5} y={y + 13}>
                  {labelOf(step, format)}
                </text>
              </g>
            );
          })}
        </svg>
      </div>
    </Chart>
  );
}

const labelOf = ({ left, removed, total }: Fall, format: (value: number) => string): string =>
  total ? format(left) : removed === 0 ? '0' : `−${format(removed)}`;
