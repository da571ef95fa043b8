import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PRICING } from '../../../test/support/calculations.ts';
import { dataOf, type Desk, openDesk } from '../../../test/support/desk.ts';
import { codeOf, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { counting } from '../../../test/support/many.ts';
import { type Serviced, servicedDeal, soldTrades } from '../../../test/support/servicing.ts';
import type { TrancheRow } from '../../finance/structure/rows.ts';
import type { Id } from '../../platform/ids.ts';
import { applyDueRemittances } from '../remittances/apply-remittances.ts';
import { type CalendarRow, projectionOf } from './calendar.ts';
import { loadCalendar } from './read-calendar.ts';

const FACE = 96_000;
const HALF_YEAR = 'from=2026-12-20&to=2027-06-30';
const calendar = async (desk: Desk, as: Holder, query = ''): Promise<CalendarRow[]> =>
  dataOf(await desk.get(`portfolio/calendar?${query}`, as));
const paid = ({ date, tranche, interest, principal, basis }: CalendarRow) => [date, tranche, interest, principal, basis];

/** A deal of which an investor holds 96,000 of A-1, settled. */
async function heldDeal(desk: Desk, investor: Holder): Promise<Serviced> {
  await desk.gateway.setClock('2026-12-10T15:00:00Z');
  const deal = await servicedDeal(desk);
  for (const trade of await soldTrades(desk, deal, [[investor, FACE]])) dataOf(await desk.decide(trade, 'settle'));
  return deal;
}

/** Publishes a mark of the deal; the cash flows of A-1 behind it. */
async function mark(desk: Desk, deal: Serviced): Promise<{ calculation_id: string; rows: Record<string, number>[] }> {
  const base = `/v1/api/originator/analytics/pools/${deal.pool_id}/calculations`;
  const { calculation_id } = dataOf(await desk.send('POST', base, desk.seller, PRICING));
  await desk.gateway.runJobs();
  dataOf(await desk.operate('POST', `calculations/${calculation_id}/publish`));
  return { calculation_id, rows: dataOf(await desk.send('GET', `${base}/${calculation_id}/cashflows?tranche=A-1`, desk.seller)) };
}

/** What a holder of a share of a tranche has of an amount, to the cent; two shares are too few for the remainder to matter here. */
const part = (amount: number | undefined, share: number): number => Math.round((amount ?? 0) * share * 100) / 100;

test('the calendar of a book', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const [investor, stranger] = [await desk.investor(), await desk.investor()];
  const deal = await heldDeal(desk, investor);
  const share = FACE / deal.a;

  await t.test('lists a position that nothing projects, without amounts and with the reason', async () => {
    const rows = await calendar(desk, investor, HALF_YEAR);
    // The 15th of February and of May are no business days.
    assert.deepEqual(
      rows.map(({ date, record_date, interest, principal, basis }) => [date, record_date, interest, principal, basis]),
      [
        ['2027-01-15', '2027-01-14', null, null, null],
        ['2027-02-16', '2027-02-12', null, null, null],
        ['2027-03-15', '2027-03-12', null, null, null],
        ['2027-04-15', '2027-04-14', null, null, null],
        ['2027-05-17', '2027-05-14', null, null, null],
        ['2027-06-15', '2027-06-14', null, null, null],
      ],
    );
    assert.deepEqual([...new Set(rows.map(({ reason }) => reason?.code))], ['NO_MARK']);
    assert.deepEqual(
      rows.map(({ period }) => period),
      [1, 2, 3, 4, 5, 6],
    );
  });

  const marked = await mark(desk, deal);

  await t.test('has the share of the position in the cash flows of the mark', async () => {
    const rows = await calendar(desk, investor, HALF_YEAR);
    assert.deepEqual(
      rows.map(paid),
      marked.rows
        .slice(0, 6)
        .map(({ date, interest_paid, principal }) => [
          date,
          'A-1',
          part(interest_paid, share),
          part(principal, share),
          'PROJECTED',
        ]),
    );
    assert.deepEqual(
      [...new Set(rows.map(({ calculation_id, reason }) => [calculation_id, reason].join()))],
      [`${marked.calculation_id},`],
    );
    // Up to the last payment that the mark projects, and nothing beyond.
    const all = await calendar(desk, investor, 'from=2026-12-20&to=2036-12-01');
    const last = marked.rows.findLast(({ interest_paid, principal }) => (interest_paid ?? 0) + (principal ?? 0) > 0);
    assert.equal(all.at(-1)?.date, last?.date);
    const principal = all.reduce((sum, row) => sum + Math.round((row.principal ?? 0) * 100), 0);
    assert.ok(Math.abs(principal - FACE * 100) <= all.length, `${principal}`);
  });

  await t.test('is of settled positions, and of nobody else', async () => {
    assert.deepEqual(await calendar(desk, stranger, HALF_YEAR), []);
    assert.deepEqual(codeOf(await desk.get('portfolio/calendar', desk.seller)), [403, 'ROLE_FORBIDDEN']);
    const pending = await servicedDeal(desk);
    await soldTrades(desk, pending, [[stranger, FACE]]);
    assert.deepEqual(await calendar(desk, stranger, HALF_YEAR), []);
  });

  await t.test('has what a report ahead of its date says, and says where one waits to be accepted', async () => {
    const report = deal.report({ principal: 20_000 });
    const differing = { ...report, available: { interest: 6_600, principal: 20_000 } };
    const sent = dataOf(await deal.send(differing));
    assert.equal(sent.verification.status, 'DIFFERS');
    const [waiting] = await calendar(desk, investor, HALF_YEAR);
    assert.deepEqual([waiting?.date, waiting?.interest, waiting?.reason?.code], ['2027-01-15', null, 'NOT_ACCEPTED']);
    dataOf(await deal.send(report));
    const [reported, next] = await calendar(desk, investor, HALF_YEAR);
    assert.ok(reported && next);
    assert.deepEqual(paid(reported), [
      '2027-01-15',
      'A-1',
      part(report.tranches[0]?.interest_paid, share),
      part(20_000, share),
      'REPORTED',
    ]);
    // The mark has another balance after the first payment. A-1 pays 5 %, and owes what the report leaves.
    const left = deal.a - 20_000;
    assert.notEqual(marked.rows[1]?.opening, left);
    assert.deepEqual([next.basis, next.interest], ['PROJECTED', part((left * 0.05) / 12, share)]);
    const ahead = (await calendar(desk, investor, 'from=2027-02-01&to=2036-12-01')).map(({ principal }) => principal ?? 0);
    const principal = ahead.reduce((sum, each) => sum + each, 0);
    assert.ok(Math.abs(principal - left * share) <= ahead.length / 100, `${principal} of ${left * share}`);
    // The report itself stays its owner's until its date.
    const detail = dataOf(await desk.get(`deals/${deal.deal_id}/performance`, investor));
    assert.deepEqual(detail, []);
  });

  await t.test('has payments as they were booked, and restatement differences beside them', async () => {
    await gateway.setClock('2027-01-15T15:00:00Z');
    await applyDueRemittances(gateway.deps.db);
    const before = await calendar(desk, investor, HALF_YEAR);
    const payments = dataOf(await desk.get('portfolio/payments', investor));
    assert.deepEqual(
      before
        .filter(({ basis }) => basis === 'BOOKED')
        .map(({ payment_id, date, interest, principal }) => [payment_id, date, interest, principal]),
      payments.map((each: CalendarRow & { payment_date: string }) => [
        each.payment_id,
        each.payment_date,
        each.interest,
        each.principal,
      ]),
    );
    assert.deepEqual(
      before.map(({ date }) => date),
      ['2027-01-15', '2027-02-16', '2027-03-15', '2027-04-15', '2027-05-17', '2027-06-15'],
    );
    // Without bounds it begins today, and a period that is booked is not projected again.
    assert.deepEqual((await calendar(desk, investor))[0]?.basis, 'BOOKED');
    await gateway.setClock('2027-01-20T15:00:00Z');
    const [first] = dataOf(await desk.send('GET', deal.path, desk.seller));
    dataOf(await deal.restate(first.remittance_id, deal.report({ principal: 15_000 })));
    const rows = (await calendar(desk, investor, HALF_YEAR)).filter(({ basis }) => basis === 'BOOKED');
    assert.deepEqual(
      rows.map(({ date, principal }) => [date, principal]),
      [
        ['2027-01-15', part(20_000, share)],
        ['2027-01-20', -part(5_000, share)],
      ],
    );
    assert.equal(
      (await calendar(desk, investor)).some(({ date }) => date < '2027-01-20'),
      false,
    );
  });

  await t.test('lists nothing for a class that is paid off', async () => {
    await gateway.setClock('2027-02-16T15:00:00Z');
    const rest = deal.a - 15_000;
    dataOf(await deal.send(deal.report({ principal: 15_000 }, { principal: rest })));
    await applyDueRemittances(gateway.deps.db);
    const rows = await calendar(desk, investor, 'from=2027-02-01&to=2030-01-01');
    assert.deepEqual(
      rows.map(({ date, basis }) => [date, basis]),
      [['2027-02-16', 'BOOKED']],
    );
  });

  await t.test('has no payment for what settles after its record date', async () => {
    const late = await desk.investor();
    await gateway.setClock('2027-01-20T15:00:00Z');
    const other = await servicedDeal(desk);
    const [first = '', second = ''] = await soldTrades(desk, other, [
      [late, FACE],
      [late, 4_000],
    ]);
    dataOf(await desk.decide(first, 'settle'));
    // The day after the record date of the payment of 16 February.
    await gateway.setClock('2027-02-16T07:00:00Z');
    dataOf(await desk.decide(second, 'settle'));
    const rows = (await calendar(desk, late, 'from=2027-02-01&to=2027-03-31')).map(({ date, face }) => [date, face]);
    assert.deepEqual(rows, [
      ['2027-02-16', FACE],
      ['2027-03-15', FACE + 4_000],
    ]);
  });

  await t.test('refuses what cannot be answered', async () => {
    assert.deepEqual(codeOf(await desk.get('portfolio/calendar?from=2027-02-02&to=2027-02-01', investor)), [
      422,
      'RANGE_REVERSED',
    ]);
    const beforeToday = await desk.get('portfolio/calendar?to=2001-02-01', investor);
    assert.deepEqual(codeOf(beforeToday), [422, 'RANGE_REVERSED']);
    assert.match(String(beforeToday.body.message), /^to is 2001-02-01, before today/);
    assert.deepEqual(codeOf(await desk.get('portfolio/calendar?from=2027-02-02&to=2047-02-01', investor)), [
      422,
      'UNPROCESSABLE',
    ]);
    assert.equal((await desk.get('portfolio/calendar?from=2027-02-30', investor)).status, 400);
    assert.deepEqual(await calendar(desk, investor, 'from=9990-01-01&to=9999-12-31'), []);
  });
});

