import type { ReactNode } from 'react';

type Scale = ((value: number) => number) & { ticks: (count: number) => number[] };

/** What an axis measures: the unit without what qualifies it. */
export const axisTitle = (unit: string): string => unit.split(',')[0] ?? unit;

type Vertical = { scale: Scale; from: number; to: number; format: (value: number) => string; title: string };

/** Rules across the drawing with their values at the left, and above them what they measure. */
export const VerticalAxis = ({ scale, from, to, format, title }: Vertical): ReactNode => (
  <g>
    <text className="tick" x={0} y={11}>
      {title}
    </text>
    {scale.ticks(5).map((tick) => (
      <g key={tick}>
        <line className={tick === 0 ? 'rule zero' : 'rule'} x1={from} x2={to} y1={scale(tick)} y2={scale(tick)} />
        <text className="tick" x={from - 8} y={scale(tick)} dy="0.32em" textAnchor="end">
          {format(tick)}
        </text>
      </g>
    ))}
  </g>
);

type Horizontal = { scale: Scale; ticks: number; top: number; base: number; format: (value: number) => string; title: string };

/** Rules down the drawing with their values below, and below them what they measure. */
export const HorizontalAxis = ({ scale, ticks, top, base, format, title }: Horizontal): ReactNode => {
  const values = scale.ticks(ticks);
  const middle = (scale(values[0] ?? 0) + scale(values.at(-1) ?? 0)) / 2;
  return (
    <g>
      {values.map((tick) => (
        <g key={tick}>
          <line className={tick === 0 ? 'rule zero' : 'rule'} x1={scale(tick)} x2={scale(tick)} y1={top} y2={base} />
          <text className="tick" x={scale(tick)} y={base + 15} textAnchor="middle">
            {format(tick)}
          </text>
        </g>
      ))}
      <text className="tick" x={middle} y={base + 32} textAnchor="middle">
        {title}
      </text>
    </g>
  );
};

const LETTER = 7.4;
/** A name as long as its room allows; the whole one stands in the reading and the table. */
export function shortened(name: string, room: number): string {
  const letters = Math.max(2, Math.floor(room / LETTER));
  return name.length > letters ? `${name.slice(0, letters - 1)}…` : name;
}
/** The room that a text takes, as near as it has to be known before it is drawn. */
export const roomOf = (text: string): number => text.length * LETTER;
