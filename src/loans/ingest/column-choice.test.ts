import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openRoom } from '../testing/take-tape.ts';
import type { LoanType } from '../types.ts';

let room: Awaited<ReturnType<typeof openRoom>>;
before(async () => {
  room = await openRoom();
});
after(() => room[Symbol.asyncDispose]());

type Columns = Record<string, readonly (string | number)[]>;

async function take(columns: Columns, loanType: LoanType = 'Auto') {
  const names = Object.keys(columns);
  const count = Math.max(...Object.values(columns).map((values) => values.length));
  const rows = Array.from({ length: count }, (_, row) => names.map((name) => `"${columns[name]?.[row] ?? ''}"`).join(','));
  const csv = `${names.map((name) => `"${name}"`).join(',')}\n${rows.join('\n')}\n`;
  const tape = await room.take({ loanType, csv });
  const source = (target: string) => tape.mapping.mappings.find((entry) => entry.target === target)?.source;
  const finding = (rule: string) => tape.tape_findings.filter(({ rule_id }) => rule_id === rule);
  return {
    tape,
    source,
    finding,
    values: async (field: string) => (await tape.loans(`${field}::VARCHAR AS v`)).map(({ v }) => v),
  };
}

const many = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index));
const ids = many(40, (index) => `A${index}`);
const amounts = many(40, (index) => 10_000 + 250 * index);

test('two columns of different amounts that name one field equally well give it neither, and both are named', async () => {
  const { tape, source, finding } = await take({
    'Loan ID': ids,
    'Original Balance': amounts,
    'Current Balance': amounts.map((amount) => amount * 0.7),
    'Outstanding Balance': amounts.map((amount) => amount * 0.63),
  });
  assert.equal(source('current_balance'), undefined);
  assert.deepEqual(
    finding('AMBIGUOUS_COLUMN').map(({ field, actual }) => [field, actual]),
    [['current_balance', 'Current Balance, Outstanding Balance']],
  );
  assert.deepEqual(
    tape.mapping.suggestions.map(({ source: from, target }) => [from, target]),
    [
      ['Current Balance', 'current_balance'],
      ['Outstanding Balance', 'current_balance'],
    ],
  );
});

test('two columns with the same values are one, and the choice is told', async () => {
  const { tape, source, finding } = await take({
    'Loan ID': ids,
    'Original Balance': amounts,
    'Current Balance': amounts.map((amount) => amount / 2),
    'Outstanding Balance': amounts.map((amount) => `$${(amount / 2).toLocaleString('en-US')}`),
  });
  assert.equal(source('current_balance'), 'Current Balance');
  assert.deepEqual(finding('AMBIGUOUS_COLUMN'), []);
  assert.match(
    tape.decisions.join('\n'),
    /"Current Balance" and "Outstanding Balance" hold the same values; "Current Balance" is used/,
  );
});

test('columns with values in few rows are compared in these rows, and blanks are no values that they share', async () => {
  const rows = 1_000;
  const sparse = (at: number, value: number) => many(rows, (row) => (row === at ? value : ''));
  const tapeOf = (more: Columns) =>
    take({ 'Loan ID': many(rows, (row) => `A${row}`), 'Original Balance': many(rows, (row) => 10_000 + row), ...more });
  const apart = await tapeOf({ 'Charge-Off Amount': sparse(5, 4_000), 'Charged Off Amount': sparse(6, 5_000) });
  assert.equal(apart.source('charged_off_amount'), undefined);
  assert.deepEqual(
    apart.finding('AMBIGUOUS_COLUMN').map(({ field, actual }) => [field, actual]),
    [['charged_off_amount', 'Charged Off Amount, Charge-Off Amount']],
  );
  const equal = await tapeOf({ 'Charge-Off Amount': sparse(5, 4_000), 'Charged Off Amount': sparse(5, 4_000) });
  assert.equal(equal.source('charged_off_amount'), 'Charged Off Amount');
  assert.deepEqual(equal.finding('AMBIGUOUS_COLUMN'), []);
  const oneFilled = await tapeOf({ 'Charge-Off Amount': sparse(5, 4_000), 'Charged Off Amount': many(rows, () => 'NA') });
  assert.equal(oneFilled.source('charged_off_amount'), 'Charge-Off Amount');
  assert.equal((await oneFilled.values('charged_off_amount'))[5], '4000.000000');
});

