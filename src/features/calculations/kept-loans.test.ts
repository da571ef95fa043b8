import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoanColumns } from '../../finance/loan-columns.ts';
import { aLoan } from '../../finance/test-support.ts';
import { KeptLoans, loansSubject } from './kept-loans.ts';
import type { RunInputs } from './queries.ts';

/** A pool of loans, some of which have terms of their own, divided by as many lists of segments. */
function aPool(loans: number, special = 0, lists = 0) {
  const columns = new LoanColumns();
  for (let index = 0; index < loans; index += 1) columns.add(aLoan(index < special ? { interestOnlyMonths: 12 } : {}));
  const segments = new Map(Array.from({ length: lists }, (_, list) => [`list ${list}`, new Int8Array(loans)]));
  return { loans: columns, segments, warnings: [`${loans} loans`] };
}

test('kept loans are read once, and are those that were read', async () => {
  const kept = new KeptLoans(2 ** 20);
  const pool = aPool(10);
  assert.equal(await kept.get('harbor', async () => pool), pool);
  const fail = () => Promise.reject(new Error('read again'));
  assert.equal(await kept.get('harbor', fail), pool);
  await assert.rejects(kept.get('prairie', fail), /read again/);
  assert.deepEqual(kept.subjects, ['harbor']);
});

test('however many pools are read, the loans that are kept stay within their bound, and the last ones are among them', async () => {
  const bound = 2 ** 20;
  const kept = new KeptLoans(bound);
  for (let index = 0; index < 200; index += 1) {
    await kept.get(`pool ${index}`, async () => aPool(1 + ((index * 97) % 3_000), index % 2 ? 500 : 0));
    assert.ok(kept.bytes <= bound, `${kept.bytes} bytes`);
    assert.equal(kept.subjects.at(-1), `pool ${index}`);
  }
  assert.ok(kept.subjects.length > 1);
});

test('the segments of loans count towards the bound', async () => {
  const kept = new KeptLoans(2 ** 20);
  await kept.get('plain', async () => aPool(10_000));
  await kept.get('divided', async () => aPool(10_000, 0, 100));
  assert.deepEqual(kept.subjects, ['plain']);
});

test('the pool that was used least recently goes first', async () => {
  const pool = aPool(10);
  const kept = new KeptLoans(2 * pool.loans.bytes);
  for (const subject of ['a', 'b', 'a', 'c']) await kept.get(subject, async () => aPool(10));
  assert.deepEqual(kept.subjects, ['a', 'c']);
});

test('a pool beyond the bound is read and not kept, and does not push out others', async () => {
  const kept = new KeptLoans(2 ** 20);
  await kept.get('harbor', async () => aPool(10));
  const large = aPool(100_000);
  assert.equal(await kept.get('large', async () => large), large);
  assert.deepEqual(kept.subjects, ['harbor']);
});

test('loans that are read in another way have another subject', () => {
  const pool = {
    loan_type: 'Auto' as const,
    cut_off_date: '2026-11-30',
    closing_date: '2026-12-15',
    loans_key: 'pools/org_a/pool_a/set_a/loans.parquet',
    tape_versions: {},
    wac: 7.25,
    wam: 48,
  };
  const inputs: RunInputs = {
    request: { type: 'CASHFLOW' },
    use_scheduled_payment: false,
    structure: { payment: { first_payment_date: '2027-01-15' }, tranches: [], waterfall: [] },
    structure_version: 1,
    pool,
  };
  const divided = (score: number): RunInputs => ({
    ...inputs,
    request: {
      type: 'CASHFLOW',
      assumptions: { segments: [{ where: { field: 'credit_score', op: 'lt', value: score }, cdr: 40 }] },
    },
  });
  const others: RunInputs[] = [
    { ...inputs, use_scheduled_payment: true },
    { ...inputs, pool: { ...pool, loans_key: 'pools/org_b/pool_a/set_a/loans.parquet' } },
    { ...inputs, pool: { ...pool, loan_type: 'Student' } },
    { ...inputs, pool: { ...pool, cut_off_date: '2026-10-31' } },
    { ...inputs, pool: { ...pool, wac: 7.5 } },
    { ...inputs, pool: { ...pool, wam: 60 } },
    divided(700),
    divided(720),
  ];
  assert.equal(new Set([inputs, ...others].map(loansSubject)).size, 1 + others.length);
  assert.equal(loansSubject(divided(700)), loansSubject(divided(700)));
  assert.equal(loansSubject({ ...inputs, request: { type: 'PRICING' }, structure_version: 2 }), loansSubject(inputs));
});
