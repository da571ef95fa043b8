import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { dictionary, roles } from '../dictionary/dictionary.ts';
import { columnType } from '../dictionary/field.ts';
import { copyToParquet, sqlText } from '../engine/sql.ts';
import { sampleOf } from '../mapping/content.ts';
import { openBench } from '../testing/evaluate.ts';
import type { LoanType } from '../types.ts';
import type { TapeFacts } from './check.ts';
import { mixedMagnitudes } from './magnitudes.ts';
import {
  emptyColumns,
  endedAtOriginal,
  formsOfIds,
  interestFreeSchedule,
  missingRequired,
  protectedColumns,
  sharedIds,
  suspectedSentinels,
  tapeFinding,
} from './tape-checks.ts';

let bench: Awaited<ReturnType<typeof openBench>>;
before(async () => {
  bench = await openBench();
});
after(() => bench[Symbol.asyncDispose]());

function factsOf(mapped: readonly string[], loanType: LoanType = 'Auto'): TapeFacts {
  const set = new Set(mapped);
  const { id, original } = roles(loanType);
  const amount = set.has(original) ? original : null;
  return { loanType, asOf: '2026-11-20', fields: dictionary(loanType), mapped: set, present: set, amount, fallback: null, id };
}

type Loan = Record<string, string | number | null>;
let count = 0;

async function typedOf(loans: readonly Loan[], loanType: LoanType = 'Auto'): Promise<string> {
  count += 1;
  const path = bench.path(`typed-${count}.parquet`);
  const types = new Map(dictionary(loanType).map((field) => [field.field, columnType(field)]));
  const row = (loan: Loan) =>
    Object.entries(loan).map(
      ([name, value]) => `CAST(${value === null ? 'NULL' : sqlText(String(value))} AS ${types.get(name) ?? 'BIGINT'}) AS ${name}`,
    );
  await bench.engine.run(copyToParquet(loans.map((loan) => `SELECT ${row(loan).join(', ')}`).join(' UNION ALL '), path));
  return path;
}

const columns = (...names: string[]) => names.map((name, index) => ({ index, name, normalized: name }));

test('attributes that a lender may not select on are named once, however they are written', () => {
  assert.deepEqual(protectedColumns(columns('Loan ID', 'Rate', 'average', 'sexton', 'Age Group')), []);
  const [finding, ...others] = protectedColumns(columns('Race/Ethnicity', 'Loan ID', 'SEX', 'Marital Status', 'age'));
  assert.deepEqual(others, []);
  assert.deepEqual(
    [finding.rule_id, finding.column, finding.actual],
    ['PROTECTED_ATTRIBUTE', 'Race/Ethnicity', 'Race/Ethnicity, SEX, Marital Status, age'],
  );
});

const suspects = (texts: string[], mapped = false) =>
  suspectedSentinels(columns('x'), [sampleOf(texts)], new Set(mapped ? [0] : [])).map((finding) => finding.actual);

test('a number that stands for nothing is suspected where it is more than five times all others', () => {
  assert.deepEqual(suspects(['1', '2', '999']), ['1 × 999']);
  assert.deepEqual(suspects(['1', '199', '999']), ['1 × 999']);
  assert.deepEqual(suspects(['1', '199.8', '999']), []);
  assert.deepEqual(suspects(['1', '200', '999']), []);
  assert.deepEqual(suspects(['1', '9999', '9999.0', '777']), ['3 × 9999, 9999.0, 777']);
  assert.deepEqual(suspects(['-5', '666']), ['1 × 666']);
});

test('a million less one as a float is suspected whatever the others are, no other number is', () => {
  assert.deepEqual(suspects(['500000', '999999.375']), ['1 × 999999.375']);
  assert.deepEqual(suspects(['1', '998', '1000', '99', '5555', '-999']), []);
});

test('a column of a field, or one of mostly words, is not suspected', () => {
  assert.deepEqual(suspects(['1', '999'], true), []);
  assert.deepEqual(suspects(['a', '1', '999']), []);
  assert.deepEqual(suspects([...Array<string>(9).fill('1'), 'a']), []);
  assert.deepEqual(suspects([...Array<string>(8).fill('1'), '999', 'a']), ['1 × 999']);
  assert.deepEqual(suspects([...Array<string>(7).fill('1'), '999', 'a', 'b']), []);
});

