import { equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { loan, note, sequential } from '../../../test/support/structures.ts';
import { near } from '../test-support.ts';
import { calculate } from './calculate.ts';
import { openRemittances } from './remittance.ts';
import type { CalculationPool } from './normal-request.ts';
import type { Structure } from './structure.ts';

const DATES = { cutOff: '2026-11-30', closing: '2026-12-15' };
const LOANS = [loan(900_000, 8, 60)];

test('the adjustment at the cut-off is that of the closing tape, where the state does not have it', async () => {
  const structure: Structure = sequential([note('A', 600_000, 5.5, 1)], {
    pool: { adjustment: { kind: 'PRESENT_VALUE', rate: 12, applies: 'ALL' } },
    waterfall: [
      { pay: 'INTEREST', to: ['A'] },
      { pay: 'PRINCIPAL', to: ['A'], amount: { percent: 1, of: 'POOL_ADJUSTED_ORIGINAL' } },
      { pay: 'RESIDUAL', to: ['R'] },
    ],
  });
  const pool: CalculationPool = { loans: LOANS, loanType: 'Auto', originalBalance: 900_000, ...DATES };
  const run = async (each: CalculationPool) => {
    const done = await calculate({ type: 'CASHFLOW', assumptions: { cpr: 0, cdr: 0 } }, each, structure);
    ok(done.ok);
    return done;
  };
  const whole = await run(pool);
  const months = 24;
  const left = whole.details[0]?.collateral[months - 1]?.closing ?? 0;
  const note24 = whole.details[0]?.tranches.A?.[months - 1];
  const state = {
    ...openRemittances(structure, 900_000),
    period: months,
    payment_date: note24?.date ?? '',
    pool_balance: left,
    tranches: { A: { balance: note24?.closing ?? 0, shortfall: 0 } },
  };
  const later = await run({ ...pool, opening: { from: 'LATEST', state } });
  const [own, other] = [later.details[0]?.tranches.A?.[0], whole.details[0]?.tranches.A?.[months]];
  ok(own && other);
  near(own.principal, other.principal, 0.02, `${own.principal} ${other.principal}\n${later.result.warnings.join('\n')}`);
});

test('a floater whose last reset was before the opening, and whose fixing nobody has recorded, is told', async () => {
  const structure: Structure = sequential([
    {
      ...note('A', 600_000, 0, 1),
      coupon: { type: 'FLOATING', index: 'SOFR', margin_bp: 100, reset: { every_months: 3 } },
      day_count: 'ACT/360',
    },
  ]);
  const pool: CalculationPool = { loans: LOANS, loanType: 'Auto', originalBalance: 900_000, ...DATES };
  const state = {
    ...openRemittances(structure, 900_000),
    period: 4,
    payment_date: '2027-04-15',
    pool_balance: 850_000,
    tranches: { A: { balance: 550_000, shortfall: 0 } },
  };
  const done = await calculate(
    { type: 'CASHFLOW', index_curves: { SOFR: [{ period: 1, rate: 4 }] } },
    { ...pool, opening: { from: 'LATEST', state } },
    structure,
  );
  ok(done.ok);
  ok(
    done.result.warnings.some((each) => each.includes('SOFR')),
    done.result.warnings.join('\n'),
  );
});

test('a payment that was reported on or after the next date of the calendar is refused as a start', async () => {
  const structure = sequential([{ ...note('F', 600_000, 6, 1), day_count: 'ACT/360' }]);
  const pool: CalculationPool = { loans: LOANS, loanType: 'Auto', originalBalance: 900_000, ...DATES };
  const state = { ...openRemittances(structure, 900_000), period: 4, payment_date: '2027-05-15', pool_balance: 850_000 };
  const done = await calculate({ type: 'CASHFLOW' }, { ...pool, opening: { from: 'LATEST', state } }, structure);
  ok(!done.ok);
  equal(done.faults[0]?.path, 'from');
  match(done.faults[0]?.message ?? '', /reported on 2027-05-15: not before 2027-05-15/);
});
