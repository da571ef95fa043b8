import assert from 'node:assert/strict';
import { applyDueRemittances } from '../../src/features/remittances/apply-remittances.ts';
import { dataOf, type Desk } from './desk.ts';
import { approvedDeal, formPool, issuedDeal, structureOver } from './pools.ts';

export const SPEEDS = { cpr: 9, cdr: 4, severity: 40 };
export const CENT = { payment: { first_payment_date: '2027-01-15', business_day: 'FOLLOWING', rounding: 'CENT' } };

export type Row = Record<string, number> & { period: number; date: string };
type Projected = { collateral: Row[]; tranches: Record<string, Row[]> };

/** An issued deal, its calculations, and reports that say what one of them projects. */
export async function paidDeal(desk: Desk, changes: Record<string, unknown> = {}) {
  const { gateway, operator, seller } = desk;
  await gateway.setClock('2026-12-10T15:00:00Z');
  const formed = dataOf(await formPool(gateway, seller, [await approvedDeal(gateway, seller, operator, { rows: 60 })]));
  const pools = `/v1/api/originator/pools/${formed.pool_id}`;
  const structure = { ...structureOver(formed.balance), ...CENT, ...changes };
  const names = (structure as unknown as { tranches: { tranche: string }[] }).tranches.map(({ tranche }) => tranche);
  dataOf(await desk.send('PUT', `${pools}/structure`, seller, structure));
  const deal_id = await issuedDeal(gateway, seller, operator, formed.pool_id);
  const base = `/v1/api/originator/analytics/pools/${formed.pool_id}/calculations`;
  const request = (body: Record<string, unknown>) =>
    desk.send('POST', base, seller, { type: 'CASHFLOW', assumptions: SPEEDS, ...body });
  const run = async (body: Record<string, unknown> = {}) => {
    const { calculation_id } = dataOf(await request(body));
    await gateway.runJobs();
    const calculation = dataOf(await desk.send('GET', `${base}/${calculation_id}`, seller));
    assert.equal(calculation.status, 'COMPLETED', calculation.error);
    return calculation;
  };
  const rowsOf = async (calculation_id: string, tranche = ''): Promise<Row[]> =>
    dataOf(await desk.send('GET', `${base}/${calculation_id}/cashflows?tranche=${tranche}`, seller));
  const flows = async (calculation_id: string): Promise<Projected> => {
    const tranches: Record<string, Row[]> = {};
    for (const tranche of names) tranches[tranche] = await rowsOf(calculation_id, tranche);
    return { collateral: await rowsOf(calculation_id, 'collateral'), tranches };
  };
  const reportOf = (projected: Projected, period: number, more: object = {}) => {
    const pool = projected.collateral.find((row) => row.period === period);
    assert.ok(pool);
    return {
      period,
      payment_date: pool.date,
      collateral: {
        opening: pool.opening,
        scheduled_principal: pool.scheduled_principal,
        prepayment: pool.prepayment,
        default: pool.default,
        recovery: pool.recovery,
        closing: pool.closing,
        interest: pool.interest,
      },
      tranches: Object.entries(projected.tranches).map(([tranche, rows]) => {
        const row = rows.find((each) => each.period === period);
        assert.ok(row);
        const { opening, interest_paid, principal, closing } = row;
        return { tranche, opening, interest_paid, principal, closing };
      }),
      available: {
        interest: pool.interest,
        principal: cents((pool.scheduled_principal ?? 0) + (pool.prepayment ?? 0)),
        recoveries: pool.recovery,
      },
      ...more,
    };
  };
  /** Sends a report and lets its payment date come. */
  const pay = async (report: { payment_date: string; [figure: string]: unknown }) => {
    const sent = dataOf(await desk.send('POST', `${pools}/remittances`, seller, report));
    await gateway.setClock(`${report.payment_date}T15:00:00Z`);
    assert.equal(await applyDueRemittances(gateway.deps.db), 1, JSON.stringify(sent.verification));
    return sent;
  };
  return { pool_id: formed.pool_id, deal_id, pools, request, run, flows, reportOf, pay };
}

export const cents = (amount: number): number => Math.round(amount * 100) / 100;

/** A deal of one floater that is paid no principal, and what is left. */
export const floating = (every_months = 1) => ({
  tranches: [
    {
      tranche: 'A-1',
      class: 'A',
      balance: 100_000,
      coupon: { type: 'FLOATING', index: 'SOFR', margin_bp: 100, ...(every_months > 1 ? { reset: { every_months } } : {}) },
      day_count: 'ACT/360',
      seniority: 1,
      denomination: 1000,
      increment: 1000,
    },
    { tranche: 'R', class: 'RESIDUAL', balance: 0, seniority: 9 },
  ],
  accounts: [],
  triggers: [],
  waterfall: [
    { pay: 'FEE', to: ['servicing'] },
    { pay: 'INTEREST', to: ['A-1'] },
    { pay: 'PRINCIPAL', to: ['A-1'], amount: 0 },
    { pay: 'RESIDUAL', to: ['R'] },
  ],
});
