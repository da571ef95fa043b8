import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { copyToParquet } from '../engine/sql.ts';
import { openBench } from '../testing/evaluate.ts';
import { diffTapes } from './diff-tapes.ts';

let bench: Awaited<ReturnType<typeof openBench>>;
before(async () => {
  bench = await openBench();
});
after(() => bench[Symbol.asyncDispose]());

type Loan = Record<string, string | number | null>;

const TYPES: Record<string, string> = {
  loan_id: 'VARCHAR',
  loan_status: 'VARCHAR',
  status: 'VARCHAR',
  account_status: 'VARCHAR',
  state: 'VARCHAR',
  origination_date: 'DATE',
  row_number: 'INTEGER',
  line: 'INTEGER',
};

let count = 0;

/** Loans as an ingest writes them; numbers without another type are decimals. */
async function fileOf(loans: readonly Loan[]): Promise<string> {
  count += 1;
  const path = bench.path(`loans-${count}.parquet`);
  const cell = (name: string, value: Loan[string]) =>
    `CAST(${value === null ? 'NULL' : `'${value}'`} AS ${TYPES[name] ?? 'DECIMAL(18,6)'}) AS ${name}`;
  const rows = loans.map((loan, index) => {
    const whole = { row_number: index + 1, line: index + 2, current_balance: 100, ...loan };
    return `SELECT ${Object.entries(whole)
      .map(([name, value]) => cell(name, value))
      .join(', ')}`;
  });
  await bench.engine.run(copyToParquet(`${rows.join(' UNION ALL ')} ORDER BY row_number`, path));
  return path;
}

async function diff(before: readonly Loan[], after: readonly Loan[]) {
  return await diffTapes({ engine: bench.engine, previous: await fileOf(before), next: await fileOf(after) });
}

const rulesOf = async (before: Loan, after: Loan) =>
  (await diff([{ loan_id: 'A', ...before }], [{ loan_id: 'A', ...after }])).breaks.map(
    ({ rule_id, field }) => `${rule_id} ${field}`,
  );

const MOVES: [string, Loan, Loan, string[]][] = [
  ['the original balance moved', { original_balance: 5 }, { original_balance: 6 }, ['ORIGINATION_FACT_CHANGED original_balance']],
  [
    'the date of origination moved',
    { origination_date: '2020-01-01' },
    { origination_date: '2020-01-02' },
    ['ORIGINATION_FACT_CHANGED origination_date'],
  ],
  [
    'the model year moved',
    { vehicle_model_year: 2020 },
    { vehicle_model_year: 2019 },
    ['ORIGINATION_FACT_CHANGED vehicle_model_year'],
  ],
  ['the original balance stayed', { original_balance: 5 }, { original_balance: 5 }, []],
  ['the original balance became known', { original_balance: null }, { original_balance: 5 }, []],
  ['the original balance is known no more', { original_balance: 5 }, { original_balance: null }, []],
  [
    'the balance rose by the least amount',
    { current_balance: 5 },
    { current_balance: 5.000001 },
    ['BALANCE_ROSE current_balance'],
  ],
  ['the balance stayed', { current_balance: 5 }, { current_balance: 5 }, []],
  ['the balance fell', { current_balance: 5 }, { current_balance: 4 }, []],
  ['the balance of a card rose', { current_balance: 5, credit_limit: 9 }, { current_balance: 6, credit_limit: 9 }, []],
  [
    'the remaining term grew',
    { remaining_term_months: 10 },
    { remaining_term_months: 11 },
    ['REMAINING_TERM_GREW remaining_term_months'],
  ],
  ['the remaining term stayed', { remaining_term_months: 10 }, { remaining_term_months: 10 }, []],
  ['a written-off loan is current', { loan_status: 'CHARGED_OFF' }, { loan_status: 'CURRENT' }, ['CAME_BACK loan_status']],
  ['a written-off loan stays so', { loan_status: 'CHARGED_OFF' }, { loan_status: 'CHARGED_OFF' }, []],
  ['a written-off loan has no status now', { loan_status: 'CHARGED_OFF' }, { loan_status: null }, []],
  ['a loan without a status is current', { loan_status: null }, { loan_status: 'CURRENT' }, []],
  ['a written-off account is open', { account_status: 'CHARGED_OFF' }, { account_status: 'OPEN' }, ['CAME_BACK account_status']],
  ['a written-off business loan is current', { status: 'CHARGED_OFF' }, { status: 'CURRENT' }, ['CAME_BACK status']],
  ['a field is on one tape only', { original_balance: 5 }, { remaining_term_months: 5 }, []],
];

for (const [name, before_, after_, breaks] of MOVES) {
  test(`${name}: ${breaks.length === 0 ? 'no break' : breaks.join(', ')}`, async () => {
    assert.deepEqual(await rulesOf(before_, after_), breaks);
  });
}

test('a loan is changed when any field of both tapes differs, a missing value included, and not by its place', async () => {
  const loan = { loan_id: 'A', state: 'NY', original_balance: 5 };
  const changed = async (after: Loan) => (await diff([loan], [after])).changed;
  assert.equal(await changed({ ...loan }), 0);
  assert.equal(await changed({ ...loan, state: 'CA' }), 1);
  assert.equal(await changed({ ...loan, state: null }), 1);
  assert.equal(await changed({ ...loan, row_number: 7, line: 9 }), 0);
  assert.equal(await changed({ loan_id: 'A', state: 'NY', vehicle_value: 7 }), 0);
});

