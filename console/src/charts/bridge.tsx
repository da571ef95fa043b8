import { useElementSize } from '@mantine/hooks';
import { scaleBand, scaleLinear } from 'd3-scale';
import type { ReactNode } from 'react';
import { shortMoney } from '../ui/format.tsx';
import { Chart } from './chart.tsx';

type Step = { name: string; value: number; total?: boolean };

const [SMALLEST, HEIGHT] = [280, 260];
/** Below this the names of the steps stand at an angle. */
const [NARROW, LEANING] = [560, 44];
const MARGIN = { left: 72, right: 8, top: 20, bottom: 28 };

/** A waterfall: from one total to the next, each step up or down from where the one before ended. */
export function Bridge({ title, unit, steps }: { title: string; unit: string; steps: readonly Step[] }): ReactNode {
  const { ref, width: measured } = useElementSize();
  const width = Math.max(SMALLEST, measured);
  const bars = barsOf(steps);
  const x = scaleBand()
    .domain(steps.map(({ name }) => name))
    .range([MARGIN.left, width - MARGIN.right])
    .padding(0.35);
  const ends = bars.flatMap(({ from, to }) => [from, to]);
  const y = scaleLinear()
    .domain([Math.min(0, ...ends), Math.max(0, ...ends)])
    .nice()
    .range([HEIGHT - MARGIN.bottom, MARGIN.top]);
  return (
    <Chart title={title} unit={unit} header={['Step', unit]} rows={steps.map(({ name, value }) => [name, value])}>
      <div ref={ref}>
        <svg
          role="img"
          aria-label={`${title}, in ${unit}`}
          width={width}
          height={width < NARROW ? HEIGHT + LEANING : HEIGHT}
          className="drawing"
        >
          {y.ticks(5).map((tick) => (
            <g key={tick}>
              <line className="rule" x1={MARGIN.left} x2={width - MARGIN.right} y1={y(tick)} y2={y(tick)} />
              <text className="tick" x={MARGIN.left - 8} y={y(tick)} dy="0.32em" textAnchor="end">
                {shortMoney(tick)}
              </text>
            </g>
          ))}
          {bars.map(({ name, value, from, to, total }, at) => {
            const left = x(name) ?? 0;
            const next = bars[at + 1];
            return (
              <g key={name}>
                {next && <line className="joint" x1={left} x2={(x(next.name) ?? 0) + x.bandwidth()} y1={y(to)} y2={y(to)} />}
                <rect
                  className={total ? 'bar-total' : value < 0 ? 'bar-down' : 'bar-up'}
                  x={left}
                  width={x.bandwidth()}
                  y={Math.min(y(from), y(to))}
                  height={Math.max(1, Math.abs(y(from) - y(to)))}
                >
                  <title>{`${name}: ${value.toLocaleString('en-US')} ${unit}`}</title>
                </rect>
                <text className="label" x={left + x.bandwidth() / 2} y={Math.min(y(from), y(to)) - 6} textAnchor="middle">
                  {total || value === 0 ? shortMoney(value) : `${value > 0 ? '+' : '−'}${shortMoney(Math.abs(value))}`}
                </text>
                <text
                  className="tick"
                  x={left + x.bandwidth() / 2}
                  y={HEIGHT - 12}
                  textAnchor={width < NARROW ? 'end' : 'middle'}
                  transform={width < NARROW ? `rotate(-45 ${left + x.bandwidth() / 2} ${HEIGHT - 12})` : undefined}
                >
                  {name}
                </text>
              </g>
            );
          })}
        </svg>
      </div>
    </Chart>
  );
}

function barsOf(steps: readonly Step[]): (Step & { from: number; to: number })[] {
  let at = 0;
  return steps.map((step) => {
    const from = step.total ? 0 : at;
    at = step.total ? step.value : at + step.value;
    return { ...step, from, to: at };
  });
}
