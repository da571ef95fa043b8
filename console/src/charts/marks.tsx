import type { ReactNode } from 'react';
import type { Look } from './palette.ts';

const R = 4;

/** The second cue of a line or point beside its colour: filled for what happened, hollow for what is projected. */
export function Mark({ look, x, y, hollow = false }: { look: Look; x: number; y: number; hollow?: boolean }): ReactNode {
  const drawn = hollow
    ? { fill: 'var(--mantine-color-body)', stroke: look.color, strokeWidth: 1.5 }
    : { fill: look.color, stroke: look.color };
  if (look.mark === 'circle') return <circle cx={x} cy={y} r={R - 0.5} {...drawn} />;
  if (look.mark === 'square') return <rect x={x - R + 1} y={y - R + 1} width={2 * R - 2} height={2 * R - 2} {...drawn} />;
  if (look.mark === 'triangle')
    return <polygon points={`${x},${y - R} ${x + R},${y + R - 1} ${x - R},${y + R - 1}`} {...drawn} />;
  if (look.mark === 'diamond') return <polygon points={`${x},${y - R} ${x + R},${y} ${x},${y + R} ${x - R},${y}`} {...drawn} />;
  const arm = R - 0.5;
  return (
    <path
      d={`M${x - arm},${y - arm}L${x + arm},${y + arm}M${x - arm},${y + arm}L${x + arm},${y - arm}`}
      stroke={look.color}
      strokeWidth={hollow ? 1.5 : 2.5}
      fill="none"
    />
  );
}
