import { ok } from 'node:assert/strict';
import { test } from 'node:test';
import { loan, note, sequential } from '../../../test/support/structures.ts';
import { calculate } from './calculate.ts';
import type { CalculationRequest } from './request.ts';
import type { Structure } from './structure.ts';

const CENT: Structure['payment'] = { first_payment_date: '2027-01-15', business_day: 'NONE', rounding: 'CENT' };

async function run(loans: ReturnType<typeof loan>[], assumptions: CalculationRequest['assumptions'], payment = CENT) {
  const originalBalance = loans.reduce((sum, { balance }) => sum + balance, 0);
  const structure = sequential([note('A', Math.round(originalBalance * 60) / 100, 5, 1)], { payment: payment ?? {} });
  const pool = { loans, loanType: 'Student', originalBalance, cutOff: '2026-11-30', closing: '2026-12-15' };
  const done = await calculate({ type: 'CASHFLOW', assumptions: assumptions ?? {} }, pool, structure);
  ok(done.ok);
  return done;
}

test('a pool that capitalises all of its interest has no cash, and not a cent less', async () => {
  await run([{ ...loan(100_000, 4, 120), deferMonths: 24 }], { cpr: 0, cdr: 0 });
});

test('the same where some default', async () => {
  await run([{ ...loan(100_000, 7.5, 120), deferMonths: 24 }], { cpr: 0, cdr: 5, severity: 40, recovery_lag_months: 30 });
});

test('the same where the servicer advances', async () => {
  await run([{ ...loan(1_000_000, 7.5, 120), deferMonths: 24 }], {
    cpr: 0,
    cdr: 20,
    severity: 40,
    recovery_lag_months: 18,
    servicer_advances: true,
    late_defaults: 'KEEP',
  });
});
