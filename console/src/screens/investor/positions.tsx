import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { percent, termPrice, years } from '../../ui/format-market.ts';
import { RecordList } from '../../ui/list.tsx';
import { TrancheName } from './names.tsx';
import { dayColumn, moneyColumn } from '../../ui/columns.tsx';

/** What is held, today or at the end of an earlier day; each position leads to what is behind it. */
export const Positions = (): ReactNode => (
  <RecordList
    name={['portfolio', 'positions']}
    label="Positions"
    read={(query: QueryOf<'/v1/api/investor/portfolio/positions'>) =>
      sent(api.GET('/v1/api/investor/portfolio/positions', { params: { query } }))
    }
    filters={[{ kind: 'day', name: 'as_of', label: 'At the end of' }]}
    columns={POSITIONS}
    rowKey={({ position_id }) => position_id}
    empty="No position yet: a settled trade makes one. An allocation that you accept under Commitments becomes a trade."
  />
);

const POSITIONS: readonly Column<Records['Position']>[] = [
  {
    id: 'tranche_id',
    title: 'Tranche',
    value: ({ tranche_id }) => tranche_id,
    cell: ({ deal_id, tranche_id }) => (
      <span className="named">
        <TrancheName deal_id={deal_id} tranche_id={tranche_id} held />
      </span>
    ),
  },
  { id: 'class', title: 'Class', hidden: true, value: ({ class: name }) => name },
  { id: 'originator', title: 'Originator', hidden: true, value: ({ originator }) => originator },
  { id: 'asset_type', title: 'Assets', hidden: true, value: ({ asset_type }) => asset_type },
  moneyColumn('face', 'Face (US$)'),
  { id: 'factor', title: 'Factor', number: true, value: ({ factor }) => factor, cell: ({ factor }) => factor.toFixed(8) },
  moneyColumn('current_balance', 'Balance (US$)'),
  moneyColumn('cost_basis', 'Cost (US$)'),
  {
    id: 'price',
    title: 'Mark',
    number: true,
    value: (position) => position.price,
    cell: (position) => termPrice(position.price),
  },
  moneyColumn('market_value', 'Market value (US$)'),
  moneyColumn('unrealized_gain', 'Gain (US$)'),
  { id: 'yield', title: 'Yield', number: true, value: (position) => position.yield, cell: (position) => percent(position.yield) },
  { id: 'wal', title: 'Average life', number: true, value: ({ wal }) => wal, cell: ({ wal }) => years(wal) },
  {
    id: 'duration',
    title: 'Duration',
    number: true,
    hidden: true,
    value: ({ duration }) => duration,
    cell: ({ duration }) => years(duration),
  },
  moneyColumn('accrued_interest', 'Accrued (US$)'),
  dayColumn('as_of', 'Marked as of'),
];
