import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Desk, dataOf, openDesk } from '../../../test/support/desk.ts';
import { codeOf, type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { type Period, type Serviced, servicedDeal, soldTrades } from '../../../test/support/servicing.ts';
import { counting } from '../../../test/support/many.ts';
import { asId } from '../../platform/ids.ts';
import { applyDueRemittances } from './apply-remittances.ts';
import { correctTrades } from './correct-trades.ts';
import { listFromPeriod } from './queries.ts';
import { lockServicedPool } from './serviced-pool.ts';
import { verifyLedger } from '../trades/ledger-queries.ts';

const FACE = 100_000;
const rounded = (amount: number): number => Math.round(amount * 100) / 100;

/** Cash of trades and their corrections in the ledger. */
async function tradeCash({ deps }: Gateway, { organization_id }: Holder): Promise<number> {
  const row = await deps.db.tx({ platform: true }, (tx) =>
    tx.one<{ cash: number }>(
      `select coalesce(sum(amount), 0)::float8 as cash from ledger_entries
       where organization_id = $1 and account = 'CASH' and payment_id is null`,
      [organization_id],
    ),
  );
  return row?.cash ?? 0;
}

/** The amounts of a trade of A-1 (5 %, 30/360) that settles for 2026-12-15, without what its tranche paid until a date some months later. */
function exOf(deal: Serviced, principal: number, months: number) {
  const factor = Number(((deal.a - principal) / deal.a).toFixed(8));
  const principal_amount = rounded(FACE * factor);
  const accrued_interest = -rounded((principal_amount * 5 * months) / 1_200);
  return { factor, principal_amount, accrued_interest, net_amount: rounded(principal_amount + accrued_interest) };
}

const amountsOf = ({ factor, principal_amount, accrued_interest, net_amount }: Record<string, number>) => ({
  factor,
  principal_amount,
  accrued_interest,
  net_amount,
});

const withFirstCoupon =
  (coupon: object) =>
  (structure: Record<string, unknown>): object => {
    const [first, ...others] = structure.tranches as object[];
    return { ...structure, tranches: [{ ...first, coupon }, ...others] };
  };

/** A deal with one trade, of which nothing is settled yet. */
async function sold(
  desk: Desk,
): Promise<{ deal: Serviced; buyer: Holder; trade: string; read: () => Promise<Record<string, number>> }> {
  const buyer = await desk.investor();
  const deal = await servicedDeal(desk);
  const [trade = ''] = await soldTrades(desk, deal, [[buyer, FACE]]);
  return { deal, buyer, trade, read: () => desk.read(`trades/${trade}`, buyer) };
}

async function assertBooked({ gateway, seller }: Desk, buyer: Holder, net: number): Promise<void> {
  assert.deepEqual((await gateway.deps.db.tx({ platform: true }, verifyLedger)).problems, []);
  assert.deepEqual([await tradeCash(gateway, buyer), await tradeCash(gateway, seller)], [0 - net, net]);
}

test('a trade that settled after a record date is ex also where the report comes later, and follows its restatements', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const { deal, buyer, trade, read } = await sold(desk);
  await gateway.setClock('2027-01-15T15:00:00Z');
  const settled = dataOf(await desk.decide(trade, 'settle'));
  assert.deepEqual([settled.factor, settled.net_amount, settled.corrected_amount], [1, FACE, 0]);
  await gateway.setClock('2027-02-02T15:00:00Z');
  const tag = (await desk.get(`trades/${trade}`, buyer)).headers.etag;
  const { remittance_id } = dataOf(await deal.send(deal.report({ principal: 20_000 })));
  const ex = exOf(deal, 20_000, 1);
  const loggedOf = async (holder: Holder) =>
    dataOf(await desk.send('GET', `/v1/api/audit?action=trade.corrected&entity_id=${trade}`, holder));

  await t.test('it has the amounts with which it would have settled, and what was paid too much goes back', async () => {
    assert.deepEqual(amountsOf(await read()), ex);
    assert.equal((await read()).corrected_amount, rounded(ex.net_amount - FACE));
    assert.notEqual((await desk.get(`trades/${trade}`, buyer)).headers.etag, tag);
    assert.deepEqual(dataOf(await desk.get('portfolio/payments', buyer)), []);
    await assertBooked(desk, buyer, ex.net_amount);
    const [listed] = await desk.read('trades', buyer);
    const [operators] = dataOf(await desk.operate('GET', `trades?deal_id=${deal.deal_id}`));
    const [reported] = (await desk.read('portfolio/reports', buyer)).trade_history;
    assert.deepEqual([listed.net_amount, operators.net_amount, reported.net_amount], Array(3).fill(ex.net_amount));
  });

  await t.test('both sides are told, the seller without the buyer, and the audit logs of both have it', async () => {
    for (const holder of [buyer, desk.seller]) {
      const [event, ...more] = dataOf(await desk.send('GET', '/v1/api/events?type=trade.corrected', holder));
      assert.equal(more.length, 0);
      const { trade_id, period, factor, net_amount, difference } = event.data;
      assert.deepEqual(
        { trade_id, period, factor, net_amount, difference },
        { trade_id: trade, period: 1, factor: ex.factor, net_amount: ex.net_amount, difference: rounded(ex.net_amount - FACE) },
      );
      const [alert] = dataOf(await desk.send('GET', '/v1/api/alerts?type=trade.corrected', holder));
      assert.equal(JSON.stringify([event, alert]).includes(buyer.organization_id), false);
    }
    for (const holder of [buyer, desk.seller]) {
      const [entry, ...more] = await loggedOf(holder);
      assert.equal(more.length, 0);
      assert.deepEqual([entry.actor, entry.before.net_amount, entry.after.net_amount], ['payment date', FACE, ex.net_amount]);
    }
  });

  await t.test('the statement of the settlement stays, and that of the report has the correction', async () => {
    const [january, february] = [
      (await desk.read('portfolio/statement?month=2027-01', buyer)).positions[0],
      (await desk.read('portfolio/statement?month=2027-02', buyer)).positions[0],
    ];
    assert.deepEqual([january.net_amount, january.closing_balance, january.trades.length], [FACE, FACE, 1]);
    const [correction, ...more] = february.trades;
    assert.equal(more.length, 0);
    assert.deepEqual(
      [correction.trade_id, correction.corrects_period, correction.face, correction.net_amount],
      [trade, 1, 0, rounded(ex.net_amount - FACE)],
    );
    assert.deepEqual(
      [february.opening_balance, february.bought_face, february.bought_balance, february.other_change, february.closing_balance],
      [FACE, 0, rounded(ex.principal_amount - FACE), 0, ex.principal_amount],
    );
    const csv = await desk.get('portfolio/statement?month=2027-02&format=csv', buyer);
    assert.match(String(csv.text), /corrects_period/);
  });

  await t.test('a restatement corrects it again, and the same report sent again nothing', async () => {
    const { remittance_id: same } = dataOf(await deal.restate(remittance_id, deal.report({ principal: 30_000 })));
    assert.equal(same, remittance_id);
    assert.deepEqual(amountsOf(await read()), exOf(deal, 30_000, 1));
    await assertBooked(desk, buyer, exOf(deal, 30_000, 1).net_amount);
    for (const holder of [buyer, desk.seller]) {
      const [entry, ...more] = await loggedOf(holder);
      assert.deepEqual(
        [entry.actor, entry.before.net_amount, entry.after.net_amount, more.length],
        ['restatement', ex.net_amount, exOf(deal, 30_000, 1).net_amount, 1],
      );
    }
    assert.equal((await deal.restate(remittance_id, deal.report({ principal: 30_000 }))).status, 409);
    assert.deepEqual(codeOf(await deal.send(deal.report({ principal: 30_000 }))), [409, 'CONFLICT']);
    dataOf(await deal.restate(remittance_id, deal.report({ principal: 20_000 })));
    assert.deepEqual(amountsOf(await read()), ex);
    await assertBooked(desk, buyer, ex.net_amount);
    const [position] = await desk.read('portfolio/positions', buyer);
    assert.deepEqual([position.current_balance, position.cost_basis], [ex.principal_amount, ex.principal_amount]);
  });

  await t.test('a correction is never changed or removed', async () => {
    for (const sql of ['delete from trade_corrections', 'update trade_corrections set principal_amount = 0'])
      await assert.rejects(gateway.deps.db.tx({ platform: true }, (tx) => tx.exec(sql)));
  });

  await t.test('the verdict of the ledger names a correction that was booked otherwise', async () => {
    const owner = await gateway.owner();
    await owner.query('set session_replication_role = replica');
    await owner.query(`select set_config('sluice.scope', 'platform', false)`);
    await owner.query('update trade_corrections set principal_amount = principal_amount + 0.01');
    await owner.end();
    const { valid, problems } = await gateway.deps.db.tx({ platform: true }, verifyLedger);
    assert.equal(valid, false);
    assert.match(String(problems[0]), new RegExp(`^correction cor_\\w+ of trade ${trade} is `));
  });
});

