import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Records } from '../../app/api.ts';
import { Bars } from '../../charts/bars.tsx';
import type { Column } from '../../ui/column.ts';
import { count, Day, money, words } from '../../ui/format.tsx';
import { percentOf } from '../../ui/intl.ts';
import { Facts, Note, Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { DataTable } from '../../ui/table.tsx';
import type { Risk } from './loan-source.ts';
import { moneyColumn, wordsColumn } from '../../ui/columns.tsx';

type Average = Records['CreditRisk']['weighted_averages'][number];
type Concentration = NonNullable<Risk['top_states']>[number];

/** What can go wrong with the loans: averages, who and where too much is owed, and what is late. */
export function RiskView({ name, read }: { name: readonly string[]; read: () => Promise<{ data: Risk }> }): ReactNode {
  const risk = useQuery({ queryKey: [...name, 'risk'], queryFn: read });
  return <Read from={risk}>{({ data }) => <Shown risk={data} />}</Read>;
}

function Shown({ risk }: { risk: Risk }): ReactNode {
  const { total, hhi, as_of, delinquency, top_states, top_obligors } = risk;
  const unit = `Share of the balance, actual, as of ${as_of}`;
  const known = risk.weighted_averages.filter(({ value }) => value !== null);
  const lacking = risk.weighted_averages.length - known.length;
  return (
    <Stack gap="md">
      <Facts
        facts={[
          ['Loans', count(total.loan_count)],
          ['Balance', money(total.balance)],
          ['Average balance', money(total.average_balance)],
          ['Concentration by obligor (HHI)', index(hhi.obligor)],
          ['Concentration by state (HHI)', index(hhi.state)],
          ['As of', <Day key="as-of" at={as_of} />],
        ]}
      />
      <Part title="Delinquency and concentration">
        <div className="charts">
          <Bars
            title="Balance by days past due"
            unit={unit}
            bars={delinquency.map((each) => ({ name: words(each.name), value: each.share }))}
            format={percentOf}
          />
          {top_states && <Bars title="Largest states" unit={unit} bars={barsOf(top_states)} format={percentOf} />}
          {top_obligors && <Bars title="Largest obligors" unit={unit} bars={barsOf(top_obligors)} format={percentOf} />}
        </div>
      </Part>
      <Part title="Averages" about="Weighted by balance; loans without a value are left out.">
        <DataTable
          label="Weighted averages"
          columns={AVERAGES}
          rows={known}
          rowKey={({ field }) => field}
          whole
          pinned
          file="averages"
        />
        {lacking > 0 && <Note color="gray">{lacking} further fields have no value in any loan.</Note>}
      </Part>
      <Part title="Delinquency">
        <DataTable
          label="Loans by days past due"
          columns={PARTS}
          rows={delinquency}
          rowKey={(each) => each.name}
          whole
          pinned
          file="delinquency"
        />
      </Part>
    </Stack>
  );
}

const index = (value: number | null): string => (value === null ? '–' : value.toFixed(4));
const barsOf = (parts: readonly Concentration[]) => parts.map((each) => ({ name: each.name, value: each.share }));

const AVERAGES: readonly Column<Average>[] = [
  wordsColumn('field', 'Field'),
  {
    id: 'value',
    title: 'Average',
    number: true,
    value: ({ value }) => value,
    cell: ({ value }) => value?.toLocaleString('en-US', { maximumFractionDigits: 2 }) ?? '–',
  },
  { id: 'unit', title: 'Unit', value: ({ unit }) => unit },
  {
    id: 'missing',
    title: 'Loans without',
    number: true,
    value: ({ loans_missing }) => loans_missing,
    cell: ({ loans_missing }) => count(loans_missing),
  },
  moneyColumn('balance_missing', 'Their balance (US$)'),
];

const PARTS: readonly Column<Concentration>[] = [
  { id: 'name', title: 'Days past due', value: (each) => each.name, cell: (each) => words(each.name) },
  {
    id: 'loans',
    title: 'Loans',
    number: true,
    value: ({ loan_count }) => loan_count,
    cell: ({ loan_count }) => count(loan_count),
  },
  moneyColumn('balance', 'Balance (US$)'),
  { id: 'share', title: 'Share of balance', number: true, value: ({ share }) => share, cell: ({ share }) => percentOf(share) },
];
