import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { divideHalfEven, MICRO, microText, toMicro } from './decimal.ts';
import type { CriteriaSet } from './language.ts';
import { readOutcomes } from './outcomes.ts';
import { runCriteria } from './run.ts';
import { smallTape } from './testing/small-tape.ts';

const TRUE_OF = {
  eq: (a: bigint, b: bigint) => a === b,
  neq: (a: bigint, b: bigint) => a !== b,
  lt: (a: bigint, b: bigint) => a < b,
  lte: (a: bigint, b: bigint) => a <= b,
  gt: (a: bigint, b: bigint) => a > b,
  gte: (a: bigint, b: bigint) => a >= b,
};
const OPS = ['eq', 'neq', 'lt', 'lte', 'gt', 'gte'] as const;
/** The greatest value of a loan column, in millionths. */
const MOST = 10n ** 18n - 1n;

const near = fc.record({
  factor: fc.constantFrom(1.2, 0.333333, 97.5, -1.5, 0.000001),
  loans: fc.array(fc.record({ share: fc.bigInt(1n, 10n ** 18n), away: fc.constantFrom(-3000n, -1n, 0n, 1n, 3000n) }), {
    minLength: 1,
    maxLength: 40,
  }),
});

test('beside a limit the largest values are compared as exactly as the smallest', async () => {
  await fc.assert(
    fc.asyncProperty(near, async ({ factor, loans }) => {
      const pairs = loans.map(({ share, away }) => besideProduct(toMicro(factor), share, away));
      const set: CriteriaSet = { loan_type: 'Auto', loan_rules: OPS.flatMap((op) => rulesOf(op, factor)) };
      await using tape = await smallTape(
        'Auto',
        pairs.map(([whole, part]) => ({
          current_balance: 1,
          original_balance: microText(whole),
          vehicle_value: microText(part),
        })),
      );
      const { outcomesPath } = await runCriteria({ ...tape, set });
      const { rows } = await readOutcomes({ ...tape, set, outcomesPath, page: 1, limit: 100 });
      assert.deepEqual(
        rows.map(({ failures }) => failures.map(({ rule_id }) => rule_id)),
        pairs.map(([whole, part]) => expectedFailures(whole, part, toMicro(factor))),
      );
    }),
    { numRuns: 25 },
  );
});

function rulesOf(op: keyof typeof TRUE_OF, factor: number): CriteriaSet['loan_rules'] {
  return [
    { id: `product ${op}`, rule: { field: 'vehicle_value', op, value_field: 'original_balance', factor } },
    { id: `quotient ${op}`, rule: { expr: { num: 'vehicle_value', den: 'original_balance' }, op, value: factor } },
  ];
}

function expectedFailures(whole: bigint, part: bigint, factor: bigint): string[] {
  const product = divideHalfEven(whole * factor, MICRO);
  const quotient = whole === 0n ? null : divideHalfEven(part * MICRO, whole);
  return OPS.flatMap((op) => [
    ...(TRUE_OF[op](part, product) ? [] : [`product ${op}`]),
    ...(quotient !== null && TRUE_OF[op](quotient, factor) ? [] : [`quotient ${op}`]),
  ]);
}

/** Millionths of an amount and of its product with the factor, some millionths away, neither beyond what a column holds. */
function besideProduct(factor: bigint, share: bigint, away: bigint): [bigint, bigint] {
  const size = factor < 0n ? -factor : factor;
  const most = size > MICRO ? (MOST * MICRO) / size - MICRO : MOST;
  const whole = (most * share) / 10n ** 18n;
  return [whole, divideHalfEven(whole * factor, MICRO) + away];
}