test('a required field without a column says what follows from it', () => {
  const facts = factsOf(['original_balance']);
  const [id, balance, rate] = missingRequired(facts, ['loan_id', 'current_balance', 'interest_rate']);
  assert.match(id.message, /row numbers serve as ids/);
  assert.match(balance.message, /original_balance serves in its place/);
  assert.match(rate.message, /a rule on it fails with MISSING/);
  assert.equal(
    rate.expected,
    `a column such as ${dictionary('Auto')
      .find(({ field }) => field === 'interest_rate')
      ?.aliases.slice(0, 3)
      .join(', ')}`,
  );
  const [without] = missingRequired(factsOf([]), ['current_balance']);
  assert.match(without.message, /a rule on it fails with MISSING/);
});

test('ids of sixteen digits and more are counted, and the rounding of a spreadsheet is named where rows share them', async () => {
  const path = await typedOf([
    { loan_id: '1234567890123456' },
    { loan_id: '12345678901234567.00' },
    { loan_id: '123456789012345' },
    { loan_id: 'A1234567890123456' },
  ]);
  const facts = factsOf(['loan_id']);
  const [finding] = await formsOfIds(bench.engine, path, facts, { rows: 0, ids: 0 });
  assert.match(finding.message, /^2 ids have more than 15 digits/);
  assert.doesNotMatch(finding.message, /share/);
  assert.equal(finding.actual, '1234567890123456');
  const [shared] = await formsOfIds(bench.engine, path, facts, { rows: 4, ids: 2 });
  assert.match(shared.message, /4 rows share 2 ids/);
  assert.deepEqual(await formsOfIds(bench.engine, path, factsOf([]), { rows: 0, ids: 0 }), []);
  const short = await typedOf([{ loan_id: '123456789012345' }]);
  assert.deepEqual(await formsOfIds(bench.engine, short, facts, { rows: 0, ids: 0 }), []);
});

test('ids that a spreadsheet has lost or marked are told once, and others are not', async () => {
  const told = async (...ids: (string | null)[]) => {
    const path = await typedOf(ids.map((loan_id) => ({ loan_id })));
    const found = await formsOfIds(bench.engine, path, factsOf(['loan_id']), { rows: 0, ids: 0 });
    return found.map(({ rule_id, message }) => `${rule_id} ${/^\d+ ids/.exec(message)?.[0]}`);
  };
  const marked = ["'0012", '1,234', '12,345,678', '#REF!', '#NAME?', '########', '#DIV/0!'];
  for (const id of marked) assert.deepEqual(await told('L2', id, null), ['ID_WITH_MARKS 1 ids'], id);
  assert.deepEqual(await told(...marked), ['ID_WITH_MARKS 7 ids']);
  for (const id of ['#12', '##', "O'Hara-1", "'", '1,2', '1234,567', 'A1,234', '-7', '+1', ' 1', '(3)'])
    assert.deepEqual(await told('L2', id), [], id);
});

test('ids in letters of another script that look like those of the others are told', async () => {
  const told = async (...ids: string[]) => {
    const path = await typedOf(ids.map((loan_id) => ({ loan_id })));
    const found = await formsOfIds(bench.engine, path, factsOf(['loan_id']), { rows: 0, ids: 0 });
    return found.map(({ rule_id, message }) => `${rule_id} ${/^\d+ ids/.exec(message)?.[0]}`);
  };
  const alike = ['\u0410100', 'LN-\u041e1', 'L\u039f7', '\uff2117', 'A\uff11'];
  for (const id of alike) assert.deepEqual(await told('A100', id), ['ID_LOOKS_ALIKE 1 ids'], id);
  assert.deepEqual(await told('A100', ...alike), ['ID_LOOKS_ALIKE 5 ids']);
  for (const id of ['\u0416100', 'ДОГ-1', 'Zürich-1', '契約-2', 'A1\u00a0', 'Ωmega'])
    assert.deepEqual(await told('A100', id), [], id);
  assert.deepEqual(await told('17', '\uff11\uff18'), ['ID_LOOKS_ALIKE 1 ids']);
  assert.deepEqual(await told('\u0410100', '\u0410101', '102'), [], 'all letters of the tape are of that script');
});