test('reports of several periods that come late are made good one by one', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const { deal, buyer, trade, read } = await sold(desk);
  await gateway.setClock('2027-03-20T15:00:00Z');
  dataOf(await desk.decide(trade, 'settle'));
  const periods: Period[] = [];
  for (const [index, principal] of [20_000, 10_000, 5_000].entries()) {
    periods.push({ principal });
    dataOf(await deal.send(deal.report(...periods)));
    const paid = periods.reduce((sum, each) => sum + each.principal, 0);
    assert.deepEqual(amountsOf(await read()), exOf(deal, paid, index + 1));
    await assertBooked(desk, buyer, exOf(deal, paid, index + 1).net_amount);
  }
  assert.deepEqual(dataOf(await desk.get('portfolio/payments', buyer)), []);
  const [position] = await desk.read('portfolio/positions', buyer);
  assert.equal(position.current_balance, exOf(deal, 35_000, 3).principal_amount);
});

test('a trade that settled ex of a report ahead follows the report that is applied in its place', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const { deal, buyer, trade, read } = await sold(desk);
  dataOf(await deal.send(deal.report({ principal: 20_000 })));
  await gateway.setClock('2027-01-15T06:00:00Z');
  assert.deepEqual(amountsOf(dataOf(await desk.decide(trade, 'settle'))), exOf(deal, 20_000, 1));
  dataOf(await deal.send({ ...deal.report({ principal: 25_000 }) }));
  assert.deepEqual(amountsOf(await read()), exOf(deal, 25_000, 1));
  await assertBooked(desk, buyer, exOf(deal, 25_000, 1).net_amount);
});

