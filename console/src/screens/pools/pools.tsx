import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { choice } from '../../ui/filters.tsx';
import { count, Day, money } from '../../ui/format.tsx';
import { percent } from '../../ui/format-market.ts';
import { ButtonTo, To } from '../../ui/link.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';

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
  { id: 'status', title: 'Status', value: ({ status }) => status, cell: ({ status }) => <Status of={status} /> },
  { id: 'loan_type', title: 'Loan type', value: ({ loan_type }) => loan_type },
  {
    id: 'loan_count',
    title: 'Loans',
    number: true,
    value: ({ loan_count }) => loan_count,
    cell: ({ loan_count }) => count(loan_count),
  },
  { id: 'balance', title: 'Balance (US$)', number: true, value: ({ balance }) => balance, cell: ({ balance }) => money(balance) },
  { id: 'wac', title: 'Average rate', number: true, value: ({ wac }) => wac, cell: ({ wac }) => percent(wac) },
  {
    id: 'wam',
    title: 'Average term left',
    number: true,
    value: ({ wam }) => wam,
    cell: ({ wam }) => (wam === null ? '–' : `${Math.round(wam)} months`),
  },
  {
    id: 'cut_off_date',
    title: 'Cut-off',
    value: ({ cut_off_date }) => cut_off_date,
    cell: ({ cut_off_date }) => <Day at={cut_off_date} />,
  },
  {
    id: 'closing_date',
    title: 'Closing',
    value: ({ closing_date }) => closing_date,
    cell: ({ closing_date }) => <Day at={closing_date} />,
  },
];
