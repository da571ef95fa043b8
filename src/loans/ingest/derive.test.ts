import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { dictionary } from '../dictionary/dictionary.ts';
import { openBench } from '../testing/evaluate.ts';
import type { LoanType } from '../types.ts';
import { derivedFields } from './derive.ts';

let bench: Awaited<ReturnType<typeof openBench>>;
before(async () => {
  bench = await openBench();
});
after(() => bench[Symbol.asyncDispose]());

function derived(loanType: LoanType, mapped: readonly string[]) {
  return derivedFields(
    dictionary(loanType),
    mapped.map((target) => ({ target, column: { normalized: target } })),
  );
}

const names = (loanType: LoanType, ...mapped: string[]) => derived(loanType, mapped).map(({ field }) => field);

test('a field is derived where all that it needs is mapped, and only where no column gives it', () => {
  assert.deepEqual(names('Auto', 'original_balance', 'vehicle_value'), ['ltv']);
  assert.deepEqual(names('Auto', 'original_balance', 'vehicle_value', 'ltv'), []);
  assert.deepEqual(names('Auto', 'original_balance'), []);
  assert.deepEqual(names('Auto', 'vehicle_value'), []);
  assert.deepEqual(names('Credit Card', 'current_balance', 'credit_limit'), ['utilization']);
  assert.deepEqual(names('Personal', 'loan_status'), ['days_past_due']);
  assert.deepEqual(names('Business', 'obligor_name'), ['obligor_id']);
  assert.deepEqual(names('Mortgage', 'original_balance', 'vehicle_value', 'loan_status'), []);
});

test('a derived field says from what it comes', () => {
  for (const [loanType, mapped, words] of [
    ['Auto', ['original_balance', 'vehicle_value'], 'ltv: derived as original_balance / vehicle_value'],
    ['Credit Card', ['current_balance', 'credit_limit'], 'utilization: derived as current_balance / credit_limit'],
    ['Personal', ['loan_status'], 'days_past_due: derived from loan_status as its lowest day count'],
  ] as const)
    assert.ok(derived(loanType, mapped)[0].decision.startsWith(words), words);
});

const decimal = (millionths: bigint): string => {
  const text = String(millionths < 0n ? -millionths : millionths).padStart(7, '0');
  return `${millionths < 0n ? '-' : ''}${text.slice(0, -6)}.${text.slice(-6)}`;
};

/** The ratio in percent of amounts in millionths, as the engine derives it. */
async function ratios(pairs: readonly (readonly [bigint | null, bigint | null])[]): Promise<(string | null)[]> {
  const sql = (amount: bigint | null) => `CAST(${amount === null ? 'NULL' : decimal(amount)} AS DECIMAL(18,6))`;
  const rows = pairs.map(([a, b], index) => `(${index}, ${sql(a)}, ${sql(b)})`);
  const [{ value }] = derived('Auto', ['original_balance', 'vehicle_value']);
  const seen = await bench.engine.rows<{ ltv: string | null }>(
    `SELECT CAST(${value} AS VARCHAR) AS ltv FROM (VALUES ${rows.join(', ')}) AS t(n, original_balance, vehicle_value) ORDER BY n`,
  );
  return seen.map((row) => row.ltv);
}

test('loan to value is the exact quotient times 100, rounded half-even to six places', async () => {
  const amounts = fc.bigInt({ min: 1n, max: 10n ** 17n });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(amounts, amounts), { minLength: 1, maxLength: 20 }), async (pairs) => {
      const expected = pairs.map(([a, b]) => {
        const scaled = a * 10n ** 8n;
        const rest = 2n * (scaled % b);
        const whole = scaled / b;
        const millionths = whole + (rest > b || (rest === b && whole % 2n === 1n) ? 1n : 0n);
        // a million times the value is no ratio of a loan
        return a >= b * 10n ** 6n ? null : decimal(millionths);
      });
      assert.deepEqual(await ratios(pairs), expected);
    }),
    { numRuns: 30 },
  );
});

test('ties of a ratio go to the even millionth', async () => {
  // 1 / 64,000,000 is 0.0000015625 %; 1 / 200,000,000 is exactly half a millionth, 3 / 200,000,000 one and a half
  const one = 1_000_000n;
  assert.deepEqual(
    await ratios([
      [one, 64_000_000n * one],
      [one, 200_000_000n * one],
      [3n * one, 200_000_000n * one],
    ]),
    ['0.000002', '0.000000', '0.000002'],
  );
});

test('there is no ratio to nothing, to less, of less than nothing, or of what is missing', async () => {
  const one = 1_000_000n;
  assert.deepEqual(
    await ratios([
      [one, 0n],
      [one, -one],
      [-one, one],
      [null, one],
      [one, null],
      [0n, one],
    ]),
    [null, null, null, null, null, '0.000000'],
  );
});

test('the days past due of a status are the fewest that it can mean', async () => {
  const [{ value }] = derived('Personal', ['loan_status']);
  const days = { CURRENT: 0, PAID: 0, GRACE: 1, LATE_16_30: 16, LATE_31_120: 31, DEFAULT: 121, CHARGED_OFF: 150 };
  const words = [...Object.keys(days), 'OTHER'];
  const rows = words.map((word, index) => `(${index}, '${word}')`);
  const seen = await bench.engine.rows<{ days: string | null }>(
    `SELECT ${value} AS days FROM (VALUES ${rows.join(', ')}) AS t(n, loan_status) ORDER BY n`,
  );
  assert.deepEqual(
    seen.map((row) => (row.days === null ? null : Number(row.days))),
    [...Object.values(days), null],
  );
});
