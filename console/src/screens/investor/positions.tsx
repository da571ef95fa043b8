import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { Day, money } from '../../ui/format.tsx';
import { percent, termPrice, years } from '../../ui/format-market.ts';
import { RecordList } from '../../ui/list.tsx';
import { TrancheName } from './names.tsx';

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
  { id: 'face', title: 'Face (US$)', number: true, value: ({ face }) => face, cell: ({ face }) => money(face) },
  { id: 'factor', title: 'Factor', number: true, value: ({ factor }) => factor, cell: ({ factor }) => factor.toFixed(8) },
  {
    id: 'current_balance',
    title: 'Balance (US$)',
    number: true,
    value: ({ current_balance }) => current_balance,
    cell: ({ current_balance }) => money(current_balance),
  },
  {
    id: 'cost_basis',
    title: 'Cost (US$)',
    number: true,
    value: ({ cost_basis }) => cost_basis,
    cell: ({ cost_basis }) => money(cost_basis),
  },
  {
    id: 'price',
    title: 'Mark',
    number: true,
    value: (position) => position.price,
    cell: (position) => termPrice(position.price),
  },
  {
    id: 'market_value',
    title: 'Market value (US$)',
    number: true,
    value: ({ market_value }) => market_value,
    cell: ({ market_value }) => money(market_value),
  },
  {
    id: 'unrealized_gain',
    title: 'Gain (US$)',
    number: true,
    value: ({ unrealized_gain }) => unrealized_gain,
    cell: ({ unrealized_gain }) => money(unrealized_gain),
  },
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
  {
    id: 'accrued_interest',
    title: 'Accrued (US$)',
    number: true,
    value: ({ accrued_interest }) => accrued_interest,
    cell: ({ accrued_interest }) => money(accrued_interest),
  },
  { id: 'as_of', title: 'Marked as of', value: ({ as_of }) => as_of, cell: ({ as_of }) => <Day at={as_of} /> },
];
