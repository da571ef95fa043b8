import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { notFound } from '../../platform/http/errors.ts';
import { type Decider, refuseOwnOrganization } from '../../platform/http/own-organization.ts';
import type { Id } from '../../platform/ids.ts';
import { CONFLICT_MOVES } from './conflict.ts';
import { lockConflict } from './conflict-queries.ts';

/** The operator's decision that the loans of a conflict may be held as they are, such as by a take-out. 409 unless it is open. */
export async function resolveConflict(
  tx: Tx,
  decider: Decider,
  { conflict_id, reason }: { conflict_id: Id<'plc'>; reason: string },
): Promise<void> {
  const sides = await lockConflict(tx, conflict_id);
  const [first] = sides;
  if (!first) throw notFound('pledge conflict');
  refuseOwnOrganization(decider, ...sides.map((side) => side.organization_id));
  CONFLICT_MOVES.check(first.status, 'RESOLVED');
  await CONFLICT_MOVES.moveAll(
    tx,
    sides.map((row) => ({ row, to: 'RESOLVED', values: { ended_at: tx.now, resolved_by: decider.actor_id, reason } })),
  );
  for (const { organization_id, holder_id, count } of sides) {
    audit(tx, {
      organization_id,
      actor: decider.actor_id,
      action: 'pledge_conflict.resolved',
      entity_type: 'pledge_conflict',
      entity_id: conflict_id,
      before: { status: 'OPEN' },
      // The reason may name the other side, so it stays with the operator.
      after: { status: 'RESOLVED', holder_id, count },
    });
  }
}
