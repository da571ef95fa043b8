import type { ReactNode } from 'react';
import type { Records } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { Day } from '../../ui/format.tsx';
import { Empty } from '../../ui/page.tsx';
import { DataTable } from '../../ui/table.tsx';
import { testFigure } from '../../ui/trigger-figures.ts';
import { wordsColumn } from '../../ui/columns.tsx';

type Line = Records['VerificationLine'];
type Verified = { verification: Records['Verification'] };

/** Figures that are not what the structure pays. */
export const differencesOf = ({ verification }: Verified): readonly Line[] =>
  verification.lines.filter(({ difference }) => difference !== null && difference !== 0);

/** The figures of a report that differ from what its structure pays of the same cash. */
export const Differences = ({ report }: { report: Verified }): ReactNode => {
  const differing = differencesOf(report);
  return differing.length === 0 ? (
    <Empty>Every figure that can be computed again agrees.</Empty>
  ) : (
    <DataTable label="Differences" columns={LINES} rows={differing} rowKey={keyOf} whole />
  );
};

/** Every figure of a report beside the computed one. */
export const AllFigures = ({ report }: { report: Verified }): ReactNode => (
  <DataTable label="Figures of the report" columns={LINES} rows={report.verification.lines} rowKey={keyOf} whole />
);

/** The triggers of a structure as a report leaves them. */
export const Triggers = ({ triggers }: { triggers: readonly Records['TriggerStatus'][] }): ReactNode => (
  <DataTable label="Triggers of the period" columns={TRIGGERS} rows={triggers} rowKey={({ trigger }) => trigger} whole />
);

const keyOf = ({ path }: Line): string => path;

/** Money has cents, a rate five decimals. */
const DIGITS = { rate: 5, money: 2 };
const figure = (value: Line['expected'], path: string): ReactNode => {
  if (value === null) return '–';
  if (typeof value === 'string') return <Day at={value} />;
  return value.toLocaleString('en-US', {
    minimumFractionDigits: 2,
    maximumFractionDigits: path.endsWith('.rate') ? DIGITS.rate : DIGITS.money,
  });
};

const LINES: readonly Column<Line>[] = [
  wordsColumn('what', 'Figure'),
  { id: 'tranche', title: 'Tranche', value: ({ tranche }) => tranche },
  {
    id: 'reported',
    title: 'Reported',
    number: true,
    value: ({ reported }) => reported,
    cell: ({ reported, path }) => figure(reported, path),
  },
  {
    id: 'expected',
    title: 'Computed',
    number: true,
    value: ({ expected }) => expected,
    cell: ({ expected, path }) => figure(expected, path),
  },
  {
    id: 'difference',
    title: 'Difference',
    number: true,
    value: ({ difference }) => difference,
    cell: ({ difference, path }) => figure(difference, path),
  },
  { id: 'step', title: 'Step', value: ({ step }) => step },
  { id: 'clause', title: 'Clause', value: ({ clause }) => clause },
  { id: 'path', title: 'Path', hidden: true, value: ({ path }) => path },
];

const TRIGGERS: readonly Column<Records['TriggerStatus']>[] = [
  wordsColumn('trigger', 'Trigger'),
  {
    id: 'on',
    title: 'State',
    value: ({ on }) => (on ? 1 : 0),
    cell: ({ on, newly_on }) => (on ? (newly_on ? 'On since this period' : 'On') : 'Off'),
  },
  {
    id: 'tests',
    title: 'Tests',
    value: ({ tests }) => tests.length,
    cell: ({ tests }) =>
      tests
        .map(
          ({ metric, actual, op, threshold, breached }) =>
            `${metric} ${testFigure(metric, actual)} ${op} ${testFigure(metric, threshold)}${breached ? ', breached' : ''}`,
        )
        .join('; '),
  },
];
