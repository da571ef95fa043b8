import type { ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { Act } from '../../ui/act.tsx';
import { money } from '../../ui/format.tsx';

/** Accepts or declines an allocation that waits for it. */
export function Answer({ allocation }: { allocation: Records['Allocation'] }): ReactNode {
  const { allocation_id, allocated_amount, status } = allocation;
  const params = { path: { allocationId: allocation_id } };
  if (status !== 'ISSUED') return null;
  return (
    <>
      <Act
        label="Accept"
        right="APPROVE"
        question={`You buy ${money(allocated_amount)}; a trade is made, and cash is due on its settlement date. It cannot be undone.`}
        run={() => sent(api.POST('/v1/api/investor/allocations/{allocationId}/accept', { params, body: {} }))}
        done="Accepted: the trade is under Trades."
      />
      <Act
        label="Decline"
        right="APPROVE"
        danger
        question={`${money(allocated_amount)} goes to others. It cannot be undone.`}
        typed="decline"
        run={() => sent(api.POST('/v1/api/investor/allocations/{allocationId}/decline', { params, body: {} }))}
        done="Declined."
      />
    </>
  );
}