test('a trade that settled while a late report was held is corrected when that is accepted', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const { deal, buyer, trade, read } = await sold(desk);
  await gateway.setClock('2027-01-19T15:00:00Z');
  dataOf(await desk.decide(trade, 'settle'));
  const report = { ...deal.report({ principal: 20_000 }), available: { interest: 6_600, principal: 20_000 } };
  const { remittance_id, status } = dataOf(await deal.send(report));
  assert.deepEqual([status, (await read()).net_amount], ['HELD', FACE]);
  dataOf(await desk.operate('POST', `remittances/${remittance_id}/accept`, { reason: 'The fee was cut.' }));
  assert.deepEqual(amountsOf(await read()), exOf(deal, 20_000, 1));
  await assertBooked(desk, buyer, exOf(deal, 20_000, 1).net_amount);
});

test('a trade that settled ex of a payment that has a later date now is of record, and has its first amounts', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const { deal, buyer, trade, read } = await sold(desk);
  const report = deal.report({ principal: 20_000 });
  dataOf(await deal.send({ ...report, payment_date: '2027-01-19' }));
  // The 18th is a holiday: the record date of the 19th is Friday, the 15th.
  await gateway.setClock('2027-01-16T15:00:00Z');
  assert.ok(dataOf(await desk.decide(trade, 'settle')).factor < 1);
  dataOf(await deal.send({ ...report, payment_date: '2027-01-20' }));
  await gateway.setClock('2027-01-20T15:00:00Z');
  assert.equal(await applyDueRemittances(gateway.deps.db), 1);
  assert.equal(dataOf(await desk.get('portfolio/payments', buyer)).length, 1);
  const { factor, net_amount, corrected_amount } = await read();
  assert.deepEqual([factor, net_amount], [1, FACE]);
  assert.ok(Number(corrected_amount) > 0);
  await assertBooked(desk, buyer, FACE);
});

