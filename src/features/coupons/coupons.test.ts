import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused, dataOf, heldOpen, openDesk, waitingForLock } from '../../../test/support/desk.ts';
import { startGateway } from '../../../test/support/gateway.ts';
import type { Remittance } from '../../finance/structure/remittance.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asId } from '../../platform/ids.ts';
import { setFixing } from '../fixings/set-fixing.ts';
import { applyDueRemittances } from '../remittances/apply-remittances.ts';
import { reportRemittance } from '../remittances/report-remittance.ts';
import { verifyLedger } from '../trades/ledger-queries.ts';
import { type Serviced, servicedDeal, soldTrades } from '../../../test/support/servicing.ts';

type Json = Record<string, unknown>;
type Report = ReturnType<Serviced['report']>;

test('coupons that are not one number', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const fix = (index: string, date: string, rate: number) => desk.operate('PUT', 'fixings', { index, date, rate });
  let sellers = 0;
  /** A deal of a seller of its own whose first note has a coupon; its clock stands at 2026-12-10. */
  const dealWith = async (coupon: Json, { note = {}, ...more }: { note?: Json } & Json = {}) => {
    const seller = await gateway.key('originator', `Seller of coupons ${(sellers += 1)}`);
    const deal = await servicedDeal(desk, seller, (structure) => {
      const [first, ...others] = structure.tranches as Json[];
      return { ...structure, tranches: [{ ...first, coupon, ...note }, ...others], ...more };
    });
    const investor = await desk.investor();
    const tranche = async () => (await desk.read(`deals/${deal.deal_id}/tranches`, investor))[0];
    /** A trade that is accepted today. A deal is allocated once. */
    const buy = async (amount = 100_000): Promise<string> => (await soldTrades(desk, deal, [[investor, amount]]))[0] ?? '';
    const settle = async (id: string) => dataOf(await desk.decide(id, 'settle'));
    const trade = (id: string) => desk.read(`trades/${id}`, investor);
    return { deal, investor, tranche, coupon: async () => (await tranche()).coupon, buy, settle, trade };
  };
  const at = (time: string) => gateway.setClock(time);
  /** Sends reports of periods whose principal is a tenth of the first note each. */
  const tenths = (deal: Serviced, count: number): Report =>
    deal.report(...Array.from({ length: count }, () => ({ principal: deal.a / 10 })));

  const stepUp = (from_period = 3) =>
    dealWith({
      type: 'FIXED',
      rate: [
        { from_period: 1, value: 5 },
        { from_period, value: 7 },
      ],
    });

  await t.test('a step-up is listed with its terms, and accrues at its first rate', async () => {
    const { deal, investor, tranche, buy, settle } = await stepUp();
    const listed = await tranche();
    assert.deepEqual(
      [listed.coupon_type, listed.coupon, listed.current_rate, listed.coupon_terms],
      ['FIXED', 5, null, 'a fixed rate of 5 % from period 1 and 7 % from period 3 a year'],
    );
    const second = (await desk.read(`deals/${deal.deal_id}/tranches`, investor))[1];
    assert.deepEqual([second.coupon, second.coupon_terms], [6.5, null]);
    await at('2027-01-05T15:00:00Z');
    // 21 days of 30/360 from 2026-12-15 to 2027-01-06.
    assert.equal((await settle(await buy())).accrued_interest, 291.67);
  });

  await t.test('trades around the step of a coupon have that of the accrual that they are in', async () => {
    const before = await stepUp();
    await at('2027-01-15T15:00:00Z');
    dataOf(await before.deal.send(tenths(before.deal, 1)));
    assert.equal(await before.coupon(), 5);
    await at('2027-02-11T15:00:00Z');
    const ahead = await before.buy();
    // 27 days on 90,000 to 2027-02-12.
    assert.equal((await before.trade(ahead)).accrued_interest, 337.5);
    dataOf(await before.deal.send(tenths(before.deal, 2)));
    await at('2027-02-13T15:00:00Z');
    // Ex: from the 12th to the payment's date of the schedule, the 15th, at the coupon before the step on 80,000.
    assert.equal((await before.settle(ahead)).accrued_interest, -33.33);
    assert.equal(await before.coupon(), 5, 'until the payment');
    await at('2027-02-16T15:00:00Z');
    await applyDueRemittances(gateway.deps.db);
    assert.equal(await before.coupon(), 7);
    const [position] = await desk.read('portfolio/positions', before.investor);
    assert.equal(position.yield, 7);

    const across = await stepUp();
    await at('2027-01-15T15:00:00Z');
    dataOf(await across.deal.send(tenths(across.deal, 1)));
    await at('2027-02-12T15:00:00Z');
    const late = await across.buy();
    dataOf(await across.deal.send(tenths(across.deal, 2)));
    await at('2027-02-13T15:00:00Z');
    // Ex: from the 15th to the 16th, at the coupon of the accrual that begins there.
    assert.equal((await across.settle(late)).accrued_interest, 15.56);

    const after = await stepUp();
    await at('2027-02-16T15:00:00Z');
    dataOf(await after.deal.send(tenths(after.deal, 1)));
    dataOf(await after.deal.send(tenths(after.deal, 2)));
    await at('2027-02-17T15:00:00Z');
    // 3 days at 7 % on 80,000.
    assert.equal((await after.settle(await after.buy())).accrued_interest, 46.67);
  });

  await t.test('a trade that settles after two payments gives back the interest of each accrual at its own coupon', async () => {
    const { deal, buy, settle } = await stepUp(2);
    await at('2027-01-13T15:00:00Z');
    const id = await buy();
    dataOf(await deal.send(tenths(deal, 1)));
    dataOf(await deal.send(tenths(deal, 2)));
    await at('2027-02-17T15:00:00Z');
    await applyDueRemittances(gateway.deps.db);
    // From 2027-01-14 a day at 5 % and 30 days at 7 % on 80,000: 11.11 and 466.67.
    const { accrued_interest, factor } = await settle(id);
    assert.deepEqual([accrued_interest, factor], [-477.78, 0.8]);
  });

  await t.test(
    'an inverse floater has its multiplier, never less than nothing, and is told while there is no fixing',
    async () => {
      const { tranche, coupon, buy, trade, deal } = await dealWith({
        type: 'FLOATING',
        index: 'INVERSE',
        margin_bp: 2_000,
        multiplier: -2.5,
        cap: 15,
      });
      const listed = await tranche();
      assert.deepEqual(
        [listed.coupon, listed.index, listed.margin_bp, listed.multiplier, listed.cap, listed.floor],
        [null, 'INVERSE', 2_000, -2.5, 15, null],
      );
      await at('2026-12-15T15:00:00Z');
      const later = await buy();
      assert.equal((await trade(later)).accrued_interest, 0);
      const refused = await assertRefused(gateway, () => desk.decide(later, 'settle'), [422, 'FIXING_MISSING']);
      assert.match(refused.body.message ?? '', /from 2026-12-15 to 2026-12-16 is not known: INVERSE has no fixing/);
      assert.deepEqual([refused.body.index, refused.body.tranche_id], ['INVERSE', deal.tranches[0]]);
      for (const [rate, expected] of [
        [1, 15],
        [9, 0],
        [4.321, 9.1975],
      ] as const) {
        dataOf(await fix('INVERSE', '2026-12-11', rate));
        assert.equal(await coupon(), expected, String(rate));
      }
      // A day of 30/360 at 9.1975 %.
      assert.equal(dataOf(await desk.decide(later, 'settle')).accrued_interest, 25.55);
    },
  );

  await t.test(
    'a floater moves to its next fixing with an applied report; a fixing that a report gives comes first',
    async () => {
      const { deal, coupon } = await dealWith({ type: 'FLOATING', index: 'MOVING', margin_bp: 100 });
      dataOf(await fix('MOVING', '2026-12-01', 3));
      dataOf(await fix('MOVING', '2027-01-15', 4));
      assert.equal(await coupon(), 4);
      await at('2027-01-15T15:00:00Z');
      dataOf(await deal.send(tenths(deal, 1)));
      assert.equal(await coupon(), 5);
      const { remittance_id } = dataOf(await deal.send({ ...tenths(deal, 2), fixings: { MOVING: 4.5 } }));
      assert.equal(await coupon(), 5.5);
      dataOf(await desk.send('DELETE', `${deal.path}/${remittance_id}`, deal.seller));
      assert.equal(await coupon(), 5);
      dataOf(await fix('MOVING', '2027-01-15', 4.25));
      assert.equal(await coupon(), 5.25);
    },
  );

  await t.test('a fixing of the structure goes before a recorded one of another accrual, as in its verification', async () => {
    const fixings = { KNOWN: [{ date: '2027-01-15', rate: 2 }] };
    const { deal, coupon } = await dealWith({ type: 'FLOATING', index: 'KNOWN', margin_bp: 100 }, { fixings });
    dataOf(await fix('KNOWN', '2026-12-01', 3));
    assert.equal(await coupon(), 4);
    await at('2027-01-15T15:00:00Z');
    dataOf(await deal.send(tenths(deal, 1)));
    // 2 % for the accrual from 2027-01-15; the 3 % are of the one before.
    assert.equal(await coupon(), 3);
    dataOf(await fix('KNOWN', '2027-01-14', 2.5));
    assert.equal(await coupon(), 3.5);
  });

  await t.test(
    'a trade that settled at another fixing than its period is paid at is corrected by the report of it, once',
    async () => {
      const { deal, buy, settle, trade } = await dealWith({ type: 'FLOATING', index: 'REVISED', margin_bp: 100 });
      dataOf(await fix('REVISED', '2026-12-11', 3));
      await at('2027-01-05T15:00:00Z');
      const id = await buy();
      // 21 days of 30/360 from 2026-12-15 to 2027-01-06 at 4 %, then at 4.6 %.
      assert.equal((await settle(id)).accrued_interest, 233.33);
      dataOf(await fix('REVISED', '2026-12-11', 3.6));
      assert.equal((await trade(id)).corrected_amount, 0);
      await at('2027-01-15T15:00:00Z');
      dataOf(await deal.send(tenths(deal, 1)));
      const { accrued_interest, corrected_amount, factor } = await trade(id);
      assert.deepEqual([accrued_interest, corrected_amount, factor], [268.33, 35, 1]);
      await at('2027-02-16T15:00:00Z');
      dataOf(await deal.send(tenths(deal, 2)));
      assert.equal((await trade(id)).corrected_amount, 35);
      assert.deepEqual((await gateway.deps.db.tx({ platform: true }, verifyLedger)).problems, []);
    },
  );

  await t.test('a fixing that is recorded while a report is applied, or a deal is issued, counts', async () => {
    const { deal, coupon } = await dealWith({ type: 'FLOATING', index: 'RACE', margin_bp: 100 });
    dataOf(await fix('RACE', '2026-12-01', 3));
    await at('2027-01-15T15:00:00Z');
    /** Lets an act wait for a transaction that is not committed yet. */
    const during = async <Result>(work: (tx: Tx) => Promise<unknown>, act: () => Promise<Result>): Promise<Result> => {
      const commit = await heldOpen(gateway, work);
      const acting = act();
      await waitingForLock(gateway).finally(commit);
      return acting;
    };
    const report = tenths(deal, 1) as Remittance;
    const recorded = await during(
      (tx) => reportRemittance(tx, deal.seller, asId('pool', deal.pool_id), report),
      () => fix('RACE', '2027-01-15', 4),
    );
    dataOf(recorded);
    assert.equal(await coupon(), 5);

    const first = { index: 'RACE OF THE ISSUE', date: '2026-12-01', rate: 3 };
    const issued = await during(
      (tx) => setFixing(tx, desk.operator, first),
      () => dealWith({ type: 'FLOATING', index: first.index, margin_bp: 100 }),
    );
    assert.equal(await issued.coupon(), 4);
  });

  await t.test('a reset every three months keeps the index, observed so many days before the accrual', async () => {
    const { deal, coupon } = await dealWith({
      type: 'FLOATING',
      index: 'QUARTERLY',
      margin_bp: 100,
      reset: { every_months: 3, lag_days: 2 },
    });
    for (const [date, rate] of [
      ['2026-12-13', 3],
      ['2026-12-14', 3.5],
      ['2027-01-13', 4],
      ['2027-02-13', 4.5],
      ['2027-03-13', 5],
      ['2027-03-14', 5.5],
    ] as const)
      dataOf(await fix('QUARTERLY', date, rate));
    const coupons = [await coupon()];
    for (const [place, day] of ['2027-01-15', '2027-02-16', '2027-03-15'].entries()) {
      await at(`${day}T15:00:00Z`);
      const report = tenths(deal, place + 1);
      // The index of a period that is no reset: the waterfall is run with it.
      const { principal_paid } = report.tranches[0] as { principal_paid: number };
      const available = { interest: 6_600, principal: principal_paid };
      const sent = place === 1 ? { ...report, available, fixings: { QUARTERLY: 3 } } : report;
      const row = dataOf(await deal.send(sent));
      if (place === 1) {
        assert.deepEqual(row.verification.missing, []);
        const { remittance_id } = row;
        dataOf(await desk.operate('POST', `remittances/${remittance_id}/accept`, { reason: 'the test has other cash' }));
      }
      coupons.push(await coupon());
    }
    assert.deepEqual(coupons, [4, 4, 4, 6]);
  });

  const rateOf = async (deal: Serviced): Promise<number> =>
    (await gateway.call('GET', `/v1/api/originator/pools/${deal.pool_id}`, { as: deal.seller })).body.data.wac;

  await t.test(
    'a net WAC cap follows the pool at the cut-off, then the reports, and is told where they do not say it',
    async () => {
      const { deal, coupon, buy, settle } = await dealWith({ type: 'FIXED', rate: 30, cap: 'NET_WAC' });
      const wac = await rateOf(deal);
      // The servicer has 1 % of the pool a year.
      assert.equal(await coupon(), Math.round((wac - 1) * 1e6) / 1e6);

      await at('2027-01-15T15:00:00Z');
      const { remittance_id } = dataOf(await deal.send(tenths(deal, 1)));
      assert.equal(await coupon(), null);
      await at('2027-01-20T15:00:00Z');
      const id = await buy();
      const refused = await assertRefused(gateway, () => desk.decide(id, 'settle'), [422, 'FIXING_MISSING']);
      assert.match(refused.body.message ?? '', /the net rate of the loans limits the coupon of A-1/);
      assert.match(refused.body.message ?? '', /the report of period 1 has no collateral\.wac: restate that one with it/);

      const report = tenths(deal, 1);
      dataOf(await deal.restate(remittance_id, { ...report, collateral: { ...report.collateral, wac: 7.25 } }));
      assert.equal(await coupon(), 6.25);
      const next = tenths(deal, 2);
      const [first, ...others] = next.tranches;
      const own = dataOf(await deal.send({ ...next, tranches: [{ ...first, rate: 6.5 }, ...others] }));
      assert.equal(await coupon(), 6.5, 'the rate of the class in the report of the period');
      dataOf(await deal.send({ ...next, rates: { NET_WAC: 6.1 } }));
      assert.equal(await coupon(), 6.1, 'the net rate in the report of the period');
      // 6 days of 30/360 on 90,000.
      assert.equal((await settle(id)).accrued_interest, 91.5);
      dataOf(await desk.send('DELETE', `${deal.path}/${own.remittance_id}`, deal.seller));
      assert.equal(await coupon(), 6.25);
    },
  );

  await t.test('a coupon that a trigger changes follows it after an applied report', async () => {
    const { deal, coupon } = await dealWith({ type: 'FIXED', rate: { if: 'cnl', then: 8, else: 5 } });
    const loss = Math.round(deal.pool * 0.02);
    assert.equal(await coupon(), 5);
    dataOf(await deal.send(deal.report({ principal: 1_000, loss })));
    assert.equal(await coupon(), 5, 'before the payment');
    await at('2027-01-15T15:00:00Z');
    await applyDueRemittances(gateway.deps.db);
    assert.equal(await coupon(), 8);
  });

  await t.test('what a cap has cut and a later payment makes good goes to the holders of record', async () => {
    const waterfall = [
      { pay: 'FEE', to: ['servicing'] },
      { pay: 'INTEREST', to: ['A-1', 'B'] },
      { pay: 'PRINCIPAL', to: ['A-1', 'B'] },
      { pay: 'CARRY_OVER', to: ['A-1'] },
      { pay: 'RESERVE', to: ['reserve'] },
      { pay: 'RESIDUAL', to: ['R'] },
    ];
    const { deal, investor, buy, settle } = await dealWith(
      { type: 'FIXED', rate: 30, cap: 'NET_WAC', carry_over: true },
      { waterfall },
    );
    await at('2026-12-16T15:00:00Z');
    await settle(await buy(deal.a));
    await at('2027-01-15T15:00:00Z');
    const report = tenths(deal, 1);
    const [first, ...others] = report.tranches;
    dataOf(await deal.send({ ...report, tranches: [{ ...first, carry_over_paid: 123.45 }, ...others] }));
    const [payment] = await desk.read('portfolio/payments', investor);
    const { interest_paid } = first as { interest_paid: number };
    assert.equal(payment.interest, Math.round((interest_paid + 123.45) * 100) / 100);
    const { problems } = await gateway.deps.db.tx({ platform: true }, verifyLedger);
    assert.deepEqual(problems, []);
  });

  await t.test('an excess strip has a notional in place of a balance, and is not offered', async () => {
    const seller = await gateway.key('originator', 'Seller of a strip');
    const deal = await servicedDeal(desk, seller, (structure) => {
      const [a, b, residual] = structure.tranches as Json[];
      const strip = { tranche: 'XS', notional: { percent: 100, of: 'NOTES' }, coupon: { type: 'EXCESS' }, seniority: 5 };
      const waterfall = [
        { pay: 'FEE', to: ['servicing'] },
        { pay: 'INTEREST', to: ['A-1', 'B', 'XS'] },
        { pay: 'PRINCIPAL', to: ['A-1', 'B'] },
        { pay: 'RESERVE', to: ['reserve'] },
        { pay: 'RESIDUAL', to: ['R'] },
      ];
      return { ...structure, tranches: [a, b, strip, residual], waterfall };
    });
    const tranches = await desk.read(`deals/${deal.deal_id}/tranches`, await desk.investor());
    assert.deepEqual(
      tranches.map((each: { tranche: string }) => each.tranche),
      ['A-1', 'B'],
    );
  });
});
