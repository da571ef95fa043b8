import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { choice } from '../../ui/filters.tsx';
import { count, words } from '../../ui/format.tsx';
import { To } from '../../ui/link.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { moneyColumn, statusColumn, whenColumn } from '../../ui/columns.tsx';

/** Loans that are in two places at once: in pools, or pledged elsewhere. */
export const Conflicts = (): ReactNode => (
  <Page
    title="Pledge conflicts"
    about="The same loans in two pools, or in a pool and pledged to somebody else. A pool with an open conflict is not issued."
  >
    <RecordList
      name={['conflicts']}
      label="Pledge conflicts"
      read={(query: QueryOf<'/v1/operator/pledge-conflicts'>) =>
        sent(api.GET('/v1/operator/pledge-conflicts', { params: { query } }))
      }
      filters={[choice('status', 'Status', ['OPEN', 'RESOLVED', 'CLEARED'])]}
      columns={COLUMNS}
      rowKey={({ conflict_id }) => conflict_id}
      empty="No loan is in two places."
    />
  </Page>
);

const COLUMNS: readonly Column<Records['OperatorPledgeConflict']>[] = [
  {
    id: 'conflict_id',
    title: 'Conflict',
    value: ({ conflict_id }) => conflict_id,
    cell: ({ conflict_id, loan_type, count: times }) => (
      <To to="/conflicts/$conflictId" params={{ conflictId: conflict_id }} size="sm">
        {`${count(times)} ${loan_type} loans`}
      </To>
    ),
  },
  statusColumn('status', 'Status'),
  moneyColumn('balance', 'Balance (US$)'),
  { id: 'met', title: 'Known by', value: ({ met }) => met.join(', '), cell: ({ met }) => met.map(words).join(', ') },
  { id: 'pools', title: 'Pools', number: true, value: ({ pools }) => pools.length },
  { id: 'pledges', title: 'Pledges', number: true, value: ({ pledges }) => pledges.length },
  whenColumn('first_seen', 'First seen'),
  { id: 'reason', title: 'Resolved because', value: ({ reason }) => reason },
];
