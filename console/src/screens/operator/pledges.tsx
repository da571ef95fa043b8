import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { BETWEEN, choice, text } from '../../ui/filters.tsx';
import { count, Day, When } from '../../ui/format.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { RecordLink } from '../people/record-link.tsx';
import { OrganizationName } from './names.tsx';

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
  { id: 'status', title: 'Status', value: ({ status }) => status, cell: ({ status }) => <Status of={status} /> },
  { id: 'loan_type', title: 'Loan type', value: ({ loan_type }) => loan_type },
  { id: 'deal_id', title: 'Loans of', value: ({ deal_id }) => deal_id, cell: ({ deal_id }) => <RecordLink id={deal_id} /> },
  { id: 'as_of', title: 'As of', value: ({ as_of }) => as_of, cell: ({ as_of }) => <Day at={as_of} /> },
  { id: 'matched', title: 'Loans found', number: true, value: ({ matched }) => matched, cell: ({ matched }) => count(matched) },
  {
    id: 'unmatched',
    title: 'Not found',
    number: true,
    value: ({ unmatched }) => unmatched,
    cell: ({ unmatched }) => count(unmatched),
  },
  { id: 'created_at', title: 'Made', value: ({ created_at }) => created_at, cell: ({ created_at }) => <When at={created_at} /> },
  {
    id: 'released_at',
    title: 'Released',
    value: ({ released_at }) => released_at,
    cell: ({ released_at }) => <When at={released_at} />,
  },
  { id: 'pledge_id', title: 'Id', hidden: true, value: ({ pledge_id }) => pledge_id },
];
