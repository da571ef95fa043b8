import assert from 'node:assert/strict';
import { test } from 'node:test';
import { note, sequential } from '../../../test/support/structures.ts';
import { openRemittances, type Remittance, type RemittanceState } from './remittance.ts';
import type { Structure } from './structure.ts';
import { verifyReport } from './verify-report.ts';

const DATES = { cutOff: '2026-11-30', closing: '2026-12-15' };
const floater = (tranche: string, balance: number, seniority: number) =>
  note(tranche, balance, 0, seniority, { coupon: { type: 'FLOATING', index: 'SOFR', margin_bp: 100 } });

/** A deal of two floaters on one index and a trigger on delinquencies, that rounds to the cent. */
const DEAL: Structure = {
  ...sequential([floater('A', 600_000, 1), floater('B', 300_000, 2)], {
    triggers: [{ trigger: 'late', metric: 'DELINQUENT_60', op: 'gt', value: 5 }],
  }),
  payment: { first_payment_date: '2027-01-15', business_day: 'NONE', rounding: 'CENT' },
};

/** The second payment: A was paid off by the first. B accrues a month at 5 %. */
const STATE: RemittanceState = {
  ...openRemittances(DEAL, 1_000_000),
  period: 1,
  payment_date: '2027-01-15',
  pool_balance: 320_000,
  tranches: { A: { balance: 0, shortfall: 0 }, B: { balance: 300_000, shortfall: 0 }, R: { balance: 0, shortfall: 0 } },
};

function report(changes: Partial<Remittance> = {}): Remittance {
  return {
    period: 2,
    payment_date: '2027-02-15',
    collateral: { beginning_pool_balance: 320_000, principal_collected: 10_000, ending_pool_balance: 310_000 },
    available: { interest: 2_000, principal: 10_000 },
    tranches: [
      { tranche: 'A', beginning_balance: 0, interest_paid: 0, principal_paid: 0, ending_balance: 0 },
      {
        tranche: 'B',
        beginning_balance: 300_000,
        interest_paid: 1_250,
        principal_paid: 10_000,
        ending_balance: 290_000,
        rate: 5,
      },
    ],
    residual: 750,
    ...changes,
  };
}

const verified = (changes: Partial<Remittance> = {}) => verifyReport(DEAL, DATES, STATE, report(changes)).verification;

test('the rate that a floater was paid tells its index, whatever a class on the same index that is paid off says', () => {
  const { status, lines, missing } = verified();
  assert.deepEqual([status, missing, lines.filter(({ difference }) => difference !== 0)], ['AGREES', [], []]);
});

test('a floater with a balance and neither rate nor fixing leaves everything open', () => {
  const [a, b] = report().tranches;
  const { rate: _rate, ...silent } = b;
  const { status, missing, lines } = verified({ tranches: [a, silent] });
  assert.deepEqual([status, missing], ['PARTIAL', ['fixings.SOFR']]);
  assert.ok(lines.every(({ what, expected }) => what === 'PAYMENT_DATE' || expected === null));
  assert.equal(verified({ tranches: [a, silent], fixings: { SOFR: 4 } }).status, 'AGREES');
});

test('a trigger whose figure is not reported has no expectation; with the figure it has', () => {
  const triggers = [{ trigger: 'late', on: true }];
  const expectation = (changes: Partial<Remittance>) => {
    const { status, lines } = verified({ triggers, ...changes });
    return [status, lines.find(({ what }) => what === 'TRIGGER')?.expected];
  };
  assert.deepEqual(expectation({}), ['PARTIAL', null]);
  const late = (amount: number) => ({ collateral: { ...report().collateral, delinquent_60_amount: amount } });
  assert.deepEqual(expectation(late(15_500)), ['DIFFERS', 0]);
  assert.deepEqual(expectation(late(15_500.01)), ['AGREES', 1]);
});

test('without available cash nothing is run again, and nothing can differ', () => {
  const { available: _available, ...silent } = report();
  const { verification, recomputed } = verifyReport(DEAL, DATES, STATE, silent);
  assert.deepEqual([verification.status, verification.missing, recomputed], ['PARTIAL', ['available'], null]);
});

test('another date than that of the calendar is a line of days', () => {
  const { status, lines } = verified({ payment_date: '2027-02-16' });
  const line = lines.find(({ what }) => what === 'PAYMENT_DATE');
  assert.deepEqual([status, line?.expected, line?.difference], ['DIFFERS', '2027-02-15', 1]);
});

test('a tranche that only RESIDUAL steps pay is the residual here too, whatever its class', () => {
  const deal = {
    ...DEAL,
    tranches: DEAL.tranches.map((each) => (each.tranche === 'R' ? { ...each, class: 'Certificates' } : each)),
  };
  const agrees = (changes: Partial<Remittance> = {}) => {
    const { status, lines } = verifyReport(deal, DATES, STATE, report(changes)).verification;
    return [status, lines.filter(({ difference }) => difference !== 0)];
  };
  assert.deepEqual(agrees(), ['AGREES', []]);
  const paid = { tranche: 'R', beginning_balance: 0, interest_paid: 750, principal_paid: 0, ending_balance: 0 };
  assert.deepEqual(agrees({ tranches: [...report().tranches, paid] }), ['AGREES', []]);
});