test('rows that share an id are counted against all the ids of the tape', async () => {
  const path = await typedOf([{ loan_id: 'A' }, { loan_id: 'A' }, { loan_id: 'B' }, { loan_id: null }]);
  const [finding] = await sharedIds(bench.engine, path, factsOf(['loan_id']), { rows: 2, ids: 1 });
  assert.match(finding.message, /^2 rows share 1 ids \(2 distinct ids in all\)/);
  assert.deepEqual([finding.field, finding.actual], ['loan_id', '2 rows']);
  assert.deepEqual(await sharedIds(bench.engine, path, factsOf(['loan_id']), { rows: 0, ids: 0 }), []);
});

test('a required column without one value is named, an optional one and one with a single value are not', async () => {
  const path = await typedOf([
    { state: null, interest_rate: null, vehicle_make: null },
    { state: null, interest_rate: '5', vehicle_make: null },
  ]);
  const findings = await emptyColumns(
    bench.engine,
    path,
    factsOf(['state', 'interest_rate', 'vehicle_make']),
    () => 'The column',
  );
  assert.deepEqual(
    findings.map(({ rule_id, field, column }) => [rule_id, field, column]),
    [['EMPTY_COLUMN', 'state', 'The column']],
  );
  assert.deepEqual(await emptyColumns(bench.engine, path, factsOf(['vehicle_make']), () => null), []);
});

test('payments that repay exactly the amount in every row bear no interest', async () => {
  const row = (scheduled_payment: string | null) => ({ scheduled_payment, original_term_months: 60, original_balance: 6_000 });
  const needed = ['scheduled_payment', 'original_term_months', 'original_balance'];
  const rules = async (loans: Loan[], mapped = needed) =>
    (await interestFreeSchedule(bench.engine, await typedOf(loans), factsOf(mapped))).map(({ rule_id }) => rule_id);
  assert.deepEqual(await rules([row('100'), row('100')]), ['INTEREST_FREE_SCHEDULE']);
  assert.deepEqual(await rules([row('100'), row('100.01')]), []);
  assert.deepEqual(await rules([row('100'), row(null)]), []);
  assert.deepEqual(await rules([row('100')], [...needed, 'interest_rate']), []);
  for (const missing of needed)
    assert.deepEqual(
      await rules(
        [row('100')],
        needed.filter((name) => name !== missing),
      ),
      [],
      missing,
    );
});

test('a finding about the tape is a warning of nothing in particular unless it says more', () => {
  assert.deepEqual(tapeFinding('A_RULE', 'a message', { actual: 'x' }), {
    rule_id: 'A_RULE',
    severity: 'WARNING',
    message: 'a message',
    field: null,
    column: null,
    line: null,
    actual: 'x',
    expected: null,
  });
});

test('ids that differ in their form only are told, and others are not', async () => {
  const told = async (...ids: (string | null)[]) => {
    const path = await typedOf(ids.map((loan_id) => ({ loan_id })));
    const found = await formsOfIds(bench.engine, path, factsOf(['loan_id']), { rows: 0, ids: 0 });
    return found.map(({ rule_id, actual }) => [rule_id, actual]);
  };
  assert.deepEqual(await told('ab1', 'AB1', 'AB2'), [['IDS_ALIKE', '"AB1" and "ab1"']]);
  assert.deepEqual(await told('007', '7', '8'), [['IDS_ALIKE', '"007" and "7"']]);
  assert.deepEqual(await told('L 1', 'L1', 'L2'), [['IDS_ALIKE', '"L 1" and "L1"']]);
  for (const ids of [
    ['L1', 'L2', 'l3'],
    ['007', '008', '70'],
    ['AB1', 'AB1'],
    ['1', '10', '100'],
    ['L 1', 'L 2', 'L3'],
    [null, null],
  ])
    assert.deepEqual(await told(...ids), [], ids.join());
});

