import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused, dataOf, type Desk, heldOpen, openDesk, waitingForLock } from '../../../test/support/desk.ts';
import { codeOf, type Gateway, startGateway } from '../../../test/support/gateway.ts';
import { PAYMENT_DATES, type Serviced, servicedDeal, soldTrades } from '../../../test/support/servicing.ts';
import { asId } from '../../platform/ids.ts';
import { verifyLedger } from '../trades/ledger-queries.ts';
import { settleTrade } from '../trades/settle-trade.ts';
import { applyDueRemittances } from './apply-remittances.ts';
import { lockServicedPool } from './serviced-pool.ts';

const [FIRST, SECOND, THIRD] = [{ principal: 20_000 }, { principal: 15_000 }, { principal: 10_000 }] as const;

const apply = (gateway: Gateway): Promise<number> => applyDueRemittances(gateway.deps.db);

async function balanceOf({ deps }: Gateway, { deal_id }: Serviced): Promise<number | undefined> {
  const row = await deps.db.tx({ platform: true }, (tx) =>
    tx.one<{ balance: number }>(
      `select current_balance::float8 as balance from tranches where deal_id = $1 and tranche = 'A-1'`,
      [deal_id],
    ),
  );
  return row?.balance;
}

const statuses = async (desk: Desk, deal: Serviced): Promise<string[]> =>
  dataOf(await desk.send('GET', deal.path, deal.seller)).map(
    (each: { status: string; period: number }) => `${each.period} ${each.status}`,
  );

