import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { BETWEEN, choice, text } from '../../ui/filters.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { RecordLink } from '../people/record-link.tsx';
import { OrganizationName } from './names.tsx';
import { countColumn, dayColumn, statusColumn, whenColumn } from '../../ui/columns.tsx';

/** Loans of all originators that secure a lender elsewhere. */
export const PlatformPledges = (): ReactNode => (
  <Page
    title="Pledges"
    about="Loans that originators have pledged to lenders elsewhere. A loan that is pledged and in a pool, or in two pools, is a pledge conflict."
  >
    <RecordList
      name={['operator-pledges']}
      label="Pledges"
      read={(query: QueryOf<'/v1/operator/pledges'>) => sent(api.GET('/v1/operator/pledges', { params: { query } }))}
      filters={[choice('status', 'Status', ['LIVE', 'RELEASED']), text('organization_id', 'Originator', 'org_…'), ...BETWEEN]}
      columns={COLUMNS}
      rowKey={({ pledge_id }) => pledge_id}
      empty="No originator has registered a pledge."
    />
  </Page>
);

const COLUMNS: readonly Column<Records['OperatorPledge']>[] = [
  {
    id: 'organization_id',
    title: 'Originator',
    value: ({ organization_id }) => organization_id,
    cell: ({ organization_id }) => <OrganizationName id={organization_id} />,
  },
  { id: 'pledgee', title: 'Pledged to', value: ({ pledgee }) => pledgee },
  statusColumn('status', 'Status'),
  { id: 'loan_type', title: 'Loan type', value: ({ loan_type }) => loan_type },
  { id: 'deal_id', title: 'Loans of', value: ({ deal_id }) => deal_id, cell: ({ deal_id }) => <RecordLink id={deal_id} /> },
  dayColumn('as_of', 'As of'),
  countColumn('matched', 'Loans found'),
  countColumn('unmatched', 'Not found'),
  whenColumn('created_at', 'Made'),
  whenColumn('released_at', 'Released'),
  { id: 'pledge_id', title: 'Id', hidden: true, value: ({ pledge_id }) => pledge_id },
];
