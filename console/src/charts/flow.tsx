import { useElementSize } from '@mantine/hooks';
import { linkHorizontal } from 'd3-shape';
import type { ReactNode } from 'react';
import { Chart } from './chart.tsx';
import { colorOf } from './lines.tsx';

type End = { name: string; value: number };

const [NODE, GAP, TOP, SMALLEST, LINE] = [12, 8, 8, 300, 18];
const HEIGHT = 320;
const LABEL = { narrow: 110, wide: 200, from: 560 };

type Placed = End & { y: number; height: number };

/** Ends below each other, as high as their share of all. */
function placed(ends: readonly End[], total: number, height: number): Placed[] {
  let y = TOP;
  return ends.map((end) => {
    const share = Math.max(1, (end.value / total) * height);
    const at = { ...end, y, height: share };
    y += Math.max(share, LINE - GAP) + GAP;
    return at;
  });
}

/** Cash from where it comes, through one pot, to where it goes: as thick as it is much. */
export function Flow({
  title,
  unit,
  from,
  to,
  format,
}: {
  title: string;
  unit: string;
  from: readonly End[];
  to: readonly End[];
  format: (value: number) => string;
}): ReactNode {
  const { ref, width: measured } = useElementSize();
  const width = Math.max(SMALLEST, measured);
  const sources = from.filter(({ value }) => value > 0);
  const total = Math.max(
    sources.reduce((sum, { value }) => sum + value, 0),
    to.reduce((sum, { value }) => sum + value, 0),
    Number.EPSILON,
  );
  const label = width < LABEL.from ? LABEL.narrow : LABEL.wide;
  const left = placed(sources, total, HEIGHT);
  const right = placed(to, total, HEIGHT);
  const last = [left, right].map((ends) => ends.at(-1)).map((end) => (end ? end.y + Math.max(end.height, LINE) : 0));
  const height = Math.max(...last) + TOP;
  const middle = width / 2;
  const pot = { y: TOP, height: HEIGHT };
  const link = linkHorizontal<unknown, [number, number]>();
  let [filled, drained] = [pot.y, pot.y];
  return (
    <Chart
      title={title}
      unit={unit}
      header={['Cash', unit]}
      rows={[
        ...sources.map(({ name, value }): [string, number] => [`From ${name}`, value]),
        ...to.map(({ name, value }): [string, number] => [`To ${name}`, value]),
      ]}
    >
      <div ref={ref}>
        <svg role="img" aria-label={`${title}, in ${unit}`} width={width} height={height} className="drawing">
          {left.map((end) => {
            const at = filled + end.height / 2;
            filled += end.height;
            return (
              <g key={`from ${end.name}`}>
                <path
                  d={link({ source: [label + NODE, end.y + end.height / 2], target: [middle - NODE / 2, at] }) ?? ''}
                  fill="none"
                  stroke="#0072b2"
                  strokeOpacity="0.35"
                  strokeWidth={end.height}
                >
                  <title>{`${end.name}: ${format(end.value)}`}</title>
                </path>
                <rect x={label} y={end.y} width={NODE} height={end.height} fill="#0072b2" />
                <text className="tick" x={label - 6} y={end.y + end.height / 2} dy="0.32em" textAnchor="end">
                  {`${end.name} ${format(end.value)}`}
                </text>
              </g>
            );
          })}
          <rect x={middle - NODE / 2} y={pot.y} width={NODE} height={pot.height} fill="currentColor" opacity="0.6" />
          {right.map((end, index) => {
            const at = drained + end.height / 2;
            drained += end.height;
            return (
              <g key={`to ${end.name} ${index}`}>
                <path
                  d={
                    link({
                      source: [middle + NODE / 2, at],
                      target: [width - label - NODE, end.y + end.height / 2],
                    }) ?? ''
                  }
                  fill="none"
                  stroke={colorOf(index)}
                  strokeOpacity="0.35"
                  strokeWidth={end.height}
                >
                  <title>{`${end.name}: ${format(end.value)}`}</title>
                </path>
                <rect x={width - label - NODE} y={end.y} width={NODE} height={end.height} fill={colorOf(index)} />
                <text className="tick" x={width - label + 6} y={end.y + end.height / 2} dy="0.32em">
                  {`${short(end.name, label)} ${format(end.value)}`}
                </text>
              </g>
            );
          })}
        </svg>
      </div>
    </Chart>
  );
}

const LETTER = 9;
const short = (name: string, room: number): string => {
  const most = Math.floor(room / LETTER) - 3;
  return name.length > most ? `${name.slice(0, Math.max(1, most - 1))}…` : name;
};
