import { scaleBand, scaleLinear } from 'd3-scale';
import type { ReactNode } from 'react';
import { shortMoney } from '../ui/format.tsx';
import { axisTitle, VerticalAxis } from './axis.tsx';
import { Chart } from './chart.tsx';

type Step = { name: string; value: number; total?: boolean };

const HEIGHT = 270;
/** Below this the names of the steps stand at an angle. */
const [NARROW, LEANING] = [560, 44];
const MARGIN = { left: 72, right: 8, top: 34, bottom: 28 };

/** A waterfall: from one total to the next, each step up or down from where the one before ended. */
export function Bridge({ title, unit, steps }: { title: string; unit: string; steps: readonly Step[] }): ReactNode {
  const bars = barsOf(steps);
  const ends = bars.flatMap(({ from, to }) => [from, to]);
  const y = scaleLinear()
    .domain([Math.min(0, ...ends), Math.max(0, ...ends)])
    .nice()
    .range([HEIGHT - MARGIN.bottom, MARGIN.top]);
  return (
    <Chart
      title={title}
      unit={unit}
      header={['Step', unit]}
      rows={steps.map(({ name, value }) => [name, value])}
      readings={steps.map((step) => [step.name, labelOf(step)])}
      height={(width) => (width < NARROW ? HEIGHT + LEANING : HEIGHT)}
    >
      {({ width, at: read }) => {
        const leaning = width < NARROW;
        const x = scaleBand()
          .domain(steps.map(({ name }) => name))
          .range([MARGIN.left, width - MARGIN.right])
          .padding(0.35);
        return (
          <>
            <VerticalAxis scale={y} from={MARGIN.left} to={width - MARGIN.right} format={shortMoney} title={axisTitle(unit)} />
            {bars.map((bar, at) => {
              const { name, value, from, to, total } = bar;
              const left = x(name) ?? 0;
              const middle = left + x.bandwidth() / 2;
              const next = bars[at + 1];
              return (
                <g key={name} data-at={at} className={at === read ? 'read' : ''}>
                  <rect
                    className="hit"
                    x={left}
                    width={x.bandwidth()}
                    y={MARGIN.top}
                    height={HEIGHT - MARGIN.bottom - MARGIN.top}
                  />
                  {next && <line className="joint" x1={left} x2={(x(next.name) ?? 0) + x.bandwidth()} y1={y(to)} y2={y(to)} />}
                  <rect
                    className={total ? 'bar-total' : value < 0 ? 'bar-down' : 'bar-up'}
                    x={left}
                    width={x.bandwidth()}
                    y={Math.min(y(from), y(to))}
                    height={Math.max(1, Math.abs(y(from) - y(to)))}
                  />
                  <text className="label" x={middle} y={Math.min(y(from), y(to)) - 6} textAnchor="middle">
                    {labelOf(bar)}
                  </text>
                  <text
                    className="tick"
                    x={middle}
                    y={HEIGHT - 12}
                    textAnchor={leaning ? 'end' : 'middle'}
                    transform={leaning ? `rotate(-45 ${middle} ${HEIGHT - 12})` : undefined}
                  >
                    {name}
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

const labelOf = ({ value, total }: Step): string =>
  total || value === 0 ? shortMoney(value) : `${value > 0 ? '+' : '−'}${shortMoney(Math.abs(value))}`;

function barsOf(steps: readonly Step[]): (Step & { from: number; to: number })[] {
  let at = 0;
  return steps.map((step) => {
    const from = step.total ? 0 : at;
    at = step.total ? step.value : at + step.value;
    return { ...step, from, to: at };
  });
}
