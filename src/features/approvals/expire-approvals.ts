import type { Database } from '../../platform/db/database.ts';
import { endApproval } from './end-approval.ts';
import { listOverdue, lockApproval } from './queries.ts';

const BATCH = 200;

/** Ends approvals that did not get enough people in time, each in a transaction of its own; returns their number. */
export async function expireApprovals(db: Database): Promise<number> {
  const due = await db.tx({ platform: true }, (tx) => listOverdue(tx, BATCH));
  let expired = 0;
  for (const { approval_id } of due) {
    expired += await db.tx({ platform: true }, async (tx) => {
      const approval = await lockApproval(tx, approval_id);
      if (approval?.status !== 'PENDING') return 0;
      await endApproval(tx, approval, { to: 'EXPIRED', actor: 'platform' });
      return 1;
    });
  }
  return expired;
}
