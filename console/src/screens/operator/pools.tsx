import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { choice, text } from '../../ui/filters.tsx';
import { percent } from '../../ui/format-market.ts';
import { To } from '../../ui/link.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { OfferingName, OrganizationName } from './names.tsx';
import { countColumn, dayColumn, moneyColumn, statusColumn, whenColumn } from '../../ui/columns.tsx';

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
  statusColumn('status', 'Status'),
  whenColumn('issue_requested_at', 'Issue asked for'),
  { id: 'loan_type', title: 'Loan type', value: ({ loan_type }) => loan_type },
  countColumn('loan_count', 'Loans'),
  moneyColumn('balance', 'Balance (US$)'),
  { id: 'wac', title: 'Average rate', number: true, value: ({ wac }) => wac, cell: ({ wac }) => percent(wac) },
  dayColumn('closing_date', 'Closing'),
  {
    id: 'deal_id',
    title: 'Offering',
    value: ({ deal_id }) => deal_id,
    cell: ({ deal_id }) => <OfferingName id={deal_id} />,
  },
];
