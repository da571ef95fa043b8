import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { choice } from '../../ui/filters.tsx';
import { percent } from '../../ui/format-market.ts';
import { ButtonTo, To } from '../../ui/link.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { countColumn, dayColumn, moneyColumn, statusColumn } from '../../ui/columns.tsx';

export const LOAN_TYPES = ['Auto', 'Personal', 'Mortgage', 'Student', 'Business', 'Credit Card'] as const;
const STATUSES = ['DRAFT', 'STRUCTURED', 'LOCKED', 'ISSUED', 'CLOSED', 'CANCELLED'];

/** The pools of the organization. */
export const Pools = (): ReactNode => (
  <Page
    title="Pools"
    about="Loans of approved deals with the liabilities that they pay. An issued pool is a deal on the market."
    acts={
      <ButtonTo to="/pools/new" size="compact-sm">
        Form a pool
      </ButtonTo>
    }
  >
    <RecordList
      name={['pools']}
      label="Pools"
      read={(query: QueryOf<'/v1/api/originator/pools'>) => sent(api.GET('/v1/api/originator/pools', { params: { query } }))}
      filters={[choice('status', 'Status', STATUSES), choice('type', 'Loan type', LOAN_TYPES)]}
      columns={COLUMNS}
      rowKey={({ pool_id }) => pool_id}
      empty="No pool yet. A pool is formed from the loans of approved deals of one type."
    />
  </Page>
);

const COLUMNS: readonly Column<Records['PoolSummary']>[] = [
  {
    id: 'name',
    title: 'Pool',
    value: ({ name }) => name,
    cell: ({ pool_id, name }) => (
      <To to="/pools/$poolId" params={{ poolId: pool_id }} size="sm">
        {name}
      </To>
    ),
  },
  statusColumn('status', 'Status'),
  { id: 'loan_type', title: 'Loan type', value: ({ loan_type }) => loan_type },
  countColumn('loan_count', 'Loans'),
  moneyColumn('balance', 'Balance (US$)'),
  { id: 'wac', title: 'Average rate', number: true, value: ({ wac }) => wac, cell: ({ wac }) => percent(wac) },
  {
    id: 'wam',
    title: 'Average term left',
    number: true,
    value: ({ wam }) => wam,
    cell: ({ wam }) => (wam === null ? '–' : `${Math.round(wam)} months`),
  },
  dayColumn('cut_off_date', 'Cut-off'),
  dayColumn('closing_date', 'Closing'),
];