test('a value far from all others is found in each row of a tape, whether a sample has all rows or not', async () => {
  for (const rows of [15_000, 30_000])
    for (const [far, row] of [
      [9_000_000_000, 7],
      [0.5, 10],
    ]) {
      count += 1;
      const path = bench.path(`typed-${count}.parquet`);
      const amount = `CASE WHEN i = ${row} THEN ${far} ELSE 20000 + i % 500 END`;
      await bench.engine.run(
        copyToParquet(
          `SELECT i AS row_number, CAST(${amount} AS DECIMAL(18,6)) AS original_balance FROM range(1, ${rows + 1}) r(i)`,
          path,
        ),
      );
      const tape = { typedPath: path, rowCount: rows };
      const found = await mixedMagnitudes(bench.engine, tape, factsOf(['original_balance']), () => 'Amount');
      assert.deepEqual(
        found.map(({ rule_id, message }) => [rule_id, /\(.*?\)/.exec(message)?.[0]]),
        [['OUTLIER', `(row ${row})`]],
        `${far} of ${rows}`,
      );
    }
});

test('terms of vehicle loans that can only be years are told', async () => {
  const told = async (terms: readonly (number | null)[], loanType: LoanType = 'Auto') => {
    const path = await typedOf(terms.map((original_term_months, index) => ({ row_number: index + 1, original_term_months })));
    const found = await mixedMagnitudes(
      bench.engine,
      { typedPath: path, rowCount: terms.length },
      factsOf(['original_term_months'], loanType),
      () => 'Term',
    );
    return found.map(({ rule_id, actual }) => `${rule_id} ${actual}`);
  };
  const years = [3, 4, 5, 5, 5, 6, 6, 6, 7, 7];
  assert.deepEqual(await told(years), ['SCALE_SUSPECTED 5']);
  assert.deepEqual(await told(years.map((term) => 12 * term)), []);
  assert.deepEqual(await told([...years.slice(0, 9), null]), []);
  assert.deepEqual(await told([...years.slice(0, 4), ...years.map((term) => 12 * term)]), []);
  assert.deepEqual(await told(years, 'Business'), []);
});

test('incomes of a year that can only be thousands are told', async () => {
  const told = async (incomes: readonly (number | null)[]) => {
    const path = await typedOf(
      incomes.map((annual_income, index) => ({ row_number: index + 1, annual_income })),
      'Personal',
    );
    const tape = { typedPath: path, rowCount: incomes.length };
    const found = await mixedMagnitudes(bench.engine, tape, factsOf(['annual_income'], 'Personal'), () => 'Income');
    return found.map(({ rule_id, actual }) => `${rule_id} ${actual}`);
  };
  const thousands = [24, 31, 38, 42, 45, 51, 60, 66, 75, 120];
  assert.deepEqual(await told(thousands), ['SCALE_SUSPECTED 45']);
  assert.deepEqual(await told(thousands.map((income) => 1000 * income)), []);
  assert.deepEqual(await told([...thousands.slice(0, 9), 0]), [], 'too few, and no income');
});

test('loans that have ended and count with their original balance are told, with what they add up to', async () => {
  const loan = (original_balance: number, loan_status: string | null, defaulted_amount: number | null = null): Loan => ({
    original_balance,
    loan_status,
    defaulted_amount,
    current_balance: 0,
  });
  const path = await typedOf(
    [loan(1000.5, 'PAID'), loan(700, 'CHARGED_OFF'), loan(300.25, null, 5), loan(9000, 'CURRENT')],
    'Personal',
  );
  const told = async (mapped: string[], loanType: LoanType = 'Personal') =>
    (await endedAtOriginal(bench.engine, path, factsOf(mapped, loanType))).map(({ rule_id, actual }) => [rule_id, actual]);
  const ended = (actual: string) => [['ENDED_AT_ORIGINAL_BALANCE', actual]];
  assert.deepEqual(await told(['original_balance', 'loan_status']), ended('2 rows, 1700.50'));
  assert.deepEqual(await told(['original_balance', 'loan_status', 'defaulted_amount']), ended('3 rows, 2000.75'));
  assert.deepEqual(await told(['original_balance']), []);
  assert.deepEqual(await told(['original_balance', 'current_balance', 'loan_status']), []);
  assert.deepEqual(await told(['loan_status']), []);
  const living = await typedOf([loan(9000, 'CURRENT')], 'Personal');
  assert.deepEqual(await endedAtOriginal(bench.engine, living, factsOf(['original_balance', 'loan_status'], 'Personal')), []);
});
