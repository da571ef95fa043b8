import { date, decimal, words } from '../lib/format.ts';
import { html, type VNode } from '../lib/view.ts';
import type { Remittance } from '../wire/api.ts';
import { type Column, table } from './table.ts';

type Line = Remittance['verification']['lines'][number];

/** The figures of a report that differ from its structure. */
export const differencesOf = ({ verification }: Pick<Remittance, 'verification'>): readonly Line[] =>
  verification.lines.filter(({ difference }) => difference !== null && difference !== 0);

export const differing = (report: Pick<Remittance, 'verification'>): VNode =>
  table({ caption: 'Figures that differ', rows: differencesOf(report), columns: LINES });

/** Every figure of a report beside the one that follows from its cash. */
export const compared = ({ verification }: Pick<Remittance, 'verification'>): VNode =>
  table({ caption: 'All figures', rows: verification.lines, columns: LINES });

const LINES: readonly Column<Line>[] = [
  {
    title: 'Figure',
    kind: 'wide',
    cell: (line) => html`<strong>${words(line.what)}</strong><small>${line.tranche ?? line.path}</small>`,
  },
  { title: 'Reported', kind: 'number', cell: (line) => figure(line.reported, digitsOf(line)) },
  { title: 'Expected', kind: 'number', cell: (line) => figure(line.expected, digitsOf(line)) },
  { title: 'Difference', kind: 'number', cell: (line) => decimal(line.difference, digitsOf(line)) },
  { title: 'Step', cell: (line) => [line.step, line.clause].filter(Boolean).join(', ') || '–' },
];

/** Money has cents, a coupon five decimals. */
const digitsOf = ({ path }: Line): number => (path.endsWith('.rate') ? 5 : 2);

const figure = (value: Line['expected'], digits: number): string =>
  typeof value === 'number' ? decimal(value, digits) : value === null ? '–' : date(value);