test('a report ahead of its payment date', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const holder = await desk.investor();

  await t.test('is shown to the owner and the operator, and nothing follows it before that date', async () => {
    const deal = await servicedDeal(desk);
    await soldTrades(desk, deal, [[holder, 100_000]]).then(([trade = '']) => desk.decide(trade, 'settle'));
    const { remittance_id, status, applied_at } = dataOf(await deal.send(deal.report({ principal: 20_000, loss: 30_000 })));
    assert.deepEqual([status, applied_at], ['SCHEDULED', null]);
    assert.deepEqual([(await deal.read(remittance_id)).status, await statuses(desk, deal)], ['SCHEDULED', ['1 SCHEDULED']]);
    assert.equal(dataOf(await desk.operate('GET', `pools/${deal.pool_id}/remittances`))[0].remittance_id, remittance_id);
    const pool = dataOf(await desk.send('GET', `/v1/api/originator/pools/${deal.pool_id}`, desk.seller));
    assert.equal(pool.last_remittance, null);
    const follows = async () => [
      await balanceOf(gateway, deal),
      dataOf(await desk.get(`portfolio/payments?deal_id=${deal.deal_id}`, holder)).length,
      dataOf(await desk.send('GET', '/v1/api/alerts?type=trigger.breached', desk.seller)).length,
      dataOf(await desk.send('GET', '/v1/api/events?type=remittance.applied', holder)).length,
      dataOf(await desk.send('GET', '/v1/api/events?type=payment.made', holder)).length,
    ];
    const before = [deal.a, 0, 0, 0, 0];
    assert.deepEqual(await follows(), before);
    // A minute before midnight in New York it is the payment date in UTC.
    await gateway.setClock('2027-01-15T04:59:00Z');
    assert.equal(await apply(gateway), 0);
    assert.deepEqual(await follows(), before);
    await gateway.setClock('2027-01-15T05:00:00Z');
    assert.equal(await apply(gateway), 1);
    assert.deepEqual(await follows(), [deal.a - 20_000, 1, 1, 1, 1]);
    const applied = await deal.read(remittance_id);
    assert.equal(applied.status, 'APPLIED');
    assert.ok(applied.applied_at.startsWith('2027-01-15T05:00:'), applied.applied_at);
    assert.equal(await apply(gateway), 0);
  });

  await t.test('is applied by the jobs of the clock', async () => {
    const deal = await servicedDeal(desk);
    dataOf(await deal.send(deal.report(FIRST)));
    await gateway.setClock('2027-01-15T12:00:00Z');
    await gateway.deps.db.tx({ platform: true }, (tx) => gateway.deps.jobs.enqueue(tx, 'housekeeping', {}));
    await gateway.runJobs();
    assert.deepEqual(await statuses(desk, deal), ['1 APPLIED']);
  });

  await t.test('on a Saturday, one of Monday is still ahead', async () => {
    const deal = await servicedDeal(desk);
    await gateway.setClock('2027-01-16T15:00:00Z');
    const monday = { ...deal.report(FIRST), payment_date: '2027-01-19' };
    assert.equal(dataOf(await deal.send({ ...monday, payment_date: '2027-01-18' })).status, 'SCHEDULED');
    assert.equal(dataOf(await deal.send({ ...monday, payment_date: '2027-01-16' })).status, 'APPLIED');
  });

  await t.test('is replaced by another report of its period and keeps its id, until it is applied', async () => {
    const deal = await servicedDeal(desk);
    const first = dataOf(await deal.send(deal.report(FIRST)));
    const again = dataOf(await deal.send(deal.report({ principal: 30_000 })));
    assert.deepEqual([again.remittance_id, again.status, again.version], [first.remittance_id, 'SCHEDULED', 1]);
    await gateway.setClock('2027-01-15T12:00:00Z');
    await apply(gateway);
    assert.equal(await balanceOf(gateway, deal), deal.a - 30_000);
    assert.deepEqual(codeOf(await deal.send(deal.report({ principal: 30_000 }))), [409, 'CONFLICT']);
  });

  await t.test('ties the next one, and changes only while that one still ties', async () => {
    const deal = await servicedDeal(desk);
    dataOf(await deal.send(deal.report(FIRST)));
    assert.deepEqual(codeOf(await deal.send(deal.report(SECOND, SECOND))), [422, 'REMITTANCE_DOES_NOT_TIE']);
    dataOf(await deal.send(deal.report(FIRST, { ...SECOND, loss: 10_000 })));
    const refused = await deal.send(deal.report({ principal: 30_000 }));
    assert.deepEqual([...codeOf(refused), refused.body.period], [409, 'CONFLICT', 2]);
    assert.match(
      refused.body.message ?? '',
      /The report of period 2 would no longer tie: .*It is SCHEDULED: delete it, and send it again/,
    );
    // Other losses change what follows from the next report, which still ties.
    const lossy = deal.report(FIRST);
    lossy.collateral.gross_losses = 5_000;
    lossy.collateral.scheduled_principal = 15_000;
    dataOf(await deal.send(lossy));
    const [second] = dataOf(await desk.send('GET', deal.path, desk.seller));
    assert.equal(second.pool.cumulative_net_loss, Number(((100 * 15_000) / deal.pool).toFixed(6)));
  });

  await t.test('can be removed, the latest first, with an entry in the audit log', async () => {
    const deal = await servicedDeal(desk);
    const { remittance_id: first } = dataOf(await deal.send(deal.report(FIRST)));
    const { remittance_id: second } = dataOf(await deal.send(deal.report(FIRST, SECOND)));
    const remove = (id: string, as = desk.seller) => desk.send('DELETE', `${deal.path}/${id}`, as);
    const refused = await remove(first);
    assert.deepEqual([...codeOf(refused), refused.body.remittance_id], [409, 'CONFLICT', second]);
    assert.equal((await remove(second)).status, 200);
    assert.equal((await remove(first)).status, 200);
    assert.deepEqual(codeOf(await remove(first)), [404, 'NOT_FOUND']);
    assert.deepEqual(await statuses(desk, deal), []);
    const entries = await desk.audited(first);
    assert.deepEqual(
      entries.map((each) => each.action),
      ['remittance.reported', 'remittance.removed'],
    );
    await gateway.setClock('2027-01-15T12:00:00Z');
    const { remittance_id: applied } = dataOf(await deal.send(deal.report(FIRST)));
    assert.deepEqual(codeOf(await remove(applied)), [409, 'CONFLICT']);
  });

  await t.test('is nobody else’s to read, replace, restate or remove', async () => {
    const deal = await servicedDeal(desk);
    const { remittance_id } = dataOf(await deal.send(deal.report(FIRST)));
    const stranger = await gateway.key('originator', 'Stranger');
    const other = await servicedDeal(desk, stranger);
    const path = `${deal.path}/${remittance_id}`;
    const body = deal.report(FIRST);
    const acts: [string, string, object?][] = [
      ['GET', path],
      ['DELETE', path],
      ['POST', `${path}/restate`, body],
      ['POST', deal.path, body],
      ['GET', deal.path],
      // A report under a pool that it does not belong to is absent.
      ['GET', `${other.path}/${remittance_id}`],
      ['DELETE', `${other.path}/${remittance_id}`],
      ['POST', `${other.path}/${remittance_id}/restate`, body],
    ];
    for (const [method, at, sent] of acts)
      await assertRefused(gateway, () => desk.send(method, at, stranger, sent), [404, 'NOT_FOUND']);
    for (const as of [holder, desk.operator])
      for (const [method, at, sent] of acts.slice(0, 3))
        assert.deepEqual(codeOf(await desk.send(method, at, as, sent)), [403, 'ROLE_FORBIDDEN']);
    assert.equal((await deal.read(remittance_id)).status, 'SCHEDULED');
  });

  await t.test('of a deal that is withdrawn is removed with it', async () => {
    const deal = await servicedDeal(desk);
    const { remittance_id } = dataOf(await deal.send(deal.report(FIRST)));
    dataOf(await desk.move(deal.deal, 'withdraw', { reason: 'The market closed.' }));
    assert.deepEqual(await statuses(desk, deal), []);
    const removal = (await desk.audited(remittance_id)).at(-1);
    assert.deepEqual(
      [removal?.action, removal?.before?.period, removal?.reason],
      ['remittance.removed', 1, 'the deal was withdrawn'],
    );
    await gateway.setClock('2027-04-01T12:00:00Z');
    await apply(gateway);
    assert.deepEqual(dataOf(await desk.operate('GET', `payments?deal_id=${deal.deal_id}`)), []);
    assert.deepEqual(codeOf(await deal.send(deal.report(FIRST))), [409, 'CONFLICT']);
  });
});

