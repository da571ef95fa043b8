import { raiseAlert } from '../../events/emit.ts';
import type { Database } from '../../platform/db/database.ts';
import { moveDeal } from './deal.ts';
import { lockDeal } from './queries.ts';
import type { Id } from '../../platform/ids.ts';

const IDLE_DAYS = 30;
const WARNED_DAYS_BEFORE = 3;
const BATCH = 200;

type Found = { deal_id: Id<'deal'>; organization_id: Id<'org'> };

/** Expires drafts that were idle for 30 days and warns three days before; each deal in a transaction of its own. */
export async function expireDrafts(db: Database): Promise<void> {
  for (const { deal_id, organization_id } of await findIdle(db, `updated_at <= sluice_now() - interval '${IDLE_DAYS} days'`)) {
    await db.tx({ platform: true }, async (tx) => {
      const deal = await lockDeal(tx, organization_id, deal_id);
      if (deal?.status !== 'DRAFT') return;
      await moveDeal(tx, deal, { to: 'EXPIRED', actor: 'platform', reason: `idle for ${IDLE_DAYS} days` });
    });
  }
  const warn = `expiry_alerted_at is null and updated_at <= sluice_now() - interval '${IDLE_DAYS - WARNED_DAYS_BEFORE} days'`;
  for (const { deal_id, organization_id } of await findIdle(db, warn)) {
    await db.tx({ platform: true }, async (tx) => {
      const marked = await tx.one<{ name: string }>(
        `update deals set expiry_alerted_at = sluice_now() where deal_id = $1 and status = 'DRAFT' and expiry_alerted_at is null returning name`,
        [deal_id],
      );
      if (!marked) return;
      await raiseAlert(tx, organization_id, 'loan.draft_expiring', {
        category: 'loan',
        priority: 'MEDIUM',
        title: `${marked.name}: the draft expires soon`,
        entity_type: 'deal',
        entity_id: deal_id,
        message: `Nothing happened to this draft for ${IDLE_DAYS - WARNED_DAYS_BEFORE} days. It expires in ${WARNED_DAYS_BEFORE} days unless its tape is completed.`,
      });
    });
  }
}

function findIdle(db: Database, condition: string): Promise<Found[]> {
  return db.tx({ platform: true }, (tx) =>
    tx.rows<Found>(
      `select deal_id, organization_id from deals where status = 'DRAFT' and ${condition} order by updated_at limit ${BATCH}`,
    ),
  );
}
