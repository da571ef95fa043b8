import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import { Act } from '../../ui/act.tsx';
import type { Column } from '../../ui/column.ts';
import { count, Id, money, When, words } from '../../ui/format.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Facts, Note, Page, Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { Status } from '../../ui/status.tsx';
import { DataTable } from '../../ui/table.tsx';
import { OrganizationName, PoolName } from './names.tsx';
import { moneyColumn } from '../../ui/columns.tsx';

/** One conflict: who holds the loans, which loans they are, and the decision. */
export function ConflictPage(): ReactNode {
  const { conflictId = '' } = useParams({ strict: false });
  const path = { conflictId };
  const conflict = useQuery({
    queryKey: ['conflicts', conflictId],
    queryFn: () => sent(api.GET('/v1/operator/pledge-conflicts/{conflictId}', { params: { path } })),
  });
  const found = conflict.data?.data;
  return (
    <Page
      title={found ? `${count(found.count)} ${found.loan_type} loans in conflict` : 'Conflict'}
      up={{ to: '/conflicts', title: 'Pledge conflicts' }}
      acts={
        found?.status === 'OPEN' && (
          <Act
            label="Resolve"
            right="APPROVE"
            danger
            question="The pools may be issued in spite of it. It opens again when other loans join it."
            reason="required"
            reasonLabel="Why both may stand"
            run={(reason) =>
              sent(
                api.POST('/v1/operator/pledge-conflicts/{conflictId}/resolve', {
                  params: { path },
                  body: { reason: reason ?? '' },
                }),
              )
            }
            done="The conflict is resolved."
          />
        )
      }
    >
      <Read from={conflict}>
        {({ data }) => (
          <>
            <Facts
              facts={[
                ['Status', <Status key="status" of={data.status} />],
                ['Balance', money(data.balance)],
                ['Known by', data.met.map(words).join(', ')],
                ['First seen', <When key="seen" at={data.first_seen} />],
                ['Ended', <When key="ended" at={data.ended_at} />],
                ['Id', <Id key="id" of={data.conflict_id} />],
              ]}
            />
            {data.reason && <Note color="gray">Resolved: {data.reason}</Note>}
            <Part title="Who holds them">
              <DataTable
                label="Sides"
                columns={SIDES}
                rows={data.sides}
                rowKey={({ organization_id }) => organization_id}
                whole
              />
            </Part>
            <Part title="Loans">
              <RecordList
                name={['conflicts', conflictId, 'loans']}
                label="Loans in conflict"
                read={(query: QueryOf<'/v1/operator/pledge-conflicts/{conflictId}/loans'>) =>
                  sent(api.GET('/v1/operator/pledge-conflicts/{conflictId}/loans', { params: { path, query } }))
                }
                columns={LOANS}
                rowKey={({ pair, organization_id, loan_id, pool_id, pledge_id }) =>
                  [pair, organization_id, loan_id, pool_id, pledge_id].join(' ')
                }
                empty="The loans are not in two places any more."
              />
            </Part>
          </>
        )}
      </Read>
    </Page>
  );
}

const SIDES: readonly Column<Records['PledgeConflictSide']>[] = [
  {
    id: 'organization_id',
    title: 'Organization',
    value: ({ organization_id }) => organization_id,
    cell: ({ organization_id }) => <OrganizationName id={organization_id} />,
  },
  {
    id: 'pools',
    title: 'Pools',
    value: ({ pools }) => pools.join(', '),
    cell: ({ pools }) => (pools.length === 0 ? '–' : pools.map((id) => <PoolName key={id} id={id} />)),
  },
  { id: 'pledges', title: 'Pledges', value: ({ pledges }) => pledges.join(', ') },
  { id: 'count', title: 'Loans', number: true, value: (side) => side.count, cell: (side) => count(side.count) },
  moneyColumn('balance', 'Balance (US$)'),
];

const LOANS: readonly Column<Records['OperatorPledgeConflictLoan']>[] = [
  { id: 'pair', title: 'Pair', number: true, value: ({ pair }) => pair },
  { id: 'loan_id', title: 'Loan', value: ({ loan_id }) => loan_id, cell: ({ loan_id }) => <Id of={loan_id} /> },
  {
    id: 'organization_id',
    title: 'Organization',
    value: ({ organization_id }) => organization_id,
    cell: ({ organization_id }) => <OrganizationName id={organization_id} />,
  },
  moneyColumn('balance', 'Balance (US$)'),
  { id: 'met', title: 'Known by', value: ({ met }) => met.join(', '), cell: ({ met }) => met.map(words).join(', ') },
  {
    id: 'place',
    title: 'Where',
    value: ({ pool_id, pledge_id }) => pool_id ?? pledge_id,
    cell: ({ pool_id, pledge_id }) => (pool_id ? <PoolName id={pool_id} /> : <Id of={pledge_id} />),
  },
];
