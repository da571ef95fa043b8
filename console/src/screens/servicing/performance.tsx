import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Records } from '../../app/api.ts';
import { Lines } from '../../charts/lines.tsx';
import { count, Day, money, shortMoney, words } from '../../ui/format.tsx';
import { percent } from '../../ui/format-market.ts';
import { Empty } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { type Column, DataTable } from '../../ui/table.tsx';

type Period = Records['PerformancePeriod'];

type Props = { name: readonly string[]; read: () => Promise<{ data: Period[] }> };

/** What a pool has paid and lost month by month, beside what was projected for it. */
export function PoolPerformance({ name, read }: Props): ReactNode {
  const performance = useQuery({ queryKey: [...name, 'performance'], queryFn: read });
  return (
    <Read from={performance}>
      {({ data }) => {
        if (data.length === 0) return <Empty>No month has been reported yet: the first report comes after the closing.</Empty>;
        const labels = data.map(({ period }) => String(period));
        return (
          <Stack gap="lg">
            <Lines
              title="Balance of the pool"
              unit="US$, at the end of each period"
              axis="Period"
              labels={labels}
              format={shortMoney}
              series={[{ name: 'Actual', color: 0, values: data.map(({ closing }) => closing) }]}
            />
            <Lines
              title="Prepayment"
              unit="CPR, percent a year"
              axis="Period"
              labels={labels}
              format={percent}
              series={[
                { name: 'Actual', color: 0, values: data.map(({ cpr }) => cpr) },
                { name: 'Projected', color: 0, projected: true, values: data.map(({ projected }) => projected?.cpr ?? null) },
              ]}
            />
            <Lines
              title="Cumulative net loss"
              unit="Percent of the balance at the cut-off"
              axis="Period"
              labels={labels}
              format={percent}
              series={[
                { name: 'Actual', color: 1, values: data.map(({ cnl }) => cnl) },
                { name: 'Projected', color: 1, projected: true, values: data.map(({ projected }) => projected?.cnl ?? null) },
              ]}
            />
            <DataTable label="Months" columns={COLUMNS} rows={data} rowKey={({ period }) => String(period)} whole />
          </Stack>
        );
      }}
    </Read>
  );
}

const COLUMNS: readonly Column<Period>[] = [
  { id: 'period', title: 'Period', number: true, value: ({ period }) => period },
  {
    id: 'payment_date',
    title: 'Paid on',
    value: ({ payment_date }) => payment_date,
    cell: ({ payment_date }) => <Day at={payment_date} />,
  },
  { id: 'basis', title: 'From', value: ({ basis }) => basis, cell: ({ basis }) => words(basis) },
  { id: 'opening', title: 'Opening (US$)', number: true, value: ({ opening }) => opening, cell: ({ opening }) => money(opening) },
  {
    id: 'principal_collected',
    title: 'Principal (US$)',
    number: true,
    value: ({ principal_collected }) => principal_collected,
    cell: ({ principal_collected }) => money(principal_collected),
  },
  {
    id: 'defaulted',
    title: 'Defaulted (US$)',
    number: true,
    value: ({ defaulted }) => defaulted,
    cell: ({ defaulted }) => money(defaulted),
  },
  {
    id: 'recovered',
    title: 'Recovered (US$)',
    number: true,
    value: ({ recovered }) => recovered,
    cell: ({ recovered }) => money(recovered),
  },
  { id: 'closing', title: 'Closing (US$)', number: true, value: ({ closing }) => closing, cell: ({ closing }) => money(closing) },
  { id: 'cpr', title: 'CPR', number: true, value: ({ cpr }) => cpr, cell: ({ cpr }) => percent(cpr) },
  { id: 'cdr', title: 'CDR', number: true, value: ({ cdr }) => cdr, cell: ({ cdr }) => percent(cdr) },
  { id: 'cnl', title: 'Net loss', number: true, value: ({ cnl }) => cnl, cell: ({ cnl }) => percent(cnl) },
  {
    id: 'count',
    title: 'Loans',
    number: true,
    hidden: true,
    value: ({ count: loans }) => loans,
    cell: ({ count: loans }) => count(loans),
  },
];
