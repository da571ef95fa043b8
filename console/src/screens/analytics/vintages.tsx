import { SegmentedControl, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import type { Records } from '../../app/api.ts';
import { Lines, type Series } from '../../charts/lines.tsx';
import type { Column } from '../../ui/column.ts';
import { count, Day, money, shortMoney } from '../../ui/format.tsx';
import { percent } from '../../ui/format-market.ts';
import { Empty, Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { DataTable } from '../../ui/table.tsx';
import type { LoanSource, Unit, Vintages } from './loan-source.ts';
import { moneyColumn, wordsColumn } from '../../ui/columns.tsx';

type Vintage = Records['Vintage'];

/** Loans by the time of their origination: what is left of each vintage, what is late, and what is lost. */
export function VintagesView({ source }: { source: LoanSource }): ReactNode {
  const [values, set] = useAddress();
  const unit: Unit = values.unit === 'month' ? 'month' : 'quarter';
  const vintages = useQuery({ queryKey: [...source.key, 'vintages', unit], queryFn: () => source.vintages(unit) });
  return (
    <Stack gap="md">
      <div>
        <SegmentedControl
          size="xs"
          aria-label="How long a vintage is"
          data={[
            { value: 'quarter', label: 'Quarters' },
            { value: 'month', label: 'Months' },
          ]}
          value={unit}
          onChange={(next) => set({ unit: next === 'quarter' ? null : next })}
        />
      </div>
      <Read from={vintages}>
        {({ data }) =>
          data.vintages.length === 0 ? (
            <Empty>No loan has a date of origination: it is a field of the tape, which its mapping can name.</Empty>
          ) : (
            <Shown data={data} />
          )
        }
      </Read>
    </Stack>
  );
}

function Shown({ data }: { data: Vintages }): ReactNode {
  const { vintages, as_of } = data;
  const labels = vintages.map(({ vintage }) => vintage);
  const of = (name: string, color: number, value: (vintage: Vintage) => number | null): Series => ({
    name,
    color,
    values: vintages.map(value),
  });
  const about = { axis: 'Vintage', labels };
  const lost = vintages.some(({ loss_rate }) => loss_rate !== null);
  return (
    <>
      <Text size="sm" component="div">
        {count(vintages.length)} vintages, as of <Day at={as_of} />
      </Text>
      <div className="charts">
        <Lines
          title="Balance by vintage"
          unit={`US$, actual, as of ${as_of}`}
          {...about}
          format={shortMoney}
          series={[
            of('At origination', 1, ({ original_balance }) => original_balance),
            of('Current', 0, ({ balance }) => balance),
          ]}
        />
        <Lines
          title="What is left by vintage"
          unit={`Percent of the original balance, actual, as of ${as_of}`}
          {...about}
          format={percent}
          series={[of('Factor', 0, ({ factor }) => (factor === null ? null : factor * WHOLE))]}
        />
        <Lines
          title="Delinquent by vintage"
          unit={`Percent of the balance, actual, as of ${as_of}`}
          {...about}
          format={percent}
          series={[
            of('30 to 59 days', 5, (vintage) => vintage.delinquent_30),
            of('60 to 89 days', 1, (vintage) => vintage.delinquent_60),
            of('90 days and more', 3, (vintage) => vintage.delinquent_90),
          ]}
        />
        {lost && (
          <Lines
            title="Charged off by vintage"
            unit={`Percent of the original balance, actual, as of ${as_of}`}
            {...about}
            format={percent}
            series={[of('Charged off', 1, ({ loss_rate }) => loss_rate)]}
          />
        )}
      </div>
      <DataTable
        label="Vintages"
        columns={COLUMNS}
        rows={vintages}
        rowKey={({ vintage }) => vintage}
        whole
        pinned
        file="vintages"
      />
      {(data.roll_rates ?? []).map(({ deal_id, from_version, to_version, rolls }) => (
        <Part
          key={`${deal_id} ${to_version}`}
          title={`How loans of ${deal_id} moved between versions ${from_version} and ${to_version}`}
          about="By days past due"
        >
          <DataTable
            label={`Rolls of ${deal_id} to version ${to_version}`}
            columns={ROLLS}
            rows={rolls}
            rowKey={({ from, to }) => `${from} ${to}`}
            whole
            file="rolls"
          />
        </Part>
      ))}
    </>
  );
}

const WHOLE = 100;
const dollars = (id: 'balance' | 'original_balance' | 'charged_off', title: string): Column<Vintage> => ({
  id,
  title,
  number: true,
  value: (vintage) => vintage[id],
  cell: (vintage) => money(vintage[id]),
});
const rate = (id: 'delinquent_30' | 'delinquent_60' | 'delinquent_90' | 'loss_rate', title: string): Column<Vintage> => ({
  id,
  title,
  number: true,
  value: (vintage) => vintage[id],
  cell: (vintage) => percent(vintage[id]),
});

const COLUMNS: readonly Column<Vintage>[] = [
  { id: 'vintage', title: 'Vintage', value: ({ vintage }) => vintage },
  {
    id: 'loans',
    title: 'Loans',
    number: true,
    value: ({ loan_count }) => loan_count,
    cell: ({ loan_count }) => count(loan_count),
  },
  dollars('original_balance', 'Original (US$)'),
  dollars('balance', 'Current (US$)'),
  {
    id: 'factor',
    title: 'Factor',
    number: true,
    value: ({ factor }) => factor,
    cell: ({ factor }) => factor?.toFixed(4) ?? '–',
  },
  {
    id: 'wac',
    title: 'Average rate',
    number: true,
    value: ({ averages }) => averages.wac,
    cell: ({ averages }) => percent(averages.wac),
  },
  {
    id: 'score',
    title: 'Average credit score',
    number: true,
    value: ({ averages }) => averages.wa_credit_score,
    cell: ({ averages }) => averages.wa_credit_score?.toFixed(0) ?? '–',
  },
  rate('delinquent_30', '30 to 59 days'),
  rate('delinquent_60', '60 to 89 days'),
  rate('delinquent_90', '90 days and more'),
  dollars('charged_off', 'Charged off (US$)'),
  rate('loss_rate', 'Charged off'),
];

const ROLLS: readonly Column<Records['RollRate']>[] = [
  wordsColumn('from', 'From'),
  wordsColumn('to', 'To'),
  {
    id: 'loans',
    title: 'Loans',
    number: true,
    value: ({ loan_count }) => loan_count,
    cell: ({ loan_count }) => count(loan_count),
  },
  moneyColumn('balance', 'Balance (US$)'),
  { id: 'rate', title: 'Of the balance', number: true, value: ({ rate: of }) => of, cell: ({ rate: of }) => percent(of) },
];