test('an empty column does not stand between others with the same values', async () => {
  const { source, finding, tape } = await take({
    'Loan ID': ids,
    'Original Balance': amounts,
    'Current Balance': many(40, () => ''),
    'Balance Current': amounts.map((amount) => amount * 0.7),
    'Bal Cur': amounts.map((amount) => amount * 0.7),
  });
  assert.match(source('current_balance') ?? '', /^Bal(?:ance)? Cur(?:rent)?$/);
  assert.deepEqual(finding('AMBIGUOUS_COLUMN'), []);
  const told = tape.decisions.find((decision) => decision.includes('hold the same values')) ?? '';
  assert.match(told, /"Bal/);
  assert.doesNotMatch(told, /Current Balance/);
});

test('rows in which columns of nearly the same values differ are counted and told', async () => {
  const rows = 1_000;
  const balances = many(rows, (row) => 5_000 + row);
  const { source, finding } = await take({
    'Loan ID': many(rows, (row) => `A${row}`),
    'Original Balance': many(rows, (row) => 10_000 + row),
    'Current Balance': balances,
    'Outstanding Balance': balances.map((balance, row) => (row === 7 || row === 9 ? '' : balance)),
  });
  assert.equal(source('current_balance'), 'Current Balance');
  assert.deepEqual(
    finding('AMBIGUOUS_COLUMN').map(({ message }) => message),
    [
      '"Current Balance" and "Outstanding Balance" could each be current_balance and hold different values in 2 rows; "Current Balance" is used. Map the right one to current_balance',
    ],
  );
});

test('a balance above the original is not the balance when another one is not', async () => {
  const { tape, source } = await take({
    'Loan ID': ids,
    'Original Balance': amounts,
    'Current Balance': amounts.map((amount) => amount * 1.4),
    'Outstanding Balance': amounts.map((amount) => amount * 0.7),
  });
  assert.equal(source('current_balance'), 'Outstanding Balance');
  assert.match(tape.decisions.join('\n'), /"Outstanding Balance" is used, since current_balance is not above original_balance/);
});

test('the balance that rate and terms give is the balance, and an investor’s share of it is not', async () => {
  // what a level payment leaves of 1 after 24 of 60 months at 6 % a year: (1.005^60 - 1.005^24) / (1.005^60 - 1)
  const left = (1.005 ** 60 - 1.005 ** 24) / (1.005 ** 60 - 1);
  const { source } = await take({
    'Loan ID': ids,
    'Original Balance': amounts,
    'Principal Balance': amounts.map((amount) => (amount * left * 0.6).toFixed(2)),
    'Outstanding Balance': amounts.map((amount) => (amount * left).toFixed(2)),
    'Interest Rate': ids.map(() => '6.00'),
    'Original Term': ids.map(() => 60),
    'Remaining Term': ids.map(() => 36),
  });
  assert.equal(source('current_balance'), 'Outstanding Balance');
});

test('rivals for a field that is no amount, rate or date: the better header serves, and it is told', async () => {
  const { source, finding } = await take(
    { 'Loan ID': ids, 'Original Balance': amounts, City: ids.map((id) => `X${id}`), 'Borrower City': ids.map((id) => `Y${id}`) },
    'Business',
  );
  assert.equal(source('city'), 'City');
  assert.equal(finding('AMBIGUOUS_COLUMN').length, finding('AMBIGUOUS_COLUMN').filter(({ field }) => field === 'city').length);
});

const mortgage = { 'Loan ID': ids, 'Original UPB': amounts };
const noted = many(40, (index) => 3 + index / 20);

test('the current rate is the rate beside the one at origination, wherever the two stand', async () => {
  const current = noted.map((rate, index) => (index % 3 === 0 ? rate - 0.5 : rate));
  const tapes: Columns[] = [
    { 'Original Interest Rate': noted, 'Current Interest Rate': current },
    { 'Int Rt': current, 'Orig Interest Rate': noted },
  ];
  for (const rates of tapes) {
    const { source, finding, values } = await take({ ...mortgage, ...rates }, 'Mortgage');
    assert.match(source('interest_rate') ?? '', /^(?:Current Interest Rate|Int Rt)$/);
    assert.equal(Number((await values('interest_rate'))[0]), 2.5);
    assert.deepEqual([finding('AMBIGUOUS_COLUMN'), finding('STAND_IN_COLUMN')], [[], []]);
  }
});

test('the rate at origination serves where there is no current one, and that is told', async () => {
  const { source, finding } = await take({ ...mortgage, 'Original Interest Rate': noted }, 'Mortgage');
  assert.equal(source('interest_rate'), 'Original Interest Rate');
  assert.deepEqual(
    finding('STAND_IN_COLUMN').map(({ field, column }) => [field, column]),
    [['interest_rate', 'Original Interest Rate']],
  );
});

test('a stand-in hides no column that is named as the field and cannot be it, and a person’s choice is not questioned', async () => {
  const unread = noted.map((rate) => `about ${rate}`);
  const { source, finding } = await take(
    { ...mortgage, 'Current Interest Rate': unread, 'Original Interest Rate': noted },
    'Mortgage',
  );
  assert.equal(source('interest_rate'), 'Original Interest Rate');
  assert.deepEqual(
    ['CONTENT_CONTRADICTS_HEADER', 'STAND_IN_COLUMN'].map((rule) => finding(rule)[0]?.column),
    ['Current Interest Rate', 'Original Interest Rate'],
  );
  const rows = noted.map((rate, index) => `A${index},${amounts[index]},${rate}`).join('\n');
  const chosen = await room.take({
    loanType: 'Mortgage',
    csv: `Loan ID,Original UPB,Original Interest Rate\n${rows}\n`,
    overrides: [{ source: 'Original Interest Rate', target: 'interest_rate' }],
  });
  assert.ok(!chosen.tape_findings.some(({ rule_id }) => rule_id === 'STAND_IN_COLUMN'));
});

test('a column that holds codes is no rate, one that holds days no amount, and both are told', async () => {
  const { source, finding } = await take({
    'Loan ID': ids,
    'Original Balance': amounts,
    'Interest Rate': many(40, (index) => 1 + (index % 2)),
    'Current Balance': many(40, (index) => 20230101 + (index % 28)),
  });
  assert.deepEqual([source('interest_rate'), source('current_balance')], [undefined, undefined]);
  assert.deepEqual(
    finding('CONTENT_CONTRADICTS_HEADER').map(({ column, message }) => [column, /codes|dates/.exec(message)?.[0]]),
    [
      ['Interest Rate', 'codes'],
      ['Current Balance', 'dates'],
    ],
  );
});

test('an amount column that cannot be read is named with a value, where no other gives an amount', async () => {
  const { tape, finding } = await take({ 'Loan ID': ids, 'Original Balance': ids.map((_, index) => `about ${index} k`) });
  assert.equal(tape.needs_mapping, true);
  assert.match(finding('CONTENT_CONTRADICTS_HEADER')[0]?.message ?? '', /"Original Balance".*"about 0 k"/);
});

const UNITS: [string, string, (string | number)[], (string | null)[]][] = [
  ['Current Balance ($000s)', 'current_balance', [9.5, 8], ['9500.000000', '8000.000000']],
  ['Current Balance (in thousands)', 'current_balance', [9.5, 8], ['9500.000000', '8000.000000']],
  ['Current Balance (USD mm)', 'current_balance', [0.0095, 0.008], ['9500.000000', '8000.000000']],
  ['Current Balance (cents)', 'current_balance', [950_000, 800_001], ['9500.000000', '8000.010000']],
  ['Interest Rate (bps)', 'interest_rate', [525, 600], ['5.250000', '6.000000']],
  ['Interest Rate (%)', 'interest_rate', ['0.9', '1.9'], ['0.900000', '1.900000']],
  ['Original Term (years)', 'original_term_months', [5, 6], ['60.000000', '72.000000']],
];

for (const [header, field, values, expected] of UNITS)
  test(`"${header}" is read in the unit that it states, and that is told`, async () => {
    const {
      tape,
      source,
      values: of,
    } = await take({ 'Loan ID': ['A', 'B'], 'Original Balance': [10_000, 20_000], [header]: values });
    assert.equal(source(field), header);
    assert.deepEqual(await of(field), expected);
    const unit = header.slice(header.indexOf('('));
    assert.ok(
      tape.decisions.some((decision) => decision.startsWith(`"${header}"`) && decision.includes(unit)),
      tape.decisions.join('\n'),
    );
  });

test('a unit that is none of the field keeps a column from it', async () => {
  const { source, finding } = await take({
    'Loan ID': ids,
    'Original Balance': amounts,
    'Current Balance (%)': ids.map(() => 70),
    'Original Term (days)': ids.map(() => 700),
  });
  assert.deepEqual([source('current_balance'), source('original_term_months')], [undefined, undefined]);
  assert.equal(finding('CONTENT_CONTRADICTS_HEADER').length, 2);
});

test('a unit with two meanings, a foreign currency and a header that the values contradict are findings', async () => {
  const { finding } = await take({
    'Loan ID': ids,
    'Original Balance ($M)': amounts,
    'Current Balance (EUR)': amounts,
    'Interest Rate (%)': many(40, (index) => 0.05 + index / 1000),
    'Vehicle Value': many(40, (index) => (index < 3 ? `€ ${index + 1},000` : '$5,000')),
  });
  assert.deepEqual(
    finding('UNIT_UNCLEAR').map(({ actual }) => actual),
    ['($M)'],
  );
  assert.deepEqual(
    finding('CURRENCY_NOT_USD').map(({ field, actual }) => [field, actual]),
    [
      ['current_balance', 'EUR'],
      ['vehicle_value', '€ 1,000'],
    ],
  );
  assert.match(finding('UNIT_CONTRADICTED')[0]?.message ?? '', /no value is above 0.089/);
});

test('a column in two units is told with its rows, whichever part is the larger', async () => {
  const rates = many(40, (index) => 5 + index / 20);
  for (const mixed of [3, 20, 37]) {
    const { finding } = await take({
      'Loan ID': ids,
      'Original Balance': amounts.map((amount, index) => (index < mixed ? amount / 1_000 : amount)),
      'Interest Rate': rates.map((rate, index) => (index < mixed ? rate / 100 : rate)),
    });
    const few = Math.min(mixed, 40 - mixed);
    const told = finding('MIXED_UNITS').map(({ field, actual }) => [field, actual]);
    assert.deepEqual(
      told,
      [
        ['original_balance', `${few} values`],
        ['interest_rate', `${few} values`],
      ],
      `${mixed}`,
    );
  }
});

test('fractions beside percents are told in a tape of a few loans too', async () => {
  const told = async (rates: readonly (string | number)[]) => {
    const { finding } = await take({
      'Loan ID': ids.slice(0, rates.length),
      'Original Balance': amounts.slice(0, rates.length),
      Rate: rates,
    });
    return finding('MIXED_UNITS').map(({ field, actual }) => [field, actual]);
  };
  assert.deepEqual(await told(['12.5%', 0.125, 12.5, '7.5%', 6.9, 0.069, 5]), [['interest_rate', '2 values']]);
  assert.deepEqual(await told([0.125, 0.069, 0.05, 0.075, 7.5, 0.0699]), [['interest_rate', '1 values']]);
  assert.deepEqual(await told([0, 0.9, 1.9, 6.9, 24.9]), [], 'low rates are rates');
});

test('rates that a percent sign made hundredths of a percent are told, and low rates are not', async () => {
  const told = async (rates: readonly string[]) => {
    const { finding } = await take({
      'Loan ID': ids.slice(0, rates.length),
      'Original Balance': amounts.slice(0, rates.length),
      Rate: rates,
    });
    return finding('SCALE_SUSPECTED').map(({ field, actual }) => [field, actual]);
  };
  assert.deepEqual(await told(['0.061', '0.065', '0.07', '0.5%']), [['interest_rate', '0.065']]);
  assert.deepEqual(await told(['0%', '0%', '0%', '0.9%', '1.9%', '2.9%']), []);
});

test('loans of several reporting dates are told, and the latest is the as-of date', async () => {
  const dated = (last: string) =>
    take({
      'Loan ID': ids,
      'Original Balance': amounts,
      'Cut-off Date': many(40, (index) => (index < 2 ? '06/30/2024' : index < 4 ? '' : last)),
    });
  const mixed = await dated('07/31/2024');
  assert.deepEqual(
    mixed.finding('REPORTING_DATES_DIFFER').map(({ actual, column }) => [actual, column]),
    [['2024-06-30 … 2024-07-31', 'Cut-off Date']],
  );
  assert.match(mixed.finding('REPORTING_DATES_DIFFER')[0].message, /2 rows have an earlier one/);
  assert.equal(mixed.tape.as_of_date, '2024-07-31');
  assert.deepEqual((await dated('06/30/2024')).finding('REPORTING_DATES_DIFFER'), []);
});

test('a value a thousand times the others is told with its row', async () => {
  const { finding } = await take({
    'Loan ID': ids,
    'Original Balance': amounts.map((amount, index) => (index === 6 ? amount * 10_000 : index === 8 ? 0.5 : amount)),
  });
  assert.match(finding('OUTLIER')[0]?.message ?? '', /2 values .* \(rows 7, 9\)/);
});

test('balances that sum to less than a hundredth of the original ones are told', async () => {
  const { finding } = await take({
    'Loan ID': ids,
    'Original Balance': amounts,
    'Current Balance': amounts.map((amount) => amount / 1_000),
  });
  assert.deepEqual(
    finding('BALANCE_FAR_BELOW_ORIGINAL').map(({ actual }) => actual),
    ['595.000000'],
  );
});

test('amounts that a spreadsheet shortened and points that may stand for thousands are told', async () => {
  const { finding } = await take({
    'Loan ID': ids,
    'Original Balance': many(40, (index) => (index < 4 ? '1.2E+04' : '12345.67')),
    'Current Balance': many(40, (index) => `${10 + index}.500`),
  });
  assert.deepEqual(
    finding('SHORTENED_AMOUNT').map(({ actual }) => actual),
    ['4 values'],
  );
  assert.deepEqual(
    finding('THOUSANDS_POINT_SUSPECTED').map(({ field }) => field),
    ['current_balance'],
  );
});

test('a decimal comma among decimal points is told, and one in every value of a rate is read', async () => {
  const rates = (write: (rate: string, index: number) => string) =>
    take({
      'Loan ID': ids,
      'Original Balance': many(40, (index) => `${12_000 + index}.50`),
      'Interest Rate': many(40, (index) => write((5.25 + index / 8).toFixed(3), index)),
    });
  const comma = (rate: string): string => rate.replace('.', ',');
  const mixed = await rates((rate, index) => (index < 3 ? comma(rate) : rate));
  assert.deepEqual(
    mixed.finding('DECIMAL_COMMA_SUSPECTED').map(({ field, actual }) => [field, actual]),
    [['interest_rate', '3 values']],
  );
  assert.deepEqual((await mixed.values('interest_rate')).slice(2, 4), ['5500.000000', '5.625000']);
  const short = await rates((rate, index) => (index < 1 ? '5,25' : rate));
  assert.deepEqual(
    (await short.values('interest_rate')).slice(0, 2),
    [null, '5.375000'],
    'one comma makes no thousands of all points',
  );
  const all = await rates(comma);
  assert.deepEqual(all.finding('DECIMAL_COMMA_SUSPECTED'), []);
  assert.deepEqual((await all.values('interest_rate')).slice(0, 2), ['5.250000', '5.375000']);
  const points = await rates((_, index) => (index === 0 ? '1,250' : String(500 + index)));
  assert.deepEqual((await points.values('interest_rate'))[0], '1250.000000', 'beside basis points it is not one and a quarter');
  const told = await take({
    'Loan ID': ids,
    'Original Balance': amounts,
    'Interest Rate (bps)': many(40, (index) => (index === 0 ? '1,250' : 500 + index)),
  });
  assert.deepEqual((await told.values('interest_rate'))[0], '12.500000', 'the header says basis points');
});

test('three digits behind the point are counted in digits, whatever stands around the number', async () => {
  const suspected = async (write: (index: number) => string) => {
    const amounts = many(40, write);
    const { finding } = await take({ 'Loan ID': ids, 'Original Balance': amounts, 'Current Balance': amounts });
    return finding('THOUSANDS_POINT_SUSPECTED').map(({ field }) => field);
  };
  for (const write of [(index: number) => `€${10 + index}.500`, (index: number) => `${10 + index}.500 €`])
    assert.deepEqual(await suspected(write), ['original_balance', 'current_balance']);
  assert.deepEqual(await suspected((index) => `${10 + index}\u00a0200.50`), []);
});

test('a tape in order has none of these findings', async () => {
  const { tape } = await take({
    'Loan ID': ids,
    'Original Balance': amounts,
    'Current Balance': amounts.map((amount, index) => (index === 0 ? 0.01 : amount * 0.6)),
    'Interest Rate': many(40, (index) => (index === 3 ? 0.9 : 4 + index / 10)),
    'Original Term': ids.map(() => 60),
    'Vehicle Value': amounts.map((amount) => amount * 1.2),
  });
  const rules = tape.tape_findings.map(({ rule_id }) => rule_id).filter((rule) => rule !== 'MISSING_REQUIRED_FIELD');
  assert.deepEqual(rules, []);
});

test('the text of a column is read as often where a hundred others name its field as where two do', async (context) => {
  const first = context.mock.method(room.engine, 'first');
  const readsOf = async (rivals: number) => {
    first.mock.resetCalls();
    const named = Array.from({ length: rivals }, (_, index) => [
      `Interest Rate ${'*'.repeat(index)}`,
      many(40, (row) => row + index),
    ]);
    const { finding } = await take({ 'Loan ID': ids, 'Original Balance': amounts, ...Object.fromEntries(named) });
    const compared = first.mock.calls.map(({ arguments: [sql] }) => sql).filter((sql) => sql.includes('either_0'));
    assert.deepEqual([compared.length, finding('AMBIGUOUS_COLUMN').length], [1, 1]);
    return compared[0]?.match(/\bc2\b/g)?.length;
  };
  assert.equal(await readsOf(100), await readsOf(3));
});