test('a trade whose interest since a late report is not known is corrected once it is', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const buyer = await desk.investor();
  const deal = await servicedDeal(desk, desk.seller, withFirstCoupon({ type: 'FIXED', rate: 30, cap: 'NET_WAC' }));
  await gateway.setClock('2027-01-20T15:00:00Z');
  const [trade = ''] = await soldTrades(desk, deal, [[buyer, FACE]]);
  const settled = dataOf(await desk.decide(trade, 'settle'));
  const report = deal.report({ principal: 20_000 });
  const at = (wac: number) => ({ ...report, collateral: { ...report.collateral, wac } });
  const { remittance_id } = dataOf(await deal.send(report));
  const read = () => desk.read(`trades/${trade}`, buyer);
  const uncorrected = async (action: string) =>
    (await desk.audited(remittance_id)).findLast((each) => each.action === action)?.after?.uncorrected_trades;
  assert.deepEqual(amountsOf(await read()), amountsOf(settled));
  assert.deepEqual(await uncorrected('remittance.applied'), [trade]);

  const { principal_amount } = exOf(deal, 20_000, 0);
  for (const wac of [7.25, 7, 7.5]) {
    dataOf(await deal.restate(remittance_id, at(wac)));
    // From the 15th to the settlement on the 21st: 6 days at the rate of the loans less that of the servicer, also where that alone is restated.
    const accrued_interest = rounded((principal_amount * (wac - 1) * 6) / 36_000);
    assert.deepEqual([(await read()).principal_amount, (await read()).accrued_interest], [principal_amount, accrued_interest]);
    await assertBooked(desk, buyer, rounded(principal_amount + accrued_interest));
    assert.equal(await uncorrected('remittance.restated'), undefined);
  }

  const known = amountsOf(await read());
  dataOf(await deal.restate(remittance_id, deal.report({ principal: 30_000 })));
  assert.deepEqual([amountsOf(await read()), await uncorrected('remittance.restated')], [known, [trade]]);
});

test('a settled trade follows a fixing that was corrected with the next report of its accrual', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const buyer = await desk.investor();
  const deal = await servicedDeal(desk, desk.seller, withFirstCoupon({ type: 'FLOATING', index: 'SOFR_1M', margin_bp: 100 }));
  const fix = async (rate: number) =>
    dataOf(await desk.operate('PUT', 'fixings', { index: 'SOFR_1M', date: '2026-12-11', rate }));
  await fix(4);
  await gateway.setClock('2026-12-21T15:00:00Z');
  const [trade = ''] = await soldTrades(desk, deal, [[buyer, FACE]]);
  dataOf(await desk.decide(trade, 'settle'));
  const accrued = async () => (await desk.read(`trades/${trade}`, buyer)).accrued_interest;
  // From the closing on the 15th to the settlement on the 22nd.
  const of = (coupon: number) => rounded((FACE * coupon * 7) / 36_000);
  assert.equal(await accrued(), of(5));
  await fix(5);
  assert.equal(await accrued(), of(5));
  await gateway.setClock('2027-01-15T15:00:00Z');
  dataOf(await deal.send(deal.report({ principal: 20_000, interestOnA: rounded((deal.a * 6) / 1_200) })));
  assert.equal(await accrued(), of(6));
  await assertBooked(desk, buyer, rounded(FACE + of(6)));
});

