import { raiseAlert } from '../../events/emit.ts';
import type { Database } from '../../platform/db/database.ts';
import { moveDeal } from './deal.ts';
import { listIdleDrafts, lockDeal, markExpiryAlerted } from './queries.ts';

const IDLE_DAYS = 30;
const ALERTED_DAYS_BEFORE = 3;
const ALERTED_IDLE_DAYS = IDLE_DAYS - ALERTED_DAYS_BEFORE;
const BATCH = 200;

/** Expires drafts that were idle for 30 days and alerts their owners three days before; each deal in a transaction of its own. */
export async function expireDrafts(db: Database): Promise<void> {
  for (const { deal_id, organization_id } of await db.tx({ platform: true }, (tx) =>
    listIdleDrafts(tx, IDLE_DAYS, false, BATCH),
  )) {
    await db.tx({ platform: true }, async (tx) => {
      const deal = await lockDeal(tx, organization_id, deal_id);
      if (deal?.status !== 'DRAFT') return;
      await moveDeal(tx, deal, { to: 'EXPIRED', actor: 'platform', reason: `idle for ${IDLE_DAYS} days` });
    });
  }
  const idle = await db.tx({ platform: true }, (tx) => listIdleDrafts(tx, ALERTED_IDLE_DAYS, true, BATCH));
  for (const { deal_id, organization_id } of idle) {
    await db.tx({ platform: true }, async (tx) => {
      const name = await markExpiryAlerted(tx, deal_id);
      if (name === null) return;
      await raiseAlert(tx, organization_id, 'loan.draft_expiring', {
        category: 'loan',
        priority: 'MEDIUM',
        title: `${name}: the draft expires soon`,
        entity_type: 'deal',
        entity_id: deal_id,
        message: `This draft has been idle for ${ALERTED_IDLE_DAYS} days. It expires in ${ALERTED_DAYS_BEFORE} days unless its tape is completed.`,
      });
    });
  }
}
