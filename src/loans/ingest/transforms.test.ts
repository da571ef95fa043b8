import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { divideHalfEven, microText, toMicro } from '../criteria/decimal.ts';
import { openRoom } from '../testing/take-tape.ts';
import type { LoanType, MappingRequest, Transform } from '../types.ts';

let room: Awaited<ReturnType<typeof openRoom>>;
before(async () => {
  room = await openRoom();
});
after(() => room[Symbol.asyncDispose]());

/** A tape of these columns beside an id and an amount; `row` lists the values of one loan. */
async function take(
  headers: readonly string[],
  rows: readonly (readonly string[])[],
  overrides: MappingRequest[],
  loanType: LoanType = 'Auto',
) {
  const lines = rows.map((row, index) =>
    [`L${index}`, `${1000 + index}`, ...row].map((value) => `"${value.replaceAll('"', '""')}"`).join(','),
  );
  const csv = `loan_id,Original Balance,${headers.join(',')}\n${lines.join('\n')}\n`;
  const tape = await room.take({ loanType, csv, overrides });
  const values = async (field: string) => (await tape.loans(`CAST(${field} AS VARCHAR) AS value`)).map(({ value }) => value);
  return { tape, values };
}

const one = (source: string, target: string, transform: Transform): MappingRequest[] => [{ source, target, transform }];
const decided = (tape: { decisions: string[] }, words: RegExp) =>
  assert.ok(
    tape.decisions.some((decision) => words.test(decision)),
    tape.decisions.join('\n'),
  );

test('a part of a split text, texts joined behind it and literal replacements are what is read, in that order', async () => {
  const transform = {
    split: { separator: '|', part: -1 },
    concat: { columns: ['Year'], separator: '-' },
    replace: [{ find: 'Sept', with: 'Sep' }],
  };
  const { tape, values } = await take(
    ['Opened', 'Year'],
    [
      ['x|01-Sept', '2021'],
      ['y|z|15-Oct', '2022'],
    ],
    one('Opened', 'origination_date', transform),
  );
  assert.deepEqual(await values('origination_date'), ['2021-09-01', '2022-10-15']);
  decided(
    tape,
    /"Opened": split at "\|", part -1 is read, joined with "Year" by "-", "Sept" is replaced by "Sep", as the mapping says|"Opened": split/,
  );
});

test('the order of day and month, missing markers and findings are decided from the made text', async () => {
  const { tape, values } = await take(
    ['Opened'],
    [['on 13/02/2021'], ['on 04/05/2021'], ['on n/a'], ['on soon']],
    one('Opened', 'origination_date', { replace: [{ find: 'on ', with: '' }] }),
  );
  assert.deepEqual(await values('origination_date'), ['2021-02-13', '2021-05-04', null, null]);
  const unreadable = await tape.issues('UNREADABLE_VALUE');
  assert.deepEqual(
    unreadable.map(({ row_number, actual }) => [row_number, actual]),
    [[4, 'soon']],
  );
});

test('a text without the part, or with a blank beside it, gives no value and is told row by row and for the tape', async () => {
  const cut = await take(
    ['Term'],
    [['A/36'], ['60'], ['n/a'], ['']],
    one('Term', 'original_term_months', { split: { separator: '/', part: 2 } }),
  );
  assert.deepEqual(await cut.values('original_term_months'), ['36.000000', null, null, null]);
  assert.deepEqual(
    (await cut.tape.issues('UNREADABLE_VALUE')).map(({ row_number, actual }) => [row_number, actual]),
    [[2, '60']],
  );
  const [told] = await cut.tape.issues('TRANSFORM_INCOMPLETE');
  assert.match(told?.message ?? '', /1 rows give no original_term_months, because they have no part 2/);

  const months = [
    ['01', '2021'],
    ['', '2022'],
    ['', ''],
    ['NA', 'NA'],
  ];
  const joined = await take(
    ['Month', 'Year'],
    months,
    one('Month', 'origination_date', { concat: { columns: ['Year'], separator: '/' } }),
  );
  assert.deepEqual(await joined.values('origination_date'), ['2021-01-01', null, null, null]);
  assert.deepEqual(
    (await joined.tape.issues('UNREADABLE_VALUE')).map(({ row_number, actual }) => [row_number, actual]),
    [[2, '/2022']],
  );

  const makes = [
    ['Ford', 'Focus'],
    ['Ford', ''],
    ['', 'Golf'],
  ];
  const skipped = await take(
    ['Make', 'Line'],
    makes,
    one('Make', 'vehicle_make', { concat: { columns: ['Line'], skip_blank: true } }),
  );
  assert.deepEqual(await skipped.values('vehicle_make'), ['Ford Focus', 'Ford', 'Golf']);
});