test('several rows of one id are compared in their order', async () => {
  const loans = (...balances: number[]) => balances.map((current_balance) => ({ loan_id: 'A', current_balance }));
  const { added, removed, changed, roll_forward } = await diff(loans(10, 20, 30), loans(10, 15));
  assert.deepEqual([added, removed, changed], [0, 1, 1]);
  assert.deepEqual([roll_forward.removed, roll_forward.principal], ['30.00', '5.00']);
});

const STATUSES = ['CURRENT', 'CHARGED_OFF', null];
const loan = fc.record({
  current_balance: fc.nat({ max: 100_000 }).map((cents) => cents / 100),
  loan_status: fc.constantFrom(...STATUSES),
});
const tape = fc.dictionary(fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F', 'G'), loan, { minKeys: 1 });

test('the roll-forward of any two tapes is that of their loans one by one, and ties', async () => {
  await fc.assert(
    fc.asyncProperty(tape, tape, async (old, now) => {
      const cents = (value: number | string) => Math.round(Number(value) * 100);
      const sums = { opening: 0, added: 0, removed: 0, principal: 0, charged_off: 0, adjustment: 0, closing: 0 };
      for (const id of new Set([...Object.keys(old), ...Object.keys(now)])) {
        const [o, n] = [Object.hasOwn(old, id) ? old[id] : null, Object.hasOwn(now, id) ? now[id] : null];
        const [a, b] = [cents(o?.current_balance ?? 0), cents(n?.current_balance ?? 0)];
        sums.opening += a;
        sums.closing += b;
        if (o === null) sums.added += b;
        else if (n === null) sums.removed += a;
        else if (b > a) sums.adjustment += b - a;
        else if (n.loan_status === 'CHARGED_OFF' && o.loan_status !== 'CHARGED_OFF') sums.charged_off += a - b;
        else sums.principal += a - b;
      }
      const list = (loans: typeof old) => Object.entries(loans).map(([loan_id, each]) => ({ loan_id, ...each }));
      const { roll_forward } = await diff(list(old), list(now));
      assert.deepEqual(Object.fromEntries(Object.entries(roll_forward).map(([name, text]) => [name, cents(text)])), sums);
      const { opening, added, removed, principal, charged_off, adjustment, closing } = sums;
      assert.equal(opening + added - removed - principal - charged_off + adjustment, closing);
    }),
    { numRuns: 30 },
  );
});

test('the roll-forward ties to the cent where balances have more than two decimals', async () => {
  const cents = (text: string) => Math.round(Number(text) * 100);
  const balance = fc.nat({ max: 3_000_000 }).map((micro) => micro / 1_000_000);
  const fine = fc.dictionary(fc.constantFrom('A', 'B', 'C', 'D', 'E'), balance, { minKeys: 1 });
  await fc.assert(
    fc.asyncProperty(fine, fine, async (old, now) => {
      const list = (loans: typeof old) =>
        Object.entries(loans).map(([loan_id, current_balance]) => ({ loan_id, current_balance }));
      const { roll_forward: flow } = await diff(list(old), list(now));
      const { opening, added, removed, principal, charged_off, adjustment, closing } = flow;
      const ends = cents(opening) + cents(added) - cents(removed) - cents(principal) - cents(charged_off) + cents(adjustment);
      assert.equal(ends, cents(closing), JSON.stringify(flow));
      assert.ok(
        Object.values(flow).every((text) => Number(text) >= 0),
        JSON.stringify(flow),
      );
      const whole = (loans: typeof old) => Object.values(loans).reduce((sum, each) => sum + Math.round(each * 1e6), 0) / 1e4;
      assert.deepEqual([cents(opening), cents(closing)], [Math.round(whole(old)), Math.round(whole(now))]);
    }),
    { numRuns: 40 },
  );
});

test('an amount that was written off counts as a write-off where a tape has no status', async () => {
  for (const field of ['charged_off_amount', 'charge_off_amount']) {
    const { roll_forward } = await diff(
      [
        { loan_id: 'A', current_balance: 100, [field]: 0 },
        { loan_id: 'B', current_balance: 100, [field]: null },
        { loan_id: 'C', current_balance: 50, [field]: 7 },
      ],
      [
        { loan_id: 'A', current_balance: 0, [field]: 100 },
        { loan_id: 'B', current_balance: 60, [field]: null },
        { loan_id: 'C', current_balance: 40, [field]: 7 },
      ],
    );
    assert.deepEqual([roll_forward.charged_off, roll_forward.principal], ['100.00', '50.00'], field);
  }
});

test('a loan without a balance counts as none', async () => {
  const { roll_forward } = await diff(
    [{ loan_id: 'A', current_balance: null }],
    [
      { loan_id: 'A', current_balance: 5 },
      { loan_id: 'B', current_balance: null },
    ],
  );
  assert.deepEqual(roll_forward, {
    opening: '0.00',
    added: '0.00',
    removed: '0.00',
    principal: '0.00',
    charged_off: '0.00',
    adjustment: '5.00',
    closing: '5.00',
  });
});

test('the first thousand breaks are listed in the order of the older tape, and all are counted', async () => {
  const loans = (term: number) =>
    Array.from({ length: 1_001 }, (_, index) => ({ loan_id: `L${1_001 - index}`, remaining_term_months: term }));
  const { breaks, break_count } = await diff(loans(10), loans(11));
  assert.deepEqual([breaks.length, break_count, breaks[0].loan_id, breaks[999].loan_id], [1_000, 1_001, 'L1001', 'L2']);
  assert.equal((await diff(loans(10), loans(10))).break_count, 0);
  assert.deepEqual([breaks[0].previous, breaks[0].next, 'position' in breaks[0]], ['10.000000', '11.000000', false]);
});
