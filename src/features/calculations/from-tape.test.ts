import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataOf, openDesk } from '../../../test/support/desk.ts';
import { insertPosition } from '../../../test/support/market.ts';
import { listBook } from './portfolio-run-queries.ts';
import { startGateway } from '../../../test/support/gateway.ts';
import { tapedDeal } from '../../../test/support/serviced-tapes.ts';
import { reportOf } from '../../../test/support/servicing.ts';
import { applyDueRemittances } from '../remittances/apply-remittances.ts';

type Tie = { figure: string; tape: number; certificate: number; difference: number };

test('a calculation from today has the loans of the newest tape up to the last report', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await tapedDeal(desk);
  const base = `/v1/api/originator/analytics/pools/${deal.pool_id}/calculations`;
  const calculate = async (from: unknown) => {
    const body = { type: 'CASHFLOW', assumptions: { cpr: 0, cdr: 0, severity: 0 }, from };
    const { calculation_id } = dataOf(await desk.send('POST', base, desk.seller, body));
    await gateway.runJobs();
    const calculation = dataOf(await desk.send('GET', `${base}/${calculation_id}`, desk.seller));
    assert.equal(calculation.status, 'COMPLETED', calculation.error);
    const rows = dataOf(await desk.send('GET', `${base}/${calculation_id}/cashflows?tranche=collateral`, desk.seller));
    return { warnings: calculation.warnings.join('\n'), first: rows[0] };
  };
  const pay = async (principal: number[], payment_date: string) => {
    const report = reportOf(
      { pool: deal.balance, a: deal.a, b: deal.b },
      principal.map((each) => ({ principal: each })),
    );
    dataOf(await desk.send('POST', `${deal.pools}/remittances`, desk.seller, { ...report, payment_date }));
    await gateway.setClock(`${payment_date}T20:00:00Z`);
    await applyDueRemittances(gateway.deps.db);
  };
  const one = await deal.month(1);
  assert.equal(one.chargedOff, 0);
  const first = (one.scheduled + one.prepaid) / 100;
  await pay([first], '2026-08-17');
  const agreed = await calculate('LATEST');
  assert.equal(agreed.first.opening, one.closing / 100);
  assert.doesNotMatch(agreed.warnings, /multiplied/);
  const [row] = await deal.performance();
  const tie = (figure: string): Tie => row.ties.find((each: Tie) => each.figure === figure);
  assert.deepEqual(tie('closing'), { figure: 'closing', tape: one.closing / 100, certificate: one.closing / 100, difference: 0 });
  assert.equal(tie('principal_collected').difference, 0);
  // Interest of the loans that the tape has: those that are left, at their rates.
  const { figures } = await deal.month_figures(1);
  const interest = (one.closing / 100) * (Number(figures.wac) / 1200);
  assert.ok(Math.abs(agreed.first.interest - interest) < 0.02, `${agreed.first.interest} beside ${interest}`);
  // A report without a tape of its own: the loans of the first tape, a month of their schedules on, at the balance of the report.
  await pay([first, 10_000], '2026-09-15');
  const rolled = await calculate('LATEST');
  assert.match(rolled.warnings, /the loans are those of the tape of period 1 after 1 month of their schedules/);
  assert.equal(rolled.first.opening, Math.round(one.closing - 1_000_000) / 100);
  const closing = await calculate('CUT_OFF');
  assert.equal(closing.first.opening, deal.balance);
  assert.equal((await calculate(1)).first.opening, agreed.first.opening);
  // A book that is calculated after another tape is not that of before.
  const investor = await desk.investor();
  const [tranche] = dataOf(await desk.get(`deals/${deal.deal_id}`, investor)).tranches;
  await insertPosition(gateway, investor, tranche.tranche_id, 10_000);
  const versionOf = async () => {
    const [held] = await gateway.deps.db.tx({ market: [investor.organization_id] }, (tx) =>
      listBook(tx, investor.organization_id, '2026-09-30', '2026-09-30'),
    );
    return held?.version;
  };
  const before = await versionOf();
  assert.ok(before);
  assert.equal((await deal.send(1)).status, 202);
  await gateway.runJobs();
  assert.notEqual(await versionOf(), before);
});
