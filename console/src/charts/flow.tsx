import { linkHorizontal } from 'd3-shape';
import type { ReactNode } from 'react';
import { shortened } from './axis.tsx';
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
const LABEL = { narrow: 110, wide: 220, from: 560 };

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
        const label = width < LABEL.from ? LABEL.narrow : LABEL.wide;
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

const link = linkHorizontal<unknown, [number, number]>();

function Branch({ end, at, read, ends: [outer, pot], node, label: [x, anchor, room], format }: BranchProps): ReactNode {
  const { color } = lookOf(end.color ?? 0);
  const middle = end.y + end.height / 2;
  const figure = format(end.value);
  return (
    <g data-at={at} className={read ? 'read' : ''}>
      <path
        d={link({ source: [outer, middle], target: [pot, end.pot] }) ?? ''}
        fill="none"
        stroke={color}
        strokeOpacity={read ? 0.6 : 0.35}
        strokeWidth={end.height}
      />
      <rect x={node} y={end.y} width={NODE} height={end.height} fill={color} />
      <text className="tick" x={x} y={middle} dy="0.32em" textAnchor={anchor}>
        {`${shortened(end.name, room - figure.length * 7.5 - 10)} ${figure}`}
      </text>
    </g>
  );
}