test('a class that has a balance where its mark has it paid off is projected by nothing', () => {
  const row = (period: number, opening: number) => ({ period, opening }) as TrancheRow;
  const rows = [row(1, 900), row(2, 450), row(3, 0)];
  const scaleOf = (period: number, balance: number, flows: TrancheRow[] | undefined = rows) => {
    const projection = projectionOf('calc_1' as Id<'calc'>, flows, { period, balance });
    return 'missing' in projection ? projection.missing : projection.scale;
  };
  assert.deepEqual([scaleOf(0, 900), scaleOf(1, 600), scaleOf(1, 0)], [1, 600 / 450, 0]);
  // Also after its last row; not where nothing is left.
  assert.deepEqual([scaleOf(2, 100), scaleOf(3, 100), scaleOf(2, 0)], ['PAID_OFF_IN_MARK', 'PAID_OFF_IN_MARK', 1]);
  // What begins later than the next payment is compared with nothing.
  assert.equal(scaleOf(0, 900, [row(2, 450)]), 1);
  assert.equal(scaleOf(0, 900, []), 'NO_CASH_FLOWS');
});

test('what had settled is asked once, however many payment dates have passed without a report', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const investor = await desk.investor();
  await heldDeal(desk, investor);
  await gateway.setClock('2028-06-20T15:00:00Z');
  const read = (to: string) =>
    gateway.deps.db.tx({ platform: true }, async (tx) => {
      const { seen, counted } = counting(tx);
      const { open } = await loadCalendar(counted, investor.organization_id, { from: '2027-01-01', to });
      assert.deepEqual([...new Set(open.map(({ position }) => Number(position.face)))], [FACE]);
      return { dates: open.length, statements: seen.statements };
    });
  const [quarter, longer] = [await read('2027-03-31'), await read('2028-05-31')];
  assert.deepEqual([quarter.dates, longer.dates], [3, 17]);
  assert.equal(longer.statements, quarter.statements);
});
