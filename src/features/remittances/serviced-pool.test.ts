import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Remittance } from '../../finance/structure/remittance.ts';
import { note, sequential } from '../../../test/support/structures.ts';
import { amountsOf } from './serviced-pool.ts';

const REPORT: Remittance = {
  period: 1,
  payment_date: '2027-01-15',
  collateral: { beginning_pool_balance: 900_000, principal_collected: 10_000, ending_pool_balance: 890_000 },
  tranches: [{ tranche: 'A', beginning_balance: 800_000, interest_paid: 4_000, principal_paid: 10_000, ending_balance: 790_000 }],
};
const ROW = { tranche: 'R', beginning_balance: 0, interest_paid: 1_586.67, principal_paid: 0, ending_balance: 0 };

test('what is left is paid the same whether a report has it as a row or as one figure', () => {
  const structure = sequential([note('A', 800_000, 6, 1)]);
  const paid = (changes: Partial<Remittance>) => amountsOf(structure, { ...REPORT, ...changes }).get('R')?.interest;
  assert.equal(paid({ tranches: [...REPORT.tranches, ROW] }), 158_667n);
  assert.equal(paid({ residual: 1_586.67 }), 158_667n);
  assert.equal(paid({ residual: 1_586.67, tranches: [...REPORT.tranches, ROW] }), 158_667n);
  assert.equal(paid({}), undefined);
});

test('one figure for several tranches says what none of them was paid', () => {
  const structure = sequential([note('A', 800_000, 6, 1)]);
  const shared = {
    ...structure,
    tranches: [
      ...structure.tranches,
      ...structure.tranches.filter(({ tranche }) => tranche === 'R').map((each) => ({ ...each, tranche: 'S' })),
    ],
    waterfall: structure.waterfall.map((step) => (step.pay === 'RESIDUAL' ? { ...step, to: ['R', 'S'] } : step)),
  };
  const paid = amountsOf(shared, { ...REPORT, residual: 1_586.67 });
  assert.deepEqual([...paid.keys()], ['A']);
});
