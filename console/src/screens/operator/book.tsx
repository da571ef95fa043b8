import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Records } from '../../app/api.ts';
import { Bars } from '../../charts/bars.tsx';
import type { Column } from '../../ui/column.ts';
import { count, money, shortMoney } from '../../ui/format.tsx';
import { termRate } from '../../ui/format-market.ts';
import { Empty, Facts, Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { DataTable } from '../../ui/table.tsx';
import { OrganizationName, useBook } from './names.tsx';

type Tranche = Records['TrancheBook'];
type Investor = Records['InvestorDemand'];

/** What investors ask for, tranche by tranche: by limit, and by who asks. */
export function Book({ dealId }: { dealId: string }): ReactNode {
  const book = useBook(dealId);
  return (
    <Read from={book}>
      {({ data }) => (
        <Stack gap="lg">
          {data.tranches.length === 0 && <Empty>No tranche of this deal is offered.</Empty>}
          {data.tranches.map((tranche) => (
            <OfTranche key={tranche.tranche_id} tranche={tranche} />
          ))}
        </Stack>
      )}
    </Read>
  );
}

function OfTranche({ tranche }: { tranche: Tranche }): ReactNode {
  const { orders_by_limit, investors } = tranche;
  return (
    <Part title={`${tranche.tranche}, ${tranche.class}`}>
      <Stack gap="sm">
        <Facts
          facts={[
            ['Offered', money(tranche.balance)],
            ['Covered', tranche.coverage === null ? '–' : `${tranche.coverage.toFixed(2)} times`],
            ['Subscriptions', demand(tranche.subscriptions)],
            ['Orders', demand(tranche.orders)],
            ['Indications', demand(tranche.indications)],
          ]}
        />
        {orders_by_limit.length > 0 && (
          <Bars
            title={`Orders for ${tranche.tranche} by limit`}
            unit="US$"
            bars={orders_by_limit.map(({ limit_yield, amount }) => ({
              name: limit_yield === null ? 'At any yield' : `From ${termRate(limit_yield)}`,
              value: amount,
            }))}
            format={shortMoney}
          />
        )}
        {investors.length === 0 ? (
          <Empty>There is no demand for this tranche yet.</Empty>
        ) : (
          <DataTable
            label={`Investors in ${tranche.tranche}`}
            columns={INVESTORS}
            rows={investors}
            rowKey={({ organization_id }) => organization_id}
            whole
          />
        )}
      </Stack>
    </Part>
  );
}

const demand = ({ amount, count: times }: Records['Demand']): string =>
  times === 0 ? 'None' : `${money(amount)} in ${count(times)}`;

const INVESTORS: readonly Column<Investor>[] = [
  {
    id: 'organization',
    title: 'Investor',
    value: ({ organization }) => organization,
    cell: ({ organization_id }) => <OrganizationName id={organization_id} />,
  },
  {
    id: 'subscriptions',
    title: 'Subscriptions (US$)',
    number: true,
    value: ({ subscriptions }) => subscriptions.amount,
    cell: ({ subscriptions }) => money(subscriptions.amount),
  },
  {
    id: 'orders',
    title: 'Orders (US$)',
    number: true,
    value: ({ orders }) => orders.amount,
    cell: ({ orders }) => money(orders.amount),
  },
  {
    id: 'indications',
    title: 'Indications (US$)',
    number: true,
    value: ({ indications }) => indications.amount,
    cell: ({ indications }) => money(indications.amount),
  },
];