test('correcting many trades of one accrual takes as many statements as correcting one', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const statements: number[] = [];
  for (const count of [1, 4]) {
    await gateway.setClock('2026-12-10T15:00:00Z');
    const buyer = await desk.investor();
    const seller = await gateway.key('originator', `Seller of ${count}`);
    const deal = await servicedDeal(desk, seller, withFirstCoupon({ type: 'FLOATING', index: 'SOFR_1M', margin_bp: 100 }));
    dataOf(await desk.operate('PUT', 'fixings', { index: 'SOFR_1M', date: '2026-12-11', rate: 4 }));
    const trades = await soldTrades(
      desk,
      deal,
      Array.from({ length: count }, () => [buyer, FACE]),
    );
    await gateway.setClock('2027-01-20T15:00:00Z');
    for (const trade of trades) dataOf(await desk.decide(trade, 'settle'));
    dataOf(await deal.send(deal.report({ principal: 20_000, interestOnA: rounded((deal.a * 5) / 1_200) })));
    await gateway.deps.db.tx({ platform: true }, async (tx) => {
      const pool = await lockServicedPool(tx, seller.organization_id, asId('pool', deal.pool_id));
      const [report] = await listFromPeriod(tx, pool, 1);
      assert.ok(report);
      const { seen, counted } = counting(tx);
      assert.deepEqual(await correctTrades(counted, pool, report, 'a test'), []);
      assert.ok(seen.reads > 0);
      statements.push(seen.statements);
    });
    for (const trade of trades) assert.ok((await desk.read(`trades/${trade}`, buyer)).accrued_interest < 0, 'it is ex');
  }
  assert.equal(statements[0], statements[1]);
});

test('a trade in a class that was paid off by mistake has its amounts and its cost back when that is restated', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const { deal, buyer, trade, read } = await sold(desk);
  await gateway.setClock('2027-01-15T15:00:00Z');
  const { remittance_id } = dataOf(await deal.send(deal.report({ principal: deal.a })));
  assert.equal(dataOf(await desk.decide(trade, 'settle')).net_amount, 0);
  await assertBooked(desk, buyer, 0);
  dataOf(await deal.restate(remittance_id, deal.report({ principal: 20_000 })));
  const ex = exOf(deal, 20_000, 1);
  assert.deepEqual(amountsOf(await read()), ex);
  await assertBooked(desk, buyer, ex.net_amount);
  for (const query of ['', '?as_of=2027-01-15']) {
    const [position] = await desk.read(`portfolio/positions${query}`, buyer);
    assert.deepEqual([position.current_balance, position.cost_basis], [ex.principal_amount, ex.principal_amount]);
  }
});

test('a trade that was accepted before the last payment was restated settles at the factor in force', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const buyer = await desk.investor();
  const deal = await servicedDeal(desk);
  await gateway.setClock('2027-01-15T15:00:00Z');
  const { remittance_id } = dataOf(await deal.send(deal.report({ principal: 20_000 })));
  const [trade = ''] = await soldTrades(desk, deal, [[buyer, FACE]]);
  dataOf(await deal.restate(remittance_id, deal.report({ principal: 30_000 })));
  const settled = dataOf(await desk.decide(trade, 'settle'));
  assert.equal(settled.principal_amount, exOf(deal, 30_000, 1).principal_amount);
  const [position] = await desk.read('portfolio/positions', buyer);
  assert.equal(position.current_balance, settled.principal_amount);
});
