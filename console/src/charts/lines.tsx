import { scaleLinear } from 'd3-scale';
import { curveStepAfter, line } from 'd3-shape';
import type { ReactNode } from 'react';
import { axisTitle, roomOf, shortened, VerticalAxis } from './axis.tsx';
import { Chart } from './chart.tsx';
import { Mark } from './marks.tsx';
import { lookOf } from './palette.ts';

type Values = readonly (number | null)[];

/** One thing over time: `values` by the index of the horizontal axis, null where there is none. */
export type Series = {
  name: string;
  values: Values;
  /** The name of an entity, which has the same colour in every chart, or a place in the palette. */
  color: number | string;
  /** Drawn apart: what is expected rather than what has happened. */
  projected?: boolean;
};

/** A limit that is drawn across with its name: one level, or one for each point. */
export type Limit = { name: string; value: number | Values };

type Props = {
  title: string;
  unit: string;
  /** What the horizontal axis counts. */
  axis: string;
  labels: readonly string[];
  series: readonly Series[];
  format: (value: number) => string;
  limits?: readonly Limit[];
  /** Prices and the like, whose differences are lost on an axis from zero. */
  fromZero?: boolean;
};

const HEIGHT = 280;
const MARGIN = { left: 72, right: 16, top: 26, bottom: 40 };
const [NAMES, LONGEST, NARROW, LINE, TICK] = [96, 160, 520, 14, 90];
const GAP = 8;
const DASH = '5 4';

/** Lines over time, with their names beside them, projected ones dashed, and limits across. */
export function Lines(props: Props): ReactNode {
  const { title, unit, axis, labels, series, format, limits = [], fromZero = true } = props;
  const levels = limits.map(({ name, value }) => ({
    name,
    values: typeof value === 'number' ? labels.map(() => value) : value,
  }));
  const values = [...series, ...levels].flatMap((each) => each.values.filter((value): value is number => value !== null));
  return (
    <Chart
      title={title}
      unit={unit}
      header={[axis, ...series.map(({ name }) => name), ...levels.map(({ name }) => name)]}
      rows={labels.map((label, at) => [label, ...[...series, ...levels].map((each) => each.values[at] ?? null)])}
      keys={series.map(({ name, color, projected = false }) => ({ name, look: lookOf(color), dashed: projected, as: 'line' }))}
      readings={labels.map((label, at) => [
        `${axis} ${label}`,
        ...[...series, ...levels].map(({ name, values: of }) => `${name}: ${of[at] == null ? '–' : format(of[at])}`),
      ])}
      height={HEIGHT}
    >
      {({ width, at }) => {
        const named = width >= NARROW && series.length > 1;
        const room = Math.min(LONGEST, Math.max(NAMES, ...series.map(({ name }) => roomOf(name) + GAP)));
        const right = width - (named ? room : MARGIN.right);
        const base = HEIGHT - MARGIN.bottom;
        const x = scaleLinear()
          .domain([0, Math.max(1, labels.length - 1)])
          .range([MARGIN.left, right]);
        const y = scaleLinear().domain(domainOf(values, fromZero)).nice(5).range([base, MARGIN.top]);
        const every = Math.max(1, Math.ceil(labels.length / Math.max(2, Math.floor((right - MARGIN.left) / TICK))));
        const half = (right - MARGIN.left) / Math.max(1, labels.length - 1) / 2;
        return (
          <>
            <VerticalAxis scale={y} from={MARGIN.left} to={right} format={format} title={axisTitle(unit)} />
            {labels.map((label, index) =>
              index % every === 0 ? (
                <text key={index} className="tick" x={x(index)} y={base + 16} textAnchor="middle">
                  {label}
                </text>
              ) : null,
            )}
            <text className="tick" x={(MARGIN.left + right) / 2} y={HEIGHT - 6} textAnchor="middle">
              {axis}
            </text>
            {levels.map((level) => (
              <Level key={level.name} level={level} x={x} y={y} format={format} />
            ))}
            {series.map((each) => (
              <Line key={each.name} series={each} x={x} y={y} />
            ))}
            {named && <Names series={series} x={x} y={y} base={base} room={room - GAP} />}
            {at !== null && <line className="reading" x1={x(at)} x2={x(at)} y1={MARGIN.top} y2={base} />}
            {at !== null &&
              series.map(({ name, values: of, color, projected }) =>
                of[at] == null ? null : (
                  <Mark key={name} look={lookOf(color)} x={x(at)} y={y(of[at])} hollow={projected ?? false} />
                ),
              )}
            {labels.map((_, index) => (
              <rect
                key={index}
                className="hit"
                data-at={index}
                x={x(index) - half}
                width={Math.max(1, 2 * half)}
                y={MARGIN.top}
                height={base - MARGIN.top}
              />
            ))}
          </>
        );
      }}
    </Chart>
  );
}

