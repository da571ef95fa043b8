import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import { Act } from '../../ui/act.tsx';
import type { Column } from '../../ui/column.ts';
import { choice } from '../../ui/filters.tsx';
import { count, Id, words } from '../../ui/format.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Page, Part } from '../../ui/page.tsx';
import { PageTabs } from '../../ui/page-tabs.tsx';
import { NewPledge } from './new-pledge.tsx';
import { countColumn, dayColumn, moneyColumn, statusColumn, whenColumn } from '../../ui/columns.tsx';

/** Loans that are pledged to lenders elsewhere, and loans that are in two places. */
export function Pledges(): ReactNode {
  return (
    <Page
      title="Pledges"
      about="Loans that secure a warehouse or another lender. A pool with a loan that is pledged elsewhere is in conflict."
      acts={<NewPledge />}
    >
      <PageTabs
        tabs={[
          [
            'pledges',
            'Pledges',
            () => (
              <RecordList
                name={['pledges']}
                label="Pledges"
                read={(query: QueryOf<'/v1/api/originator/pledges'>) =>
                  sent(api.GET('/v1/api/originator/pledges', { params: { query } }))
                }
                filters={[choice('status', 'Status', ['LIVE', 'RELEASED'])]}
                columns={PLEDGES}
                rowKey={({ pledge_id }) => pledge_id}
                empty="No loan is pledged."
              />
            ),
          ],
          ['conflicts', 'Conflicts', () => <Conflicts />],
        ]}
        clears={['status', 'conflict']}
      />
    </Page>
  );
}

const PLEDGES: readonly Column<Records['Pledge']>[] = [
  { id: 'pledgee', title: 'Pledged to', value: ({ pledgee }) => pledgee },
  statusColumn('status', 'Status'),
  { id: 'loan_type', title: 'Loan type', value: ({ loan_type }) => loan_type },
  dayColumn('as_of', 'As of'),
  countColumn('matched', 'Loans found'),
  countColumn('unmatched', 'Not found'),
  whenColumn('created_at', 'Made'),
  whenColumn('released_at', 'Released'),
  { id: 'pledge_id', title: 'Id', hidden: true, value: ({ pledge_id }) => pledge_id },
  {
    id: 'acts',
    title: '',
    value: () => null,
    cell: ({ pledge_id, pledgee, status, matched }) =>
      status === 'LIVE' && (
        <Act
          label="Release"
          right="EDIT"
          danger
          typed="release"
          question={`${count(matched)} loans are free of the pledge to ${pledgee}. It cannot be undone.`}
          run={() =>
            sent(api.POST('/v1/api/originator/pledges/{pledgeId}/release', { params: { path: { pledgeId: pledge_id } } }))
          }
          done="The pledge is released."
        />
      ),
  },
];

function Conflicts(): ReactNode {
  const [values, set] = useAddress();
  const path = { conflictId: values.conflict ?? '' };
  return (
    <>
      <RecordList
        name={['pledge-conflicts']}
        label="Conflicts"
        read={(query: QueryOf<'/v1/api/originator/pledge-conflicts'>) =>
          sent(api.GET('/v1/api/originator/pledge-conflicts', { params: { query } }))
        }
        filters={[choice('status', 'Status', ['OPEN', 'RESOLVED', 'CLEARED'])]}
        columns={conflictColumns((id) => set({ conflict: id }, { keepPage: true }))}
        rowKey={({ conflict_id }) => conflict_id}
        empty="No loan of yours is in two places."
      />
      {values.conflict && (
        <Part title="Loans in conflict">
          <RecordList
            name={['pledge-conflicts', values.conflict, 'loans']}
            label="Loans"
            read={(query: QueryOf<'/v1/api/originator/pledge-conflicts/{conflictId}/loans'>) =>
              sent(api.GET('/v1/api/originator/pledge-conflicts/{conflictId}/loans', { params: { path, query } }))
            }
            columns={LOANS}
            rowKey={({ loan_id, pool_id, pledge_id }) => [loan_id, pool_id, pledge_id].join(' ')}
            empty="The loans are not in two places any more."
          />
        </Part>
      )}
    </>
  );
}

const conflictColumns = (open: (id: string) => void): readonly Column<Records['PledgeConflict']>[] => [
  {
    id: 'conflict_id',
    title: 'Conflict',
    value: ({ conflict_id }) => conflict_id,
    cell: ({ conflict_id, count: loans, loan_type }) => (
      <Anchor component="button" type="button" size="sm" onClick={() => open(conflict_id)}>
        {`${count(loans)} ${loan_type} loans`}
      </Anchor>
    ),
  },
  statusColumn('status', 'Status'),
  moneyColumn('balance', 'Balance (US$)'),
  { id: 'met', title: 'Known by', value: ({ met }) => met.join(', '), cell: ({ met }) => met.map(words).join(', ') },
  whenColumn('first_seen', 'First seen'),
];

const LOANS: readonly Column<Records['PledgeConflictLoan']>[] = [
  { id: 'loan_id', title: 'Loan', value: ({ loan_id }) => loan_id, cell: ({ loan_id }) => <Id of={loan_id} /> },
  moneyColumn('balance', 'Balance (US$)'),
  { id: 'met', title: 'Known by', value: ({ met }) => met.join(', '), cell: ({ met }) => met.map(words).join(', ') },
  { id: 'pool_id', title: 'Pool', value: ({ pool_id }) => pool_id, cell: ({ pool_id }) => <Id of={pool_id} /> },
  { id: 'pledge_id', title: 'Pledge', value: ({ pledge_id }) => pledge_id, cell: ({ pledge_id }) => <Id of={pledge_id} /> },
];
