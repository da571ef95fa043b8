import type { ReactNode } from 'react';
import { Mark } from './marks.tsx';
import type { Look } from './palette.ts';

/** One entry of a legend. */
export type Key = { name: string; look: Look; dashed?: boolean; as: 'line' | 'box' | 'mark' };

const [WIDTH, HEIGHT] = [28, 12];

/** What the colours, marks and dashes of a chart mean. */
export const Keys = ({ keys }: { keys: readonly Key[] }): ReactNode => (
  <ul className="legend">
    {keys.map(({ name, look, dashed, as }) => (
      <li key={name}>
        <svg width={as === 'line' ? WIDTH : HEIGHT} height={HEIGHT} aria-hidden="true">
          {as === 'box' && <rect width={HEIGHT} height={HEIGHT} fill={look.color} />}
          {as === 'line' && (
            <line
              x1="0"
              x2={WIDTH}
              y1={HEIGHT / 2}
              y2={HEIGHT / 2}
              stroke={look.color}
              strokeWidth="2"
              strokeDasharray={dashed ? '5 4' : undefined}
            />
          )}
          {as !== 'box' && <Mark look={look} x={(as === 'line' ? WIDTH : HEIGHT) / 2} y={HEIGHT / 2} hollow={dashed ?? false} />}
        </svg>
        {name}
      </li>
    ))}
  </ul>
);
