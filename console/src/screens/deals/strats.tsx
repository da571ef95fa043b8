import { Select, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import type { Records } from '../../app/api.ts';
import { Bars } from '../../charts/bars.tsx';
import { count, Day, money, shortMoney, words } from '../../ui/format.tsx';
import { Note } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { type Column, DataTable } from '../../ui/table.tsx';

type Group = Records['StratGroup'];

/** Fields by which collateral is usually looked at; each type of loans has some of them. */
const FIELDS = [
  'state',
  'interest_rate',
  'current_balance',
  'remaining_term_months',
  'credit_score',
  'days_past_due',
  'original_term_months',
];
const PERCENT = new Intl.NumberFormat('en-US', { style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 });

type Props = { name: readonly string[]; read: (by: string) => Promise<{ data: Omit<Records['Strats'], 'tape_versions'> }> };

/** Loans in groups of a field, which can be chosen. */
export function Strats({ name, read }: Props): ReactNode {
  const [values, set] = useAddress();
  const by = values.by ?? 'state';
  const strats = useQuery({
    queryKey: [...name, 'strats', by],
    queryFn: () => read(by),
  });
  return (
    <Stack gap="md">
      <Select
        size="xs"
        w={240}
        label="By"
        allowDeselect={false}
        data={FIELDS.map((value) => ({ value, label: words(value) }))}
        value={by}
        onChange={(next) => set({ by: next })}
      />
      <Read from={strats}>
        {({ data }) => {
          const largest = data.groups.toSorted((one, other) => other.balance - one.balance).slice(0, 12);
          return (
            <>
              <div>
                {count(data.total.loan_count)} loans, {money(data.total.balance)}, as of <Day at={data.as_of} />
              </div>
              <Bars
                title={`Balance by ${words(by).toLowerCase()}`}
                unit="US$"
                bars={(data.groups[0]?.lower == null ? largest : data.groups).map(({ key, balance }) => ({
                  name: key,
                  value: balance,
                }))}
                format={shortMoney}
              />
              {data.groups.length > largest.length && data.groups[0]?.lower == null && (
                <Note color="gray">
                  The chart has the {largest.length} largest of {data.groups.length} groups; the table has all.
                </Note>
              )}
              <DataTable
                label={`Loans by ${words(by).toLowerCase()}`}
                columns={COLUMNS}
                rows={data.groups}
                rowKey={({ key }) => key}
                whole
              />
            </>
          );
        }}
      </Read>
    </Stack>
  );
}

const COLUMNS: readonly Column<Group>[] = [
  { id: 'key', title: 'Group', value: ({ key }) => key },
  {
    id: 'loan_count',
    title: 'Loans',
    number: true,
    value: ({ loan_count }) => loan_count,
    cell: ({ loan_count }) => count(loan_count),
  },
  { id: 'balance', title: 'Balance (US$)', number: true, value: ({ balance }) => balance, cell: ({ balance }) => money(balance) },
  {
    id: 'share',
    title: 'Share of balance',
    number: true,
    value: ({ share }) => share,
    cell: ({ share }) => PERCENT.format(share),
  },
  {
    id: 'average_balance',
    title: 'Average (US$)',
    number: true,
    value: ({ average_balance }) => average_balance,
    cell: ({ average_balance }) => money(average_balance),
  },
];
