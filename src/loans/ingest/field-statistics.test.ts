import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { defineFields } from '../dictionary/field.ts';
import { copyToParquet } from '../engine/sql.ts';
import { openBench } from '../testing/evaluate.ts';
import { fieldStatistics } from './field-statistics.ts';

let bench: Awaited<ReturnType<typeof openBench>>;
before(async () => {
  bench = await openBench();
});
after(() => bench[Symbol.asyncDispose]());

const FIELDS = defineFields([
  { field: 'rate', type: 'percent', aliases: ['Rate'], description: 'rate' },
  { field: 'term', type: 'integer', aliases: ['Term'], description: 'term' },
  { field: 'state', type: 'string', aliases: ['State'], description: 'state' },
]);

type Loan = { rate: bigint | null; term: bigint | null; balance: bigint | null };

const decimal = (millionths: bigint): string => {
  const text = String(millionths < 0n ? -millionths : millionths).padStart(7, '0');
  return `${millionths < 0n ? '-' : ''}${text.slice(0, -6)}.${text.slice(-6)}`;
};

let count = 0;

/** The statistics of loans, with values and balances in millionths. */
async function statisticsOf(loans: readonly Loan[]) {
  count += 1;
  const path = bench.path(`typed-${count}.parquet`);
  const sql = (value: bigint | null) => `CAST(${value === null ? 'NULL' : decimal(value)} AS DECIMAL(18,6))`;
  const rows = loans.map(
    ({ rate, term, balance }) => `SELECT ${sql(rate)} AS rate, ${sql(term)} AS term, ${sql(balance)} AS balance`,
  );
  await bench.engine.run(copyToParquet(rows.join(' UNION ALL '), path));
  return await fieldStatistics(bench.engine, path, FIELDS, 'balance');
}

/** a / b rounded half-even to eight places, in integers. */
function average(dividend: bigint, divisor: bigint): string {
  const scaled = dividend * 10n ** 8n;
  const negative = scaled < 0n !== divisor < 0n;
  const [n, d] = [scaled < 0n ? -scaled : scaled, divisor < 0n ? -divisor : divisor];
  const rest = 2n * (n % d);
  const whole = n / d + (rest > d || (rest === d && (n / d) % 2n === 1n) ? 1n : 0n);
  const text = String(whole).padStart(9, '0');
  return `${negative && whole > 0n ? '-' : ''}${text.slice(0, -8)}.${text.slice(-8)}`;
}

const value = (most: bigint) => fc.option(fc.bigInt({ min: -most, max: most }), { freq: 5 });
const loansOf = fc.array(fc.record<Loan>({ rate: value(10n ** 8n), term: value(10n ** 9n), balance: value(10n ** 15n) }), {
  minLength: 1,
  maxLength: 15,
});

test('the figures of a field are those of integers of any size over all rows', async () => {
  await fc.assert(
    fc.asyncProperty(loansOf, async (loans) => {
      const statistics = await statisticsOf(loans);
      for (const field of ['rate', 'term'] as const) {
        const there = loans.flatMap((loan) => (loan[field] === null ? [] : [loan[field]]));
        const sorted = there.toSorted((a, b) => (a < b ? -1 : 1));
        const seen = statistics[field];
        assert.deepEqual([seen.count, seen.missing], [there.length, loans.length - there.length]);
        assert.equal(seen.sum, decimal(there.reduce((sum, each) => sum + each, 0n)));
        assert.deepEqual(
          [seen.min, seen.max],
          there.length === 0 ? [null, null] : [decimal(sorted[0]), decimal(sorted.at(-1) ?? 0n)],
        );
        const weighed = loans.filter((loan) => loan[field] !== null && loan.balance !== null);
        const weight = weighed.reduce((sum, loan) => sum + (loan.balance ?? 0n), 0n);
        const product = weighed.reduce((sum, loan) => sum + (loan.balance ?? 0n) * (loan[field] ?? 0n), 0n);
        assert.equal(seen.weighted_average, weighed.length === 0 || weight === 0n ? null : average(product, weight * 10n ** 6n));
        const lost = loans.filter((loan) => loan[field] === null).reduce((sum, loan) => sum + (loan.balance ?? 0n), 0n);
        assert.equal(seen.missing_weight, decimal(lost));
      }
    }),
    { numRuns: 40 },
  );
});

test('a value without a balance has no weight, and is no missing weight either', async () => {
  const { rate } = await statisticsOf([
    { rate: 5_000_000n, term: null, balance: null },
    { rate: 7_000_000n, term: null, balance: 100_000_000n },
    { rate: null, term: null, balance: 50_000_000n },
  ]);
  assert.deepEqual([rate.weighted_average, rate.missing_weight, rate.sum], ['7.00000000', '50.000000', '12.000000']);
});

test('a field that is missing everywhere has no figures but its count', async () => {
  const { term } = await statisticsOf([{ rate: 1n, term: null, balance: 5_000_000n }]);
  assert.deepEqual(term, {
    count: 0,
    missing: 1,
    sum: '0.000000',
    min: null,
    max: null,
    weighted_average: null,
    missing_weight: '5.000000',
  });
});

test('only numeric fields have figures', async () => {
  const statistics = await statisticsOf([{ rate: 1n, term: 1n, balance: 1n }]);
  assert.deepEqual(Object.keys(statistics), ['rate', 'term']);
  assert.deepEqual(await fieldStatistics(bench.engine, 'nowhere.parquet', FIELDS.slice(2), 'balance'), {});
});

test('sums and averages of many large loans keep their last digit', async () => {
  const loans = Array.from({ length: 400 }, (): Loan => ({ rate: 6_250_001n, term: 1n, balance: 999_999_999_999_999_999n }));
  const { rate } = await statisticsOf(loans);
  assert.deepEqual([rate.sum, rate.weighted_average], ['2500.000400', '6.25000100']);
});

test('amounts out of all measure are weighed by themselves exactly, and do not end the tape', async () => {
  const most = 999_999_999_999_999_999n;
  const loans = Array.from(
    { length: 400 },
    (_, index): Loan => ({ rate: most - BigInt(index), term: -most, balance: most - BigInt(index) }),
  );
  const { rate, term } = await statisticsOf(loans);
  const weight = loans.reduce((sum, { balance }) => sum + (balance ?? 0n), 0n);
  const product = loans.reduce((sum, { rate: value, balance }) => sum + (value ?? 0n) * (balance ?? 0n), 0n);
  assert.equal(rate.weighted_average, average(product, weight * 10n ** 6n));
  assert.equal(term.weighted_average, '-999999999999.99999900');
});
