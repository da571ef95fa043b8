import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import { Act } from '../../ui/act.tsx';
import type { Column } from '../../ui/column.ts';
import { choice } from '../../ui/filters.tsx';
import { RecordList } from '../../ui/list.tsx';
import { statusColumn } from './commitment-columns.tsx';
import { DealName } from './names.tsx';
import { moneyColumn, whenColumn } from '../../ui/columns.tsx';

/** Interest in deals, which binds nobody. */
export const Indications = (): ReactNode => (
  <RecordList
    name={['iois']}
    label="Indications"
    read={(query: QueryOf<'/v1/api/investor/iois'>) => sent(api.GET('/v1/api/investor/iois', { params: { query } }))}
    filters={[choice('status', 'Status', ['submitted', 'withdrawn', 'converted', 'expired'])]}
    columns={INDICATIONS}
    rowKey={({ ioi_id }) => ioi_id}
    empty="No indication yet: a deal that is marketed takes them on its page, under Take part."
  />
);

const INDICATIONS: readonly Column<Records['Ioi']>[] = [
  {
    id: 'deal_id',
    title: 'Deal',
    value: ({ deal_id }) => deal_id,
    cell: ({ deal_id }) => (
      <span className="named">
        <DealName deal_id={deal_id} />
      </span>
    ),
  },
  moneyColumn('interest_amount', 'Amount (US$)'),
  statusColumn(),
  whenColumn('created_at', 'Placed'),
  {
    id: 'acts',
    title: '',
    value: () => null,
    cell: ({ ioi_id, status }) =>
      status === 'submitted' && (
        <Act
          label="Withdraw"
          right="EDIT"
          question="The indication is taken back."
          run={() => sent(api.DELETE('/v1/api/investor/iois/{ioiId}', { params: { path: { ioiId: ioi_id } } }))}
          done="The indication is withdrawn."
        />
      ),
  },
];
