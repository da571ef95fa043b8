import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { Act } from '../../ui/act.tsx';
import { money } from '../../ui/format.tsx';

/** What can be done with a trade in its status: settle, fail, try again, cancel. */
export function TradeActs({ trade: { trade_id, status, net_amount, face } }: { trade: Records['OperatorTrade'] }): ReactNode {
  const params = { path: { tradeId: trade_id } };
  const bodyOf = (reason: string | undefined): Records['TradeReason'] => (reason ? { reason } : {});
  const what = `${money(face)} of face for ${money(net_amount)}`;
  if (status === 'PENDING_SETTLEMENT')
    return (
      <Group gap={6} wrap="nowrap">
        <Act
          label="Settle"
          right="APPROVE"
          question={`${what} has been paid: the investor holds it from now on. It cannot be undone.`}
          reason="optional"
          run={(reason) => sent(api.POST('/v1/operator/trades/{tradeId}/settle', { params, body: bodyOf(reason) }))}
          done="The trade is settled."
        />
        <Act
          label="Fail"
          right="APPROVE"
          danger
          question={`${what} was not paid or not delivered. It can be tried again.`}
          reason="optional"
          run={(reason) => sent(api.POST('/v1/operator/trades/{tradeId}/fail', { params, body: bodyOf(reason) }))}
          done="The trade has failed."
        />
      </Group>
    );
  if (status === 'FAILED')
    return (
      <Group gap={6} wrap="nowrap">
        <Act
          label="Try again"
          right="APPROVE"
          question={`${what} waits for settlement again.`}
          reason="optional"
          run={(reason) => sent(api.POST('/v1/operator/trades/{tradeId}/retry', { params, body: bodyOf(reason) }))}
          done="The trade waits for settlement."
        />
        <Act
          label="Cancel"
          right="APPROVE"
          danger
          typed="cancel"
          question={`${what} is given up; the allocation it came from ends. It cannot be undone.`}
          reason="optional"
          run={(reason) => sent(api.POST('/v1/operator/trades/{tradeId}/cancel', { params, body: bodyOf(reason) }))}
          done="The trade is cancelled."
        />
      </Group>
    );
  return null;
}
