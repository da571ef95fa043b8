import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { choice, text } from '../../ui/filters.tsx';
import { count, Day, money, When } from '../../ui/format.tsx';
import { percent } from '../../ui/format-market.ts';
import { To } from '../../ui/link.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { OfferingName, OrganizationName } from './names.tsx';

const STATUSES = ['DRAFT', 'STRUCTURED', 'LOCKED', 'ISSUED', 'CLOSED', 'CANCELLED'];

/** Pools of all originators; a locked one can be issued when its originator has asked for it. */
export const PlatformPools = (): ReactNode => (
  <Page title="Pools" about="Pools of all originators. An issued pool becomes a deal that investors can buy.">
    <RecordList
      name={['operator-pools']}
      label="Pools"
      read={(query: QueryOf<'/v1/operator/pools'>) => sent(api.GET('/v1/operator/pools', { params: { query } }))}
      filters={[choice('status', 'Status', STATUSES), text('organization_id', 'Originator', 'org_…')]}
      columns={COLUMNS}
      rowKey={({ pool_id }) => pool_id}
      empty="No originator has formed a pool yet."
    />
  </Page>
);

const COLUMNS: readonly Column<Records['OperatorPoolSummary']>[] = [
  {
    id: 'name',
    title: 'Pool',
    value: ({ name }) => name,
    cell: ({ pool_id, name }) => (
      <To to="/platform-pools/$poolId" params={{ poolId: pool_id }} size="sm">
        {name}
      </To>
    ),
  },
  {
    id: 'organization_id',
    title: 'Originator',
    value: ({ organization_id }) => organization_id,
    cell: ({ organization_id }) => <OrganizationName id={organization_id} />,
  },
  { id: 'status', title: 'Status', value: ({ status }) => status, cell: ({ status }) => <Status of={status} /> },
  {
    id: 'issue_requested_at',
    title: 'Issue asked for',
    value: ({ issue_requested_at }) => issue_requested_at,
    cell: ({ issue_requested_at }) => <When at={issue_requested_at} />,
  },
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
    id: 'closing_date',
    title: 'Closing',
    value: ({ closing_date }) => closing_date,
    cell: ({ closing_date }) => <Day at={closing_date} />,
  },
  {
    id: 'deal_id',
    title: 'Offering',
    value: ({ deal_id }) => deal_id,
    cell: ({ deal_id }) => <OfferingName id={deal_id} />,
  },
];
