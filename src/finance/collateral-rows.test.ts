import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collateralRows } from './collateral-rows.ts';
import type { Collateral } from './types.ts';

/** One month of a pool of 20 billion whose flows miss its balances by `gap` currency units. */
function missing(gap: number): Collateral {
  const one = (amount: number) => Float64Array.of(amount);
  const nothing = () => one(0);
  return {
    periods: 1,
    opening: one(20_000_000_000),
    scheduledPrincipal: one(400_000_000.25),
    prepayment: one(300_000_000.5 - gap),
    defaulted: one(30_000_000.125),
    recovery: nothing(),
    loss: nothing(),
    interest: one(100_000_000),
    advancedPrincipal: nothing(),
    advancedInterest: nothing(),
    pendingRecovery: one(30_000_000.125),
    closing: one(20_000_000_000 - 730_000_000.875),
  };
}

test('what sums of doubles lose on a large pool goes to the largest flow, and every row ties', () => {
  const [row] = collateralRows(missing(0.25));
  assert.ok(row);
  assert.equal(row.opening - row.scheduledPrincipal - row.prepayment - row.defaulted, row.closing);
  assert.ok(Math.abs(row.scheduledPrincipal - 40_000_000_050) <= 1);
});

test('flows that miss the balances by more than rounding are a defect', () => {
  assert.throws(() => collateralRows(missing(25)), /do not add up/);
});
