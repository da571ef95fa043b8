import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { Day, Id, money, When } from '../../ui/format.tsx';
import { termPrice, termRate } from '../../ui/format-market.ts';
import { To } from '../../ui/link.tsx';
import { Facts, Note, Page, Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { Status } from '../../ui/status.tsx';
import { TrancheName } from './names.tsx';

/** A purchase: what is paid when, and how far its settlement is. */
export function TradePage(): ReactNode {
  const { tradeId = '' } = useParams({ strict: false });
  const trade = useQuery({
    queryKey: ['trades', tradeId],
    queryFn: () => sent(api.GET('/v1/api/investor/trades/{tradeId}', { params: { path: { tradeId } } })),
  });
  const found = trade.data?.data;
  return (
    <Page title={found ? `Trade of ${money(found.face)}` : 'Trade'} up={{ to: '/commitments?tab=trades', title: 'Commitments' }}>
      <Read from={trade}>{({ data }) => <Known trade={data} />}</Read>
    </Page>
  );
}

const Known = ({ trade }: { trade: Records['Trade'] }): ReactNode => (
  <Stack gap="lg">
    {trade.reason && (
      <Note color={trade.status === 'FAILED' || trade.status === 'CANCELLED' ? 'red' : 'gray'} title="What the operator says">
        {trade.reason}
      </Note>
    )}
    <Facts
      facts={[
        ['Status', <Status key="status" of={trade.status} />],
        ['Tranche', <TrancheName key="tranche" deal_id={trade.deal_id} tranche_id={trade.tranche_id} />],
        ['Traded on', <Day key="traded" at={trade.trade_date} />],
        ['Settles on', <Day key="settles" at={trade.settlement_date} />],
        ['Settled', <When key="settled" at={trade.settled_at} />],
        [
          'Allocation',
          <To key="allocation" to="/commitments/allocations/$allocationId" params={{ allocationId: trade.allocation_id }}>
            With its proof
          </To>,
        ],
        ['Id', <Id key="id" of={trade.trade_id} />],
      ]}
    />
    <Part title="Cash that moves" about="Original face × factor × price, and the interest that has accrued to settlement.">
      <Facts
        facts={[
          ['Original face', money(trade.face)],
          ['Factor', trade.factor.toFixed(8)],
          ['Price, clean', termPrice(trade.price)],
          ['Yield', termRate(trade.yield)],
          ['Principal', money(trade.principal_amount)],
          ['Accrued interest', money(trade.accrued_interest)],
          ['Cash', <b key="cash">{money(trade.net_amount)}</b>],
        ]}
      />
    </Part>
    {trade.corrected_amount !== 0 && <Corrected trade={trade} />}
  </Stack>
);

/** Its figures are those with its corrections: what was paid at first, and who paid what since. */
const Corrected = ({ trade: { net_amount, corrected_amount } }: { trade: Records['Trade'] }): ReactNode => (
  <Note color="gray" title="Corrected since it settled">
    It settled against {money(net_amount - corrected_amount)}. What was paid around its settlement was reported, or restated,
    afterwards: {money(Math.abs(corrected_amount))} was paid {corrected_amount < 0 ? 'back to you' : 'by you'} since. Each
    correction is a line of the{' '}
    <To to="/portfolio" search={{ tab: 'statements' }}>
      statement
    </To>{' '}
    of its month.
  </Note>
);
