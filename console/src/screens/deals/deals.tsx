import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import { can, isOperator, sells, useMe } from '../../app/me.tsx';
import type { Column } from '../../ui/column.ts';
import { BETWEEN, choice, type Filter, text } from '../../ui/filters.tsx';
import { count, Id } from '../../ui/format.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { OrganizationName } from '../operator/names.tsx';
import { LOAN_TYPES, NewDeal } from './new-deal.tsx';
import { To } from '../../ui/link.tsx';
import { countColumn, moneyColumn, statusColumn, whenColumn } from '../../ui/columns.tsx';

type Deal = Records['DealSummary'] & { organization_id?: string };

const STATUSES = ['DRAFT', 'IN_REVIEW', 'QC_COMPLETED', 'APPROVED', 'REJECTED', 'EXPIRED', 'WITHDRAWN'];
const FILTERS: readonly Filter[] = [choice('status', 'Status', STATUSES), choice('type', 'Loan type', LOAN_TYPES), ...BETWEEN];
const OPERATOR_FILTERS: readonly Filter[] = [
  choice('kind', 'Kind', ['LOAN', 'SECURITIZATION']),
  text('organization_id', 'Organization', 'org_…'),
  ...FILTERS,
];

/** The deals of the organization, or of all for the operator. */
export function Deals(): ReactNode {
  const me = useMe();
  const operator = isOperator(me);
  return (
    <Page
      title="Deals"
      about={operator ? 'Of every organization. Checked deals wait here for a decision.' : 'A deal begins with a loan tape.'}
      acts={sells(me) && can(me, 'EDIT') && <NewDeal />}
    >
      <RecordList<Deal, QueryOf<'/v1/operator/deals'>>
        name={['deals']}
        label="Deals"
        read={({ status, type, ...rest }) => {
          const query = { ...rest, ...(status ? { status } : {}), ...(type ? { type } : {}) };
          return operator
            ? sent(api.GET('/v1/operator/deals', { params: { query } }))
            : sent(api.GET('/v1/api/originator/loans', { params: { query } }));
        }}
        filters={operator ? OPERATOR_FILTERS : FILTERS}
        columns={operator ? OPERATOR_COLUMNS : COLUMNS}
        rowKey={({ deal_id }) => deal_id}
        empty={operator ? 'No originator has sent a tape yet.' : 'No deal yet: send a loan tape, and it is checked at once.'}
      />
    </Page>
  );
}

const COLUMNS: readonly Column<Deal>[] = [
  {
    id: 'name',
    title: 'Deal',
    value: ({ name }) => name,
    cell: ({ deal_id, name }) => (
      <To to="/deals/$dealId" params={{ dealId: deal_id }} size="sm">
        {name}
      </To>
    ),
  },
  { id: 'loan_type', title: 'Loan type', value: ({ loan_type }) => loan_type },
  statusColumn('status', 'Status'),
  countColumn('loan_count', 'Loans'),
  moneyColumn('total_balance', 'Balance (US$)'),
  {
    id: 'errors',
    title: 'Errors',
    number: true,
    value: ({ issue_counts }) => issue_counts.error,
    cell: ({ issue_counts }) => count(issue_counts.error),
  },
  {
    id: 'warnings',
    title: 'Warnings',
    number: true,
    value: ({ issue_counts }) => issue_counts.warning,
    cell: ({ issue_counts }) => count(issue_counts.warning),
  },
  whenColumn('updated_at', 'Changed'),
  { id: 'deal_id', title: 'Id', hidden: true, value: ({ deal_id }) => deal_id, cell: ({ deal_id }) => <Id of={deal_id} /> },
  { id: 'market_status', title: 'Market', hidden: true, value: ({ market_status }) => market_status },
];

const ORIGINATOR: Column<Deal> = {
  id: 'organization_id',
  title: 'Originator',
  value: ({ organization_id }) => organization_id,
  cell: ({ organization_id }) => organization_id && <OrganizationName id={organization_id} />,
};

const OPERATOR_COLUMNS: readonly Column<Deal>[] = COLUMNS.toSpliced(1, 0, ORIGINATOR);
