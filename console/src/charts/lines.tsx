import { scaleLinear } from 'd3-scale';
import { line } from 'd3-shape';
import { useElementSize } from '@mantine/hooks';
import { useState, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react';
import { Chart } from './chart.tsx';

/** One thing over time: `values` by the index of the horizontal axis, null where there is none. */
export type Series = {
  name: string;
  values: readonly (number | null)[];
  /** Of the palette: the same thing has the same colour in every chart. */
  color: number;
  /** Drawn apart: what was expected rather than what has happened. */
  projected?: boolean;
};

type Props = {
  title: string;
  unit: string;
  /** What the horizontal axis counts. */
  axis: string;
  labels: readonly string[];
  series: readonly Series[];
  format: (value: number) => string;
  /** A limit that is drawn across, with its name. */
  limit?: { name: string; value: number };
};

/** Okabe and Ito's colours, which people with any kind of colour vision tell apart; each line also has its own mark. */
const COLORS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#56b4e9', '#e69f00'];
const MARKS = ['circle', 'square', 'triangle', 'diamond'];
const [SMALLEST, HEIGHT] = [280, 280];
const MARGIN = { left: 72, right: 16, top: 12, bottom: 40 };
const TICKS = 6;

/** Lines over time from zero, with their names beside them, a reading for the pointer or the arrow keys, and their figures as a table. */
export function Lines({ title, unit, axis, labels, series, format, limit }: Props): ReactNode {
  const [at, setAt] = useState<number | null>(null);
  const { ref, width: measured } = useElementSize();
  const width = Math.max(SMALLEST, measured);
  const values = series.flatMap((each) => each.values.filter((value): value is number => value !== null));
  const x = scaleLinear()
    .domain([0, Math.max(1, labels.length - 1)])
    .range([MARGIN.left, width - MARGIN.right]);
  const y = scaleLinear()
    .domain([Math.min(0, ...values), Math.max(...values, limit?.value ?? 0, Number.EPSILON)])
    .nice(5)
    .range([HEIGHT - MARGIN.bottom, MARGIN.top]);
  const point = (event: PointerEvent<SVGSVGElement>): void => {
    const { left } = event.currentTarget.getBoundingClientRect();
    const index = Math.round(x.invert(event.clientX - left));
    setAt(Math.min(labels.length - 1, Math.max(0, index)));
  };
  const step = (event: KeyboardEvent): void => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    setAt(Math.min(labels.length - 1, Math.max(0, (at ?? (by > 0 ? -1 : labels.length)) + by)));
  };
  const every = Math.ceil(labels.length / TICKS);
  return (
    <Chart
      title={title}
      unit={unit}
      header={[axis, ...series.map(({ name }) => name)]}
      rows={labels.map((label, index) => [label, ...series.map((each) => each.values[index] ?? null)])}
    >
      <ul className="legend">
        {series.map(({ name, color, projected }) => (
          <li key={name}>
            <svg width="28" height="12" aria-hidden="true">
              <line
                x1="0"
                x2="28"
                y1="6"
                y2="6"
                stroke={colorOf(color)}
                strokeWidth="2"
                strokeDasharray={projected ? '5 4' : undefined}
              />
              {!projected && <Mark kind={color} x={14} y={6} />}
            </svg>
            {name}
          </li>
        ))}
      </ul>
      <div ref={ref}>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- readings are taken by arrow keys. */}
        <svg
          role="img"
          aria-label={`${title}, in ${unit}. Arrow keys read it.`}
          width={width}
          height={HEIGHT}
          className="drawing"
          tabIndex={0}
          onPointerMove={point}
          onPointerLeave={() => setAt(null)}
          onKeyDown={step}
        >
          {y.ticks(5).map((tick) => (
            <g key={tick}>
              <line className="rule" x1={MARGIN.left} x2={width - MARGIN.right} y1={y(tick)} y2={y(tick)} />
              <text className="tick" x={MARGIN.left - 8} y={y(tick)} dy="0.32em" textAnchor="end">
                {format(tick)}
              </text>
            </g>
          ))}
          {labels.map((label, index) =>
            index % every === 0 ? (
              <text key={label} className="tick" x={x(index)} y={HEIGHT - MARGIN.bottom + 16} textAnchor="middle">
                {label}
              </text>
            ) : null,
          )}
          <text className="tick" x={(MARGIN.left + width - MARGIN.right) / 2} y={HEIGHT - 6} textAnchor="middle">
            {axis}
          </text>
          {limit && (
            <g>
              <line className="limit" x1={MARGIN.left} x2={width - MARGIN.right} y1={y(limit.value)} y2={y(limit.value)} />
              <text className="label" x={width - MARGIN.right} y={y(limit.value) - 5} textAnchor="end">
                {limit.name}: {format(limit.value)}
              </text>
            </g>
          )}
          {series.map((each) => (
            <Line key={each.name} series={each} x={x} y={y} />
          ))}
          {at !== null && <line className="reading" x1={x(at)} x2={x(at)} y1={MARGIN.top} y2={HEIGHT - MARGIN.bottom} />}
        </svg>
      </div>
      <p className="reading-text" role="status">
        {at === null
          ? '\u00a0'
          : [
              `${axis} ${labels[at]}`,
              ...series.map(({ name, values: of }) => `${name} ${of[at] == null ? '–' : format(of[at])}`),
            ].join(' · ')}
      </p>
    </Chart>
  );
}

export const colorOf = (color: number): string => COLORS[color % COLORS.length] ?? 'currentColor';

type Scale = (value: number) => number;

function Line({ series: { values, color, projected }, x, y }: { series: Series; x: Scale; y: Scale }): ReactNode {
  const path = line<number | null>()
    .defined((value) => value !== null)
    .x((_, index) => x(index))
    .y((value) => y(value ?? 0))([...values]);
  const apart = Math.ceil(values.length / 12);
  return (
    <g>
      <path d={path ?? ''} fill="none" stroke={colorOf(color)} strokeWidth="2" strokeDasharray={projected ? '5 4' : undefined} />
      {!projected &&
        values.map((value, index) =>
          value !== null && index % apart === 0 ? <Mark key={x(index)} kind={color} x={x(index)} y={y(value)} /> : null,
        )}
    </g>
  );
}

function Mark({ kind, x, y }: { kind: number; x: number; y: number }): ReactNode {
  const fill = colorOf(kind);
  const shape = MARKS[kind % MARKS.length];
  if (shape === 'circle') return <circle cx={x} cy={y} r="3.5" fill={fill} />;
  if (shape === 'square') return <rect x={x - 3} y={y - 3} width="6" height="6" fill={fill} />;
  const points = shape === 'triangle' ? [0, -4, 4, 3, -4, 3] : [0, -4.5, 4.5, 0, 0, 4.5, -4.5, 0];
  return <polygon points={points.map((each, index) => each + (index % 2 === 0 ? x : y)).join(' ')} fill={fill} />;
}