test('after a standstill reports are applied once each in the order of their periods, however many workers there are', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deals = [await servicedDeal(desk), await servicedDeal(desk), await servicedDeal(desk)];
  for (const deal of deals)
    for (const periods of [[FIRST], [FIRST, SECOND], [FIRST, SECOND, THIRD]]) dataOf(await deal.send(deal.report(...periods)));
  await gateway.setClock('2027-02-20T12:00:00Z');
  const counts = await Promise.all(Array.from({ length: 4 }, () => apply(gateway)));
  assert.equal(
    counts.reduce((sum, each) => sum + each, 0),
    6,
  );
  for (const deal of deals) {
    assert.deepEqual(await statuses(desk, deal), ['3 SCHEDULED', '2 APPLIED', '1 APPLIED']);
    assert.equal(await balanceOf(gateway, deal), deal.a - 35_000);
    const paid = dataOf(await desk.operate('GET', `payments?limit=100&deal_id=${deal.deal_id}`));
    assert.deepEqual(
      paid
        .filter((each: { tranche: string }) => each.tranche === 'A-1')
        .map(({ period, payment_date, principal }: { period: number; payment_date: string; principal: number }) => [
          period,
          payment_date,
          principal,
        ]),
      [
        [2, PAYMENT_DATES[1], 15_000],
        [1, PAYMENT_DATES[0], 20_000],
      ],
    );
  }
  // A report whose date has come takes the earlier ones with it.
  const [deal] = deals;
  assert.ok(deal);
  await gateway.setClock('2027-03-16T12:00:00Z');
  assert.deepEqual(codeOf(await deal.send(deal.report(FIRST, SECOND, { principal: 1 }))), [201, undefined]);
  assert.deepEqual(await statuses(desk, deal), ['3 APPLIED', '2 APPLIED', '1 APPLIED']);
  assert.deepEqual((await gateway.deps.db.tx({ platform: true }, verifyLedger)).problems, []);
});

