import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collateralOf, note, POOL_DATES, sequential } from '../../../test/support/structures.ts';
import { compileStructure } from './compiled-structure.ts';
import { BrokenIdentityError, checkPeriod } from './identities.ts';
import { runWaterfall } from './waterfall.ts';
import { createWaterfallRun, type WaterfallRun } from './waterfall-run.ts';

/** A run of one period over a pool of 1,000, whose figures add up; half a cent is the most that they may be apart. */
function closedPeriod(): WaterfallRun {
  const collateral = collateralOf(1_000, [{ interest: 10, scheduled: 1_000 }]);
  const structure = sequential([note('A', 600, 12, 1)], {
    accounts: [{ account: 'reserve', initial: 20, target: 20 }],
  });
  const deal = compileStructure(structure, { ...POOL_DATES, poolOriginal: 1_000, collateralMonths: collateral.periods });
  const run = createWaterfallRun(deal);
  runWaterfall(run, collateral);
  return run;
}

const BEFORE = 20;

test('figures that add up pass, and so do figures half a cent apart', () => {
  checkPeriod(closedPeriod(), BEFORE);
  const run = closedPeriod();
  run.feesPaid += 0.005;
  checkPeriod(run, BEFORE);
});

test('cash that came in and was neither paid nor kept stops the run with the amounts', () => {
  for (const apart of [0.006, -0.006]) {
    const run = closedPeriod();
    run.interestCollected += apart;
    assert.throws(
      () => checkPeriod(run, BEFORE),
      (error) => {
        assert.ok(error instanceof BrokenIdentityError);
        assert.equal(error.period, 1);
        assert.match(
          error.message,
          /^period 1: collected 10(10|09)\.\d+ \+ accounts 20 differ from paid 1030 \+ accounts 0 by -?0\.00/,
        );
        return true;
      },
    );
  }
  // Each part of the identity: collections, calls, fees, interest, principal, accounts.
  const parts: ((run: WaterfallRun) => void)[] = [
    (run) => (run.principalCollected += 1),
    (run) => (run.callProceeds += 1),
    (run) => (run.feesPaid += 1),
    (run) => (run.interestPaid[0] += 1),
    (run) => (run.principalPaid[1] += 1),
    (run) => (run.account[0] += 1),
  ];
  for (const change of parts) {
    const run = closedPeriod();
    change(run);
    assert.throws(() => checkPeriod(run, BEFORE), BrokenIdentityError);
  }
  assert.throws(() => checkPeriod(closedPeriod(), BEFORE - 1), BrokenIdentityError);
});

test('a tranche whose balance does not roll stops the run, and the message names it', () => {
  for (const column of ['opening', 'accreted', 'principal', 'writeDown', 'closing'] as const)
    for (const apart of [1, -1]) {
      const run = closedPeriod();
      run.flows.tranches[0][column][0] += apart;
      assert.throws(() => checkPeriod(run, BEFORE), /^BrokenIdentityError: period 1: A: \d+ \+ .* differs from -?\d+ by -?1$/);
    }
});

test('a negative payment or balance stops the run, and half a cent of rounding does not', () => {
  const negative = (amount: number): WaterfallRun => {
    const run = closedPeriod();
    run.flows.tranches[0].shortfall[0] = amount;
    return run;
  };
  checkPeriod(negative(-0.005), BEFORE);
  assert.throws(() => checkPeriod(negative(-0.006), BEFORE), /A: closing 0, principal 600, interest .* is negative/);
  const paid = closedPeriod();
  paid.flows.tranches[0].interestPaid[0] = -1;
  assert.throws(() => checkPeriod(paid, BEFORE), /interest -1 is negative/);
  const overdrawn = closedPeriod();
  overdrawn.account[0] = -1;
  overdrawn.interestCollected -= 1;
  assert.throws(() => checkPeriod(overdrawn, BEFORE), /account reserve holds -1/);
});
