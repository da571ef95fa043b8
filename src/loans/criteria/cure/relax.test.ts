import assert from 'node:assert/strict';
import { test } from 'node:test';
import { relax } from './relax.ts';

type Loan = { cost: number; gain: number };

function someLoans(count: number): Loan[] {
  let seed = 11;
  const next = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  return Array.from({ length: count }, () => ({ cost: Math.ceil(next() * 5e6), gain: Math.round((next() - 0.4) * 2e6) }));
}

/** The cheapest removal where loans may be removed in part, under one limit: the loans by their gain per cost until the need is met. */
function divisible(loans: readonly Loan[], need: number): number {
  let [left, cost] = [need, 0];
  for (const loan of loans.filter(({ gain }) => gain > 0).toSorted((a, b) => b.gain / b.cost - a.gain / a.cost)) {
    if (left <= 0) break;
    cost += loan.cost * Math.min(1, left / loan.gain);
    left -= loan.gain;
  }
  return cost;
}

test('under one limit the bound is the cheapest removal in parts of loans, and what is removed meets the need but for one loan', () => {
  const loans = someLoans(20_000);
  const all = loans.reduce((sum, { gain }) => sum + Math.max(gain, 0), 0);
  const largest = Math.max(...loans.map(({ gain }) => Math.abs(gain)));
  for (const part of [0.02, 0.1, 0.5, 0.9, 0.99]) {
    const need = Math.floor(all * part);
    const limit = { gain: Float64Array.from(loans, ({ gain }) => gain), need };
    const costs = Float64Array.from(loans, ({ cost }) => cost);
    const found = relax(costs, new Uint8Array(loans.length), [limit], () => []);
    const expected = divisible(loans, need);
    assert.ok(found !== null && found.bound <= Math.ceil(expected) + 1, `${part}: ${found?.bound} is above ${expected}`);
    assert.ok(found.bound >= expected * (1 - 1e-4), `${part}: ${found.bound} is far below ${expected}`);
    const removed = loans.reduce((sum, { gain }, index) => (found.reduced[index] < 0 ? sum + gain : sum), 0);
    assert.ok(Math.abs(removed - need) <= largest, `${part}: ${removed} of ${need}`);
  }
});

test('a limit that all loans together do not meet has no relaxation', () => {
  const limit = { gain: Float64Array.of(3, -2, 4), need: 8 };
  assert.equal(
    relax(Float64Array.of(1, 1, 1), new Uint8Array(3), [limit], () => []),
    null,
  );
});