test('a report of a deal that fails does not stop those of other deals', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const [broken, sound] = [await servicedDeal(desk), await servicedDeal(desk)];
  for (const deal of [broken, sound]) dataOf(await deal.send(deal.report(FIRST)));
  await gateway.setClock('2027-01-15T12:00:00Z');
  await gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.exec(`update remittances set report = '{}' where deal_id = $1`, [broken.deal_id]),
  );
  await assert.rejects(apply(gateway), AggregateError);
  assert.deepEqual([await statuses(desk, broken), await statuses(desk, sound)], [['1 SCHEDULED'], ['1 APPLIED']]);
});

test('a trade whose settlement began before the record date ended, and waited past it, settles after the payment', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const buyer = await desk.investor();
  const deal = await servicedDeal(desk);
  const [trade = ''] = await soldTrades(desk, deal, [[buyer, 100_000]]);
  dataOf(await deal.send(deal.report(FIRST)));
  await gateway.setClock('2027-01-15T04:59:00Z');
  const decider = { actor_id: desk.operator.key_id, organization_id: desk.operator.organization_id };
  await gateway.deps.db.tx({ platform: true }, async (tx) => {
    await gateway.setClock('2027-01-15T05:00:10Z');
    assert.equal(await apply(gateway), 1);
    await settleTrade(tx, decider, { trade_id: asId('trd', trade), reason: null });
  });
  const { settled_at } = await desk.read(`trades/${trade}`, buyer);
  assert.ok(settled_at >= '2027-01-15T05:00:10', settled_at);
  assert.deepEqual(dataOf(await desk.get('portfolio/payments', buyer)), [], 'it is not of record');
  assert.deepEqual((await gateway.deps.db.tx({ platform: true }, verifyLedger)).problems, []);
});

test('applying waits for a trade that is being settled, and then knows its holder', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const buyer = await desk.investor();
  const deal = await servicedDeal(desk);
  const [trade = ''] = await soldTrades(desk, deal, [[buyer, 100_000]]);
  dataOf(await deal.send(deal.report(FIRST)));
  await gateway.setClock('2027-01-15T04:59:00Z');
  const decider = { actor_id: desk.operator.key_id, organization_id: desk.operator.organization_id };
  const commit = await heldOpen(gateway, (tx) => settleTrade(tx, decider, { trade_id: asId('trd', trade), reason: null }));
  await gateway.setClock('2027-01-15T05:00:10Z');
  const applying = apply(gateway);
  await waitingForLock(gateway);
  await commit();
  assert.equal(await applying, 1);
  const [paid] = dataOf(await desk.get('portfolio/payments', buyer));
  assert.equal(paid.face, 100_000);
});

test('a report waits for the lock of its deal and pool, so that two at once are taken one after the other', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await servicedDeal(desk);
  const release = await heldOpen(gateway, (tx) => lockServicedPool(tx, desk.seller.organization_id, asId('pool', deal.pool_id)));
  const sent = Promise.all([deal.send(deal.report(FIRST)), deal.send(deal.report({ principal: 1_000 }))]);
  await waitingForLock(gateway, 2);
  await release();
  assert.deepEqual((await sent).map(codeOf), [
    [201, undefined],
    [201, undefined],
  ]);
  assert.deepEqual(await statuses(desk, deal), ['1 SCHEDULED']);
});
