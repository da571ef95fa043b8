import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { choice, text } from '../../ui/filters.tsx';
import { count, money, When } from '../../ui/format.tsx';
import { To } from '../../ui/link.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { OrganizationName } from './names.tsx';

const STATUSES = ['MARKETING', 'BOOKS_CLOSED', 'ALLOCATED', 'CLOSED', 'WITHDRAWN'];

/** Securitization deals: what is marketed, what has to be allocated, and what is closed. */
export const Offerings = (): ReactNode => (
  <Page title="Offerings" about="Securitization deals on the market, their books and their allocation.">
    <RecordList
      name={['offerings']}
      label="Offerings"
      read={(query: QueryOf<'/v1/operator/deals'>) => sent(api.GET('/v1/operator/deals', { params: { query } }))}
      fixed={{ kind: 'SECURITIZATION' }}
      filters={[choice('market_status', 'Market status', STATUSES), text('organization_id', 'Organization', 'org_…')]}
      columns={COLUMNS}
      rowKey={({ deal_id }) => deal_id}
      empty="No deal is on the market: a pool becomes one when it is issued."
    />
  </Page>
);

const COLUMNS: readonly Column<Records['OperatorDealSummary']>[] = [
  {
    id: 'name',
    title: 'Deal',
    value: ({ name }) => name,
    cell: ({ deal_id, name }) => (
      <To to="/offerings/$dealId" params={{ dealId: deal_id }} size="sm">
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
  { id: 'loan_type', title: 'Loan type', value: ({ loan_type }) => loan_type },
  {
    id: 'market_status',
    title: 'Market status',
    value: ({ market_status }) => market_status,
    cell: ({ market_status }) => <Status of={market_status} />,
  },
  {
    id: 'loan_count',
    title: 'Loans',
    number: true,
    value: ({ loan_count }) => loan_count,
    cell: ({ loan_count }) => count(loan_count),
  },
  {
    id: 'total_balance',
    title: 'Balance (US$)',
    number: true,
    value: ({ total_balance }) => total_balance,
    cell: ({ total_balance }) => money(total_balance),
  },
  {
    id: 'updated_at',
    title: 'Changed',
    value: ({ updated_at }) => updated_at,
    cell: ({ updated_at }) => <When at={updated_at} />,
  },
];
