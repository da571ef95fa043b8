import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataOf, openDesk } from '../../../test/support/desk.ts';
import { type Gateway, startGateway } from '../../../test/support/gateway.ts';
import { copyRows, counting, manyOrganizations, planning } from '../../../test/support/many.ts';
import type { Tx } from '../../platform/db/database.ts';
import { platformActor } from '../../platform/http/platform-actor.ts';
import type { Id } from '../../platform/ids.ts';
import { withdrawSecuritization } from './withdraw-securitization.ts';
import { allocateDeal } from '../allocations/allocate-deal.ts';
import { declineAllocation, expireDue } from '../allocations/decide-allocation.ts';

/** A deal with this many orders, confirmed and waiting subscriptions, each by an investor with a limit of concentration. */
async function bookOf(gateway: Gateway, bidders: number, balance = 5_000_000) {
  const desk = await openDesk(gateway);
  const first = await desk.investor({ concentration_limit: 50_000_000 });
  const deal = await desk.list({ tranches: [{ balance }] });
  dataOf(await desk.order(deal, first, { amount: 8_000_000 }));
  const confirmed = await desk.confirmed(deal, first, 20_000);
  const platform = <Result>(work: (tx: Tx) => Promise<Result>) => gateway.deps.db.tx({ platform: true }, work);
  await platform(async (tx) => {
    await manyOrganizations(tx, first, bidders);
    await copyRows(tx, 'orders', first, bidders, { order_id: 'ord_', amount: 300_000 });
    await copyRows(tx, 'subscriptions', first, bidders, { subscription_id: 'sub_' });
    await tx.exec(
      `update tranche_books set committed = (select sum(subscription_amount) from subscriptions) where deal_id = $1`,
      [deal.deal_id],
    );
    const half = `where subscription_id <> $1 and right(subscription_id, 1) in ('1', '3', '5', '7', '9')`;
    await tx.exec(`update subscriptions set status = 'pending_confirmation', confirmed_at = null ${half}`, [confirmed]);
  });
  const dealId = deal.deal_id as Id<'deal'>;
  const decider = platformActor('a test');
  const statementsOf = (work: (tx: Tx) => Promise<unknown>) =>
    platform(async (tx) => {
      const { seen, counted } = counting(tx);
      await work(counted);
      return seen.statements;
    });
  const committed = () =>
    platform((tx) => tx.one<{ committed: number }>('select committed::float8 from tranche_books where deal_id = $1', [dealId]));
  return { desk, deal, dealId, first, decider, statementsOf, committed };
}

test('allocating, offering face again, expiring and withdrawing take no statements for each bidder', async () => {
  const statements: Record<string, number>[] = [];
  for (const bidders of [6, 30]) {
    await using gateway = await startGateway();
    const { desk, deal, dealId, first, decider, statementsOf, committed } = await bookOf(gateway, bidders);
    const allocate = await statementsOf((tx) => allocateDeal(tx, decider, { deal_id: dealId, method: 'PRO_RATA', marks: [] }));
    const [freed] = (await desk.allocations(deal, first)).filter((each) => each.order_id !== null);
    const reoffer = await statementsOf((tx) => declineAllocation(tx, first, freed?.allocation_id as Id<'all'>));
    const filled = await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.rows<{ order_id: string }>(
        `select order_id from allocations join allocation_rounds using (round_id) where kind = 'REOFFER' and order_id is not null`,
      ),
    );
    assert.equal(filled.length, bidders, 'each order is filled further');
    await gateway.advance(10 * 86_400);
    const tranche_id = deal.tranches[0] as Id<'trn'>;
    const expire = await statementsOf((tx) => expireDue(tx, { deal_id: dealId, tranche_id }, 1_000));
    const ended = await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.one<{ count: number }>(
        `select count(*)::int from subscriptions where reason = 'its allocation expired at the response deadline'`,
      ),
    );
    assert.ok((ended?.count ?? 0) >= bidders / 3, `${ended?.count} subscriptions ended`);
    const withdraw = await statementsOf((tx) => withdrawSecuritization(tx, decider, { deal_id: dealId, reason: 'a test' }));
    assert.equal((await committed())?.committed, 0, 'all capacity is back');
    statements.push({ allocate, reoffer, expire, withdraw });
  }
  // Of few bidders no subscription may be left to fill, which leaves out a move.
  const [few = {}, many = {}] = statements;
  for (const [act, count] of Object.entries(many))
    assert.ok(count - (few[act] ?? 0) < 10, `${act}: ${few[act]} statements for 6 of each, ${count} for 30`);
});

test('no statement writes a whole book, and face is offered again right after without passing over the book once for each bidder', async () => {
  await using gateway = await startGateway();
  const BIDDERS = 1_050;
  const { desk, deal, dealId, first, decider } = await bookOf(gateway, BIDDERS, 50_000_000);
  const platform = <Result>(work: (tx: Tx) => Promise<Result>) => gateway.deps.db.tx({ platform: true }, work);
  const owner = await gateway.owner();
  // As the planner sees tables of a platform that had no such book before.
  await owner.query('analyze').finally(() => owner.end());
  const { largest } = await platform(async (tx) => {
    const { seen, counted } = counting(tx);
    await allocateDeal(counted, decider, { deal_id: dealId, method: 'PRO_RATA', marks: [] });
    return seen;
  });
  assert.ok(largest > 0 && largest <= 1_000, `${largest} in a statement`);
  const [freed] = (await desk.allocations(deal, first)).filter((each) => each.order_id !== null);
  const { rows } = await platform(async (tx) => {
    const { seen, planned } = planning(tx, /^\s*select/);
    await declineAllocation(planned, first, freed?.allocation_id as Id<'all'>);
    return seen;
  });
  assert.ok(rows < 100 * BIDDERS, `${rows} rows for ${BIDDERS} bidders`);
});
