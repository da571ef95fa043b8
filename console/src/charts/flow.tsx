import { area, curveBumpX } from 'd3-shape';
import type { ReactNode } from 'react';
import { roomOf, shortened } from './axis.tsx';
import { Chart } from './chart.tsx';
import { lookOf } from './palette.ts';

type End = {
  name: string;
  value: number;
  /** The name of the entity that is paid, which has a colour of its own. */
  color?: number | string;
};
type Placed = End & { y: number; height: number; pot: number };

const [NODE, GAP, TOP, LINE, HEIGHT] = [12, 8, 8, 18, 320];
const LABEL_SHARE = 0.36;

/** Ends below each other, as high as their share of all; `pot` is where they meet the middle. */
function placed(ends: readonly End[], total: number): Placed[] {
  let [y, pot] = [TOP, TOP];
  return ends.map((end) => {
    const height = Math.max(1, (end.value / total) * HEIGHT);
    const at = { ...end, y, height, pot: pot + height / 2 };
    y += Math.max(height, LINE - GAP) + GAP;
    pot += height;
    return at;
  });
}

type Props = { title: string; unit: string; from: readonly End[]; to: readonly End[]; format: (value: number) => string };

/** Cash from where it comes, through one pot, to where it goes: as thick as it is much. */
export function Flow({ title, unit, from, to, format }: Props): ReactNode {
  const sources = from.filter(({ value }) => value > 0);
  const sum = (ends: readonly End[]): number => ends.reduce((all, { value }) => all + value, 0);
  const total = Math.max(sum(sources), sum(to), Number.EPSILON);
  const [left, right] = [placed(sources, total), placed(to, total)];
  const bottoms = [left, right].map((ends) => ends.at(-1)).map((end) => (end ? end.y + Math.max(end.height, LINE) : 0));
  const share = (value: number): string => `${((100 * value) / total).toFixed(1)}% of the cash`;
  return (
    <Chart
      title={title}
      unit={unit}
      header={['Cash', unit]}
      rows={[
        ...sources.map(({ name, value }): [string, number] => [`From ${name}`, value]),
        ...to.map(({ name, value }): [string, number] => [`To ${name}`, value]),
      ]}
      readings={[
        ...sources.map(({ name, value }) => [`From ${name}`, format(value), share(value)] as const),
        ...to.map(({ name, value }) => [`To ${name}`, format(value), share(value)] as const),
      ]}
      height={Math.max(HEIGHT + TOP, ...bottoms) + TOP}
    >
      {({ width, at }) => {
        const longest = Math.max(0, ...[...sources, ...to].map((end) => roomOf(`${end.name} ${format(end.value)}`)));
        const label = Math.min(width * LABEL_SHARE, longest + 10);
        const middle = width / 2;
        return (
          <>
            {left.map((end, index) => (
              <Branch
                key={`from ${end.name}`}
                end={end}
                at={index}
                read={at === index}
                ends={[label + NODE, middle - NODE / 2]}
                node={label}
                label={[label - 6, 'end', label]}
                format={format}
              />
            ))}
            <rect x={middle - NODE / 2} y={TOP} width={NODE} height={HEIGHT} fill="currentColor" opacity="0.6" />
            {right.map((end, index) => (
              <Branch
                key={`to ${end.name} ${index}`}
                end={{ color: index, ...end }}
                at={left.length + index}
                read={at === left.length + index}
                ends={[width - label - NODE, middle + NODE / 2]}
                node={width - label - NODE}
                label={[width - label + 6, 'start', label]}
                format={format}
              />
            ))}
          </>
        );
      }}
    </Chart>
  );
}

type BranchProps = {
  end: Placed;
  at: number;
  read: boolean;
  /** Where it begins outside, and where it meets the pot. */
  ends: readonly [outer: number, pot: number];
  node: number;
  label: readonly [x: number, anchor: 'start' | 'end', room: number];
  format: Props['format'];
};

/** As thick at one end as at the other, however close they are. */
const ribbon = area<readonly [x: number, middle: number, height: number]>()
  .x(([x]) => x)
  .y0(([, middle, height]) => middle - height / 2)
  .y1(([, middle, height]) => middle + height / 2)
  .curve(curveBumpX);

function Branch({ end, at, read, ends: [outer, pot], node, label: [x, anchor, room], format }: BranchProps): ReactNode {
  const { color } = lookOf(end.color ?? 0);
  const middle = end.y + end.height / 2;
  const figure = format(end.value);
  return (
    <g data-at={at} className={read ? 'read' : ''}>
      <path
        d={
          ribbon([
            [outer, middle, end.height],
            [pot, end.pot, end.height],
          ]) ?? ''
        }
        fill={color}
        fillOpacity={read ? 0.6 : 0.35}
      />
      <rect x={node} y={end.y} width={NODE} height={end.height} fill={color} />
      <text className="tick" x={x} y={middle} dy="0.32em" textAnchor={anchor}>
        {`${shortened(end.name, room - roomOf(figure) - 8)} ${figure}`}
      </text>
    </g>
  );
}
