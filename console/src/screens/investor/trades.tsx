import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { choice } from '../../ui/filters.tsx';
import { termPrice } from '../../ui/format-market.ts';
import { ButtonTo } from '../../ui/link.tsx';
import { RecordList } from '../../ui/list.tsx';
import { reasonColumn, statusColumn, trancheColumn } from './commitment-columns.tsx';
import { dayColumn, moneyColumn } from '../../ui/columns.tsx';

/** Purchases and how far their settlement is; of one tranche, or of all. */
export const Trades = ({ trancheId }: { trancheId?: string }): ReactNode => (
  <RecordList
    name={['trades', ...(trancheId ? [trancheId] : [])]}
    label="Trades"
    read={(query: QueryOf<'/v1/api/investor/trades'>) =>
      sent(
        api.GET('/v1/api/investor/trades', {
          params: { query: { ...query, ...(trancheId ? { tranche_id: trancheId } : {}) } },
        }),
      )
    }
    filters={[choice('status', 'Status', ['PENDING_SETTLEMENT', 'SETTLED', 'FAILED', 'CANCELLED'])]}
    columns={TRADES}
    rowKey={({ trade_id }) => trade_id}
    empty="No trade yet: accepting an allocation makes one."
  />
);

const TRADES: readonly Column<Records['Trade']>[] = [
  trancheColumn(),
  moneyColumn('face', 'Face (US$)'),
  { id: 'price', title: 'Price', number: true, value: (trade) => trade.price, cell: (trade) => termPrice(trade.price) },
  moneyColumn('accrued_interest', 'Accrued (US$)'),
  moneyColumn('net_amount', 'Cash (US$)'),
  dayColumn('trade_date', 'Traded'),
  dayColumn('settlement_date', 'Settles'),
  statusColumn(),
  reasonColumn(),
  {
    id: 'trade_id',
    title: '',
    value: ({ trade_id }) => trade_id,
    cell: ({ trade_id }) => (
      <ButtonTo to="/commitments/trades/$tradeId" params={{ tradeId: trade_id }} size="compact-sm" variant="subtle">
        Details
      </ButtonTo>
    ),
  },
];
