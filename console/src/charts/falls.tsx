import { scaleLinear } from 'd3-scale';
import type { ReactNode } from 'react';
import { axisTitle, HorizontalAxis, roomOf, shortened } from './axis.tsx';
import { Chart } from './chart.tsx';

/** What is left after a step, and what the step took away. */
export type Fall = { name: string; left: number; removed: number; total?: boolean };

const [ROW, TOP, BOTTOM, TICK] = [26, 6, 44, 110];
const [NAMES_MOST, NAMES_SHARE] = [180, 0.3];

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
  const height = TOP + steps.length * ROW + BOTTOM;
  const labels = Math.max(...steps.map((step) => roomOf(labelOf(step, format)))) + 10;
  return (
    <Chart
      title={title}
      unit={unit}
      header={table.header}
      rows={table.rows}
      readings={steps.map(({ name, left, removed, total }) => [
        name,
        ...(total ? [] : [`${format(removed)} removed`]),
        `${format(left)} left`,
      ])}
      height={height}
    >
      {({ width, at: read }) => {
        const names = Math.min(NAMES_MOST, width * NAMES_SHARE, Math.max(...steps.map(({ name }) => roomOf(name))) + 8);
        const right = Math.max(names + 40, width - labels);
        const x = scaleLinear()
          .domain([0, Math.max(...steps.map(({ left, removed }) => left + removed), Number.EPSILON)])
          .range([names, right]);
        return (
          <>
            <HorizontalAxis
              scale={x}
              ticks={Math.max(2, Math.floor((right - names) / TICK))}
              top={TOP}
              base={height - BOTTOM + 4}
              format={format}
              title={axisTitle(unit)}
            />
            {steps.map((step, at) => {
              const { name, left, removed, total } = step;
              const y = TOP + at * ROW;
              const end = x(left + (total ? 0 : removed));
              return (
                <g key={name} data-at={at} className={at === read ? 'read' : ''}>
                  <rect className="hit" x={0} y={y - 4} width={width} height={ROW} />
                  <text className="tick" x={names - 6} y={y + 13} textAnchor="end">
                    {shortened(name, names - 6)}
                  </text>
                  <rect
                    className={total ? 'bar-total' : 'bar-left'}
                    x={x(0)}
                    y={y}
                    width={Math.max(1, x(left) - x(0))}
                    height={ROW - 8}
                  />
                  {!total && removed > 0 && (
                    <rect className="bar-down" x={x(left)} y={y} width={Math.max(1, end - x(left))} height={ROW - 8} />
                  )}
                  <text className="label" x={end + 5} y={y + 13}>
                    {labelOf(step, format)}
                  </text>
                </g>
              );
            })}
          </>
        );
      }}
    </Chart>
  );
}

const labelOf = ({ left, removed, total }: Fall, format: (value: number) => string): string =>
  total ? format(left) : removed === 0 ? '0' : `−${format(removed)}`;
