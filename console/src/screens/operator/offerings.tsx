import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { choice, text } from '../../ui/filters.tsx';
import { To } from '../../ui/link.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { OrganizationName } from './names.tsx';
import { countColumn, moneyColumn, statusColumn, whenColumn } from '../../ui/columns.tsx';

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
  statusColumn('market_status', 'Market status'),
  countColumn('loan_count', 'Loans'),
  moneyColumn('total_balance', 'Balance (US$)'),
  whenColumn('updated_at', 'Changed'),
];
