import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitingForLock } from '../../../test/support/desk.ts';
import { type Gateway, startGateway } from '../../../test/support/gateway.ts';
import { autoTape, sendTape } from '../../../test/support/tapes.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Id } from '../../platform/ids.ts';
import { listPoolableDeals } from '../pools/forming-queries.ts';
import { findDeal, lockDeal } from './queries.ts';

/** What a lock of a deal gives while another transaction that holds it changes its tape in force. */
async function whileItsTapeChanges<Found>(
  gateway: Gateway,
  organization: Id<'org'>,
  dealId: Id<'deal'>,
  lock: (tx: Tx) => Promise<Found>,
): Promise<Found> {
  let locking: Promise<Found> | undefined;
  await gateway.deps.db.tx({ organization }, async (tx) => {
    await lockDeal(tx, organization, dealId);
    locking = gateway.deps.db.tx({ organization }, lock);
    await waitingForLock(gateway);
    await tx.exec(
      `update tapes set accepted = 7, loans_key = 'another' where deal_id = $1 and version = (select tape_version from deals where deal_id = $1)`,
      [dealId],
    );
    await tx.exec(`update deals set updated_at = sluice_now() where deal_id = $1`, [dealId]);
  });
  if (!locking) throw new Error('nothing was locked');
  return locking;
}

test('a deal that was locked after a wait has the tape of the transaction that was waited for', async () => {
  await using gateway = await startGateway();
  const seller = await gateway.key('originator', 'Seller');
  const { deal_id } = await sendTape(gateway, seller, { loanType: 'Auto', bytes: autoTape(10) });
  await gateway.runJobs();
  const [organization, dealId] = [seller.organization_id, deal_id as Id<'deal'>];
  const before = await gateway.deps.db.tx({ organization }, (tx) => findDeal(tx, organization, dealId));
  assert.equal(before?.loan_count, 10);
  const locked = await whileItsTapeChanges(gateway, organization, dealId, (tx) => lockDeal(tx, organization, dealId));
  assert.equal(locked?.loan_count, 7);
  await gateway.deps.db.tx({ organization }, (tx) =>
    tx.exec(`update tapes set loans_key = 'before' where deal_id = $1`, [dealId]),
  );
  const pooled = await whileItsTapeChanges(gateway, organization, dealId, (tx) =>
    listPoolableDeals(tx, organization, [dealId], true),
  );
  assert.deepEqual(
    pooled.map(({ loans_key }) => loans_key),
    ['another'],
  );
});