test('every text is made of the columns as the tape has them, whatever else the mapping makes of those', async () => {
  const { values } = await take(
    ['Make', 'Line'],
    [['Ford', 'X-Focus']],
    [
      { source: 'Make', target: 'vehicle_make', transform: { concat: { columns: ['Line'] } } },
      { source: 'Line', target: 'vehicle_model', transform: { split: { separator: '-', part: 2 } } },
    ],
  );
  assert.deepEqual([...(await values('vehicle_make')), ...(await values('vehicle_model'))], ['Ford X-Focus', 'Focus']);
});

test('a formula divides numbers of the row exactly as a rule does; zero and unreadable parts are missing and told', async () => {
  const rows = [
    ['10,000', '30000'],
    ['1', '0'],
    ['n/a', '5'],
    ['soon', '5'],
    ['$12.50', '(2)'],
  ];
  const { tape, values } = await take(
    ['Owed', 'Worth'],
    rows,
    one('Loan to worth', 'ltv', { formula: { num: 'Owed', den: 'Worth', scale: 100 } }),
  );
  assert.deepEqual(await values('ltv'), ['33.333333', null, null, null, '-625.000000']);
  assert.deepEqual(
    (await tape.issues('UNREADABLE_VALUE')).map(({ row_number, actual, column_name }) => [row_number, column_name, actual]),
    [
      [2, 'Loan to worth', '1 / 0'],
      [4, 'Loan to worth', 'soon / 5'],
    ],
  );
  decided(tape, /"Loan to worth": computed as "Owed" \/ "Worth" × 100, rounded half-even/);
  assert.ok(!tape.mapping.unmapped.includes('Loan to worth'));
  assert.deepEqual(tape.mapping.mappings.find(({ target }) => target === 'ltv')?.source, 'Loan to worth');
});

test('a formula reads a decimal comma where its columns show one', async () => {
  const rows = [
    ['1.234,50', '2'],
    ['2.000,00', '4,0'],
  ];
  const { values } = await take(['Owed', 'Worth'], rows, one('x', 'ltv', { formula: { num: 'Owed', den: 'Worth' } }));
  assert.deepEqual(await values('ltv'), ['617.250000', '500.000000']);
});

test('a formula that computes 0.8 gives 0.8: its unit is not guessed', async () => {
  const { tape, values } = await take(
    ['Owed', 'Worth'],
    [
      ['8', '10'],
      ['9', '10'],
    ],
    one('x', 'ltv', { formula: { num: 'Owed', den: 'Worth' } }),
  );
  assert.deepEqual(await values('ltv'), ['0.800000', '0.900000']);
  decided(tape, /"x": read as percent, since the mapping settles its unit/);
});