function domainOf(values: readonly number[], fromZero: boolean): [number, number] {
  if (values.length === 0) return [0, 1];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (!fromZero) return low === high ? [low - 1, high + 1] : [low, high];
  return low === 0 && high === 0 ? [0, 1] : [Math.min(0, low), Math.max(0, high)];
}

type Scale = (value: number) => number;
type At = { x: Scale; y: Scale };

function Line({ series: { values, color, projected = false }, x, y }: { series: Series } & At): ReactNode {
  const look = lookOf(color);
  const path = line<number | null>()
    .defined((value) => value !== null)
    .x((_, index) => x(index))
    .y((value) => y(value ?? 0))([...values]);
  const apart = Math.max(1, Math.ceil(values.length / 12));
  return (
    <g>
      <path
        d={path ?? ''}
        fill="none"
        stroke={look.color}
        strokeWidth="2"
        strokeOpacity={projected ? 0.85 : 1}
        strokeDasharray={projected ? DASH : undefined}
      />
      {values.map((value, index) =>
        value !== null && index % apart === 0 ? (
          <Mark key={index} look={look} x={x(index)} y={y(value)} hollow={projected} />
        ) : null,
      )}
    </g>
  );
}

/** A limit as a line across, its name at its highest place. */
function Level({ level, x, y, format }: { level: { name: string; values: Values }; format: Props['format'] } & At): ReactNode {
  const { name, values } = level;
  const path = line<number | null>()
    .defined((value) => value !== null)
    .curve(curveStepAfter)
    .x((_, index) => x(index))
    .y((value) => y(value ?? 0))([...values]);
  const first = values.findIndex((value) => value !== null);
  const value = values[first];
  if (value == null) return null;
  const one = values.every((each) => each === null || each === value);
  return (
    <g>
      <path d={path ?? ''} className="limit" fill="none" />
      <text className="label" x={x(first) + 6} y={y(value) < MARGIN.top + LINE ? y(value) + LINE : y(value) - 5}>
        {one ? `${name}: ${format(value)}` : name}
      </text>
    </g>
  );
}

/** The name of each line at its end, moved apart where ends are close. */
function Names({ series, x, y, base, room }: { series: readonly Series[]; base: number; room: number } & At): ReactNode {
  const ends = series
    .flatMap(({ name, values, color }) => {
      const last = values.findLastIndex((value) => value !== null);
      const value = values[last];
      return value == null ? [] : [{ name, color, x: x(last), y: y(value) }];
    })
    .toSorted((one, other) => one.y - other.y);
  if (ends.length < 2 || ends.length * LINE > base) return null;
  const placed: (typeof ends)[number][] = [];
  for (const [at, end] of ends.entries()) {
    const highest = placed.at(-1) ? (placed.at(-1)?.y ?? 0) + LINE : 0;
    const lowest = base - (ends.length - 1 - at) * LINE;
    placed.push({ ...end, y: Math.min(lowest, Math.max(highest, end.y)) });
  }
  return placed.map(({ name, x: left, y: top }) => (
    <text key={name} className="label" x={left + GAP} y={top} dy="0.32em">
      {shortened(name, room)}
    </text>
  ));
}