test('numbers are multiplied and divided as decimals, rounded once and half-even, and roundings are counted', async () => {
  const factor = fc
    .integer({ min: -1_000_000_000, max: 1_000_000_000 })
    .filter((micro) => micro !== 0)
    .map((micro) => micro / 1e6);
  const cases = fc.sample(
    fc.tuple(fc.array(fc.integer({ min: 1, max: 99_999_999 }), { minLength: 3, maxLength: 6 }), factor, factor),
    12,
  );
  for (const [cents, multiply, divide] of cases) {
    const texts = cents.map((each) => (each / 100).toFixed(2));
    const { tape, values } = await take(
      ['Total Paid'],
      texts.map((text) => [text]),
      one('Total Paid', 'vehicle_value', { multiply, divide }),
    );
    const product = (text: string) => toMicro(text) * toMicro(multiply);
    const expected = texts.map((text) => divideHalfEven(product(text), toMicro(divide)));
    const shown = expected.map((micro) => (micro < 10n ** 18n && micro > -(10n ** 18n) ? microText(micro, 6) : null));
    assert.deepEqual(await values('vehicle_value'), shown);
    const rounded = texts.filter((text) => product(text) % toMicro(divide) !== 0n).length;
    decided(tape, rounded === 0 ? /; exact$/ : new RegExp(`; ${rounded} results have more than six decimals`));
  }
});

test('a product or a quotient halfway between two millionths goes to the even one', async () => {
  const halves = [['0.5'], ['1.5'], ['2.5'], ['-1.5'], ['-2.5']];
  const even = ['0.000000', '0.000002', '0.000002', '-0.000002', '-0.000002'];
  const product = await take(['Worth'], halves, one('Worth', 'vehicle_value', { multiply: 0.000001 }));
  assert.deepEqual(await product.values('vehicle_value'), even);
  const quotient = await take(['Worth'], halves, one('Worth', 'vehicle_value', { divide: 1_000_000 }));
  assert.deepEqual(await quotient.values('vehicle_value'), even);
});

test('a mapping whose columns the tape lacks is not applied, and its column is left alone and told', async () => {
  const remembered: MappingRequest[] = [
    { source: 'APR', target: 'interest_rate', transform: { concat: { columns: ['Rest'], separator: '.' } } },
  ];
  const tape = await room.take({ loanType: 'Auto', csv: 'loan_id,Original Balance,APR\nA,1000,5\n', remembered });
  assert.deepEqual(tape.mapping.unmapped, ['APR']);
  const [told] = await tape.issues('MAPPING_NOT_APPLIED');
  assert.match(told?.message ?? '', /mapping of "APR" to interest_rate reads "Rest", which the tape does not have/);
});

test('a merge by a made loan id finds the loans of the version before', async () => {
  const overrides = one('Branch', 'loan_id', { concat: { columns: ['No'], separator: '-' } });
  const first = await room.take({
    loanType: 'Auto',
    csv: 'Branch,No,Original Balance\nA,1,1000\nA,2,2000\nB,1,3000\n',
    overrides,
  });
  const next = 'Branch,No,Original Balance\nA,2,2500\nB,2,4000\n';
  const merged = await room.take({ loanType: 'Auto', csv: next, overrides, mergeInto: first.files.raw });
  assert.deepEqual(
    (await merged.loans('loan_id, CAST(original_balance AS DOUBLE) AS b')).map(({ loan_id, b }) => [loan_id, b]),
    [
      ['A-1', 1000],
      ['A-2', 2500],
      ['B-1', 3000],
      ['B-2', 4000],
    ],
  );
});

test('the parts of a name do not show in findings', async () => {
  const { tape } = await take(
    ['Surname', 'Given'],
    [
      ['Miller', ''],
      ['Stone', 'Ann'],
    ],
    one('Surname', 'obligor_name', { concat: { columns: ['Given'] } }),
    'Business',
  );
  const told = JSON.stringify([await tape.issues(), tape.decisions]);
  assert.match(told, /1 rows give no obligor_name/);
  assert.doesNotMatch(told, /Miller/);
});

test('a chain of replacements that would fill the memory gives no text, and says so', async () => {
  const replace = [
    { find: 'a', with: 'a'.repeat(200) },
    { find: 'a', with: 'b'.repeat(200) },
    { find: 'b', with: 'c'.repeat(200) },
  ];
  const { tape, values } = await take(['Make'], [['a'], ['z']], one('Make', 'vehicle_make', { replace }));
  assert.deepEqual(await values('vehicle_make'), [null, 'z']);
  assert.match((await tape.issues('TRANSFORM_INCOMPLETE'))[0]?.message ?? '', /more than 4000 bytes/);
});
