import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openRoom } from '../testing/take-tape.ts';
import type { LoanType, MappingRequest } from '../types.ts';

type Room = Awaited<ReturnType<typeof openRoom>>;

/** Takes a tape of one interesting column beside an amount; returns the field's values as text, row by row. */
async function readColumn(
  room: Room,
  loanType: LoanType,
  header: string,
  field: string,
  values: readonly string[],
  overrides: readonly MappingRequest[] = [],
) {
  const amount = loanType === 'Credit Card' ? 'Credit Limit' : 'Original Balance';
  const quoted = values.map((value, index) => `"L${index}","100${index}","${value.replaceAll('"', '""')}"`);
  const id = loanType === 'Credit Card' ? 'account_id' : 'loan_id';
  const tape = await room.take({ loanType, csv: `${id},${amount},${header}\n${quoted.join('\n')}\n`, overrides });
  const rows = await tape.loans(`CAST(${field} AS VARCHAR) AS value`);
  return { tape, values: rows.map((row) => row.value as string | null) };
}

test('amounts are read with currencies, thousands, brackets, exponents and blanks, and nothing else is', async () => {
  await using room = await openRoom();
  const cases: [string, string | null][] = [
    ['1234.5', '1234.500000'],
    ['$1,234.50', '1234.500000'],
    ['(12.00)', '-12.000000'],
    ['($1,200)', '-1200.000000'],
    ['-$5', '-5.000000'],
    ['12.00-', '-12.000000'],
    ['USD 1,234', '1234.000000'],
    ['1e3', '1000.000000'],
    ['1.00E+05', '100000.000000'],
    [' 7.25  ', '7.250000'],
    ['.5', '0.500000'],
    ['0', '0.000000'],
    ['1,2,3', null],
    ['12abc', null],
    ['1_000', null],
    ['0x10', null],
    ['NaN', null],
    ['inf', null],
    ['1e400', null],
    ['12..5', null],
    ['--5', null],
    ['5 000', '5000.000000'],
  ];
  const { tape, values } = await readColumn(
    room,
    'Auto',
    'Vehicle Value',
    'vehicle_value',
    cases.map(([text]) => text),
  );
  assert.deepEqual(
    values,
    cases.map(([, value]) => value),
  );
  const unreadable = await tape.issues('UNREADABLE_VALUE');
  // NaN is a missing marker, the others are reported one by one with their text
  assert.deepEqual(
    unreadable.map((issue) => issue.actual),
    ['1,2,3', '12abc', '1_000', '0x10', 'inf', '1e400', '12..5', '--5'],
  );
  assert.ok(unreadable.every((issue) => issue.field === 'vehicle_value' && issue.expected?.includes('amount')));
});

test('missing markers in any case are missing without a finding', async () => {
  await using room = await openRoom();
  const markers = ['NA', 'n/a', 'N/A', 'NULL', 'None', '.', '-', 'Not Available', 'not applicable', '', '5'];
  const { tape, values } = await readColumn(room, 'Auto', 'Vehicle Value', 'vehicle_value', markers);
  assert.deepEqual(values, [...Array(10).fill(null), '5.000000']);
  assert.deepEqual(await tape.issues('UNREADABLE_VALUE'), []);
});

test('decimals are rounded half-even to six places from the text, never through binary floating point', async () => {
  await using room = await openRoom();
  const cases: [string, string][] = [
    ['0.0000005', '0.000000'],
    ['0.0000015', '0.000002'],
    ['0.0000025', '0.000002'],
    ['0.0000035', '0.000004'],
    ['-0.0000025', '-0.000002'],
    ['0.00000250000000000000000000001', '0.000003'],
    ['0.00000049999999999999999999999', '0.000000'],
    ['5e-7', '0.000000'],
    ['0.1', '0.100000'],
    ['123456789012.123456', '123456789012.123456'],
    ['2.675', '2.675000'],
  ];
  const { values } = await readColumn(
    room,
    'Business',
    'DSCR',
    'dscr',
    cases.map(([text]) => text),
  );
  assert.deepEqual(
    values,
    cases.map(([, value]) => value),
  );
});

test('a % sign makes the whole column percent, whatever its size', async () => {
  await using room = await openRoom();
  const { values, tape } = await readColumn(room, 'Auto', 'APR', 'interest_rate', ['0.9%', '12.5%', '0.5', '(1.5%)', '12.5 %']);
  assert.deepEqual(values, ['0.900000', '12.500000', '0.500000', '-1.500000', '12.500000']);
  assert.match(tape.decisions.join('\n'), /"APR": read as percent \(4 values carry a % sign\)/);
});

test('a column is fractions when 95 % of its values are at most 2, and the decision is recorded', async () => {
  await using room = await openRoom();
  const fractions = [...Array(19).fill('0.0687'), '3.5'];
  const { values, tape } = await readColumn(room, 'Auto', 'APR', 'interest_rate', fractions);
  assert.equal(values[0], '6.870000');
  assert.equal(values[19], '350.000000');
  assert.deepEqual(tape.mapping.mappings.find((entry) => entry.target === 'interest_rate')?.transform, { unit: 'fraction' });
  const percents = [...Array(18).fill('0.0687'), '3.5', '4'];
  const other = await readColumn(room, 'Auto', 'APR', 'interest_rate', percents);
  assert.equal(other.values[0], '0.068700');
});

test('a fraction of a float is percent rounded half-even to six places', async () => {
  await using room = await openRoom();
  const { values } = await readColumn(room, 'Auto', 'LTV', 'ltv', ['0.800000011920929', '0.75', '1.25', '0.8']);
  assert.deepEqual(values, ['80.000001', '75.000000', '125.000000', '80.000000']);
});

test('sentinels are whole values of their field and are counted, not passed on', async () => {
  await using room = await openRoom();
  const { values, tape } = await readColumn(room, 'Mortgage', 'Borrower Credit Score', 'credit_score', [
    '720',
    '9999',
    '9999.0',
    '999',
    '99990',
  ]);
  assert.deepEqual(values, ['720.000000', null, null, '999.000000', '99990.000000']);
  const finding = tape.tape_findings.find((finding) => finding.rule_id === 'SENTINEL_READ_AS_MISSING');
  assert.match(finding?.message ?? '', /2 values of 9999/);
  assert.equal((await tape.issues('OUT_OF_RANGE')).length, 2);
});

test('999 stands for a missing ltv even in a column of fractions, and a balance of 999 is a balance', async () => {
  await using room = await openRoom();
  const ltv = await readColumn(room, 'Mortgage', 'OLTV', 'ltv', [...Array(30).fill('0.8'), '999']);
  assert.equal(ltv.values[30], null);
  assert.equal(ltv.values[0], '80.000000');
  const value = await readColumn(room, 'Auto', 'Vehicle Value', 'vehicle_value', ['999', '9999']);
  assert.deepEqual(value.values, ['999.000000', '9999.000000']);
});

test('ranges give their lower bound and counts with a unit word give months or years', async () => {
  await using room = await openRoom();
  const score = await readColumn(room, 'Personal', 'FICO.Range', 'credit_score', ['735-739', '670 - 674', '700']);
  assert.deepEqual(score.values, ['735.000000', '670.000000', '700.000000']);
  const finding = score.tape.decisions.filter((decision) => decision.startsWith('"FICO.Range"'));
  assert.deepEqual(finding, ['"FICO.Range": 2 ranges such as 735-739 are read as their lower bound']);
  const term = await readColumn(room, 'Personal', 'Loan.Length', 'original_term_months', [
    '36 months',
    '60 mos',
    '5 years',
    '48',
  ]);
  assert.deepEqual(term.values, ['36.000000', '60.000000', '60.000000', '48.000000']);
  const work = await readColumn(room, 'Personal', 'Employment.Length', 'employment_length_years', [
    '10+ years',
    '< 1 year',
    '1 year',
    'n/a',
    '3',
  ]);
  assert.deepEqual(work.values, ['10.000000', '0.000000', '1.000000', null, '3.000000']);
  const late = await readColumn(room, 'Mortgage', 'Days Delinquent', 'days_past_due', ['0', '30-59', '120']);
  assert.deepEqual(late.values, ['0.000000', '30.000000', '120.000000']);
});

test('a decimal comma is read only where the column shows it and nothing speaks against it', async () => {
  await using room = await openRoom();
  const european = await readColumn(room, 'Auto', 'Vehicle Value', 'vehicle_value', ['1.234,56', '12.345,00', '999,5', '1.000']);
  assert.deepEqual(european.values, ['1234.560000', '12345.000000', '999.500000', '1000.000000']);
  assert.match(european.tape.decisions.join('\n'), /decimal comma/);
  const mixed = await readColumn(room, 'Auto', 'Vehicle Value', 'vehicle_value', ['1,234.56', '12,5', '1,000']);
  assert.deepEqual(mixed.values, ['1234.560000', null, '1000.000000']);
});

test('rates with a decimal comma are percents or fractions as those with a point are', async () => {
  await using room = await openRoom();
  const rates = (values: string[]) => readColumn(room, 'Auto', 'Note Rate', 'interest_rate', values);
  const fractions = await rates(['0,055', '0,0625', '0,1']);
  assert.deepEqual(fractions.values, ['5.500000', '6.250000', '10.000000']);
  assert.match(fractions.tape.decisions.join('\n'), /fractions and multiplied by 100 \(100 % of 3 values/);
  assert.deepEqual((await rates(['0,055', '0,125', '-0,125'])).values, ['5.500000', '12.500000', '-12.500000']);
  assert.deepEqual((await rates(['5,5', '6,125', '12,0000'])).values, ['5.500000', '6.125000', '12.000000']);
  assert.deepEqual((await rates(['0,05512345', '0,0512340050', '0,1'])).values, ['5.512345', '5.123400', '10.000000']);
  assert.deepEqual((await rates(['5,5 %', '6,25 %'])).values, ['5.500000', '6.250000']);
});

test('ambiguous groups of three are read as the other columns of the tape, unless one of them shows a point', async () => {
  await using room = await openRoom();
  const header = 'loan_id;Original Balance;Current Balance;Note Rate';
  const read = async (rows: string[]) => {
    const tape = await room.take({ loanType: 'Auto', csv: `${[header, ...rows].join('\n')}\n` });
    const loans = await tape.loans('original_balance::VARCHAR AS o, current_balance::VARCHAR AS c, interest_rate::VARCHAR AS r');
    return { loans, decisions: tape.decisions.join('\n') };
  };
  const european = await read(['A;12.500;11.000;5,5', 'B;20.000;19.999;6,25']);
  assert.deepEqual(european.loans, [
    { o: '12500.000000', c: '11000.000000', r: '5.500000' },
    { o: '20000.000000', c: '19999.000000', r: '6.250000' },
  ]);
  assert.match(european.decisions, /"Original Balance": read with a decimal comma \(because other columns of the tape show one/);
  const rates = await read(['A;12500,5;11000;5,125', 'B;20000,75;19999;6,250']);
  assert.deepEqual(
    rates.loans.map((loan) => loan.r),
    ['5.125000', '6.250000'],
  );
  const mixed = await read(['A;12.500;11000.25;5,5', 'B;20.000;19999.5;6,25']);
  assert.equal(mixed.loans[0].o, '12.500000');
});

test('a comma before three digits is one of thousands, whatever follows the number', async () => {
  await using room = await openRoom();
  const { values } = await readColumn(room, 'Auto', 'Vehicle Value', 'vehicle_value', ['1,234', '12,000 USD', '(1,000)']);
  assert.deepEqual(values, ['1234.000000', '12000.000000', '-1000.000000']);
});

test('dates are read in every usual form', async () => {
  await using room = await openRoom();
  const cases: [string, string][] = [
    ['2015-12-01', '2015-12-01'],
    ['2015-12-01T00:00:00', '2015-12-01'],
    ['2015-12-01 10:30:00', '2015-12-01'],
    ['12/31/2019', '2019-12-31'],
    ['1/5/19', '2019-01-05'],
    ['07-31-2020', '2020-07-31'],
    ['08/2019', '2019-08-01'],
    ['DEC-2015', '2015-12-01'],
    ['Mar-18', '2018-03-01'],
    ['01JAN2020', '2020-01-01'],
    ['5-Feb-19', '2019-02-05'],
    ['January 5, 2020', '2020-01-05'],
    ['201911', '2019-11-01'],
    ['122019', '2019-12-01'],
    ['20190805', '2019-08-05'],
    ['2019-08', '2019-08-01'],
  ];
  const { values } = await readColumn(
    room,
    'Auto',
    'Contract Date',
    'origination_date',
    cases.map(([text]) => text),
  );
  assert.deepEqual(
    values,
    cases.map(([, value]) => value),
  );
});

test('impossible dates, serials in cells that are no dates and words are unreadable and reported', async () => {
  await using room = await openRoom();
  const texts = ['2026-02-30', '02/30/2020', '45000', '2020-13-01', 'soon', '0', '2019-05-05'];
  const { values, tape } = await readColumn(room, 'Auto', 'Contract Date', 'origination_date', texts);
  assert.deepEqual(values, [null, null, null, null, null, null, '2019-05-05']);
  assert.equal((await tape.issues('UNREADABLE_VALUE')).length, 6);
});

test('the first year of our era is a date and out of range', async () => {
  await using room = await openRoom();
  const { values, tape } = await readColumn(room, 'Auto', 'Contract Date', 'origination_date', ['0001-01-01', '2019-05-05']);
  assert.deepEqual(values, ['0001-01-01', '2019-05-05']);
  assert.equal((await tape.issues('OUT_OF_RANGE')).length, 1);
});

test('day first is decided by a value above 12, else month first is assumed and reported', async () => {
  await using room = await openRoom();
  const dayFirst = await readColumn(room, 'Auto', 'Contract Date', 'origination_date', ['31/12/2019', '01/02/2019']);
  assert.deepEqual(dayFirst.values, ['2019-12-31', '2019-02-01']);
  assert.equal(
    dayFirst.tape.tape_findings.some((finding) => finding.rule_id === 'DATE_ORDER_ASSUMED'),
    false,
  );
  const open = await readColumn(room, 'Auto', 'Contract Date', 'origination_date', ['01/02/2019', '03/04/2019']);
  assert.deepEqual(open.values, ['2019-01-02', '2019-03-04']);
  assert.equal(
    open.tape.tape_findings.some((finding) => finding.rule_id === 'DATE_ORDER_ASSUMED'),
    true,
  );
  const mixed = await readColumn(room, 'Auto', 'Contract Date', 'origination_date', ['12/31/2019', '12/30/2019', '31/12/2019']);
  assert.deepEqual(mixed.values, ['2019-12-31', '2019-12-30', null]);
});

test('the mapping says how dates, units, scales and words are read, and is obeyed', async () => {
  await using room = await openRoom();
  const say = (source: string, target: string, transform: MappingRequest['transform']): MappingRequest[] => [
    { source, target, ...(transform && { transform }) },
  ];
  const dates = await readColumn(
    room,
    'Business',
    'x',
    'approval_date',
    ['15074', '15075'],
    say('x', 'approval_date', { date: 'SAS' }),
  );
  assert.deepEqual(dates.values, ['2001-04-09', '2001-04-10']);
  const excel = await readColumn(room, 'Business', 'x', 'approval_date', ['45000'], say('x', 'approval_date', { date: 'EXCEL' }));
  assert.deepEqual(excel.values, ['2023-03-15']);
  const months = await readColumn(
    room,
    'Business',
    'x',
    'approval_date',
    ['012020'],
    say('x', 'approval_date', { date: 'MMYYYY' }),
  );
  assert.deepEqual(months.values, ['2020-01-01']);
  const percent = await readColumn(
    room,
    'Auto',
    'APR',
    'interest_rate',
    ['0.5', '0.9'],
    say('APR', 'interest_rate', { unit: 'percent' }),
  );
  assert.deepEqual(percent.values, ['0.500000', '0.900000']);
  const scaled = await readColumn(room, 'Auto', 'x', 'vehicle_value', ['12.5', '$3'], say('x', 'vehicle_value', { scale: 1000 }));
  assert.deepEqual(scaled.values, ['12500.000000', '3000.000000']);
  const cents = await readColumn(room, 'Auto', 'x', 'vehicle_value', ['1250', '3'], say('x', 'vehicle_value', { scale: 0.01 }));
  assert.deepEqual(cents.values, ['12.500000', '0.030000']);
  const words = await readColumn(
    room,
    'Mortgage',
    'occ',
    'occupancy',
    ['1', '2', '7'],
    say('occ', 'occupancy', { values: { '1': 'PRIMARY', '2': 'SECOND', '7': null } }),
  );
  assert.deepEqual(words.values, ['PRIMARY', 'SECOND', null]);
  assert.deepEqual(await words.tape.issues('UNREADABLE_VALUE'), []);
});

test('words of real sources become canonical words; unknown ones are reported and never guessed', async () => {
  await using room = await openRoom();
  const status = await readColumn(room, 'Business', 'MIS_Status', 'status', [
    'P I F',
    'CHGOFF',
    'EXEMPT',
    'Current',
    'who knows',
  ]);
  assert.deepEqual(status.values, ['PAID', 'CHARGED_OFF', null, 'CURRENT', null]);
  assert.deepEqual(
    (await status.tape.issues('UNREADABLE_VALUE')).map((issue) => issue.actual),
    ['who knows'],
  );
  const used = await readColumn(room, 'Auto', 'vehicleNewUsedCode', 'new_used', ['1', '2', '1.0', 'N', 'used']);
  assert.deepEqual(used.values, ['NEW', 'USED', 'NEW', 'NEW', 'USED']);
  const late = await readColumn(room, 'Credit Card', 'PAY_0', 'days_past_due', ['-2', '-1', '0', '1', '3']);
  assert.deepEqual(late.values, ['0.000000', '0.000000', '0.000000', '30.000000', '90.000000']);
  const fresh = await readColumn(room, 'Business', 'NewExist', 'new_business', ['1', '2', '0']);
  assert.deepEqual(fresh.values, ['false', 'true', null]);
  const insured = await readColumn(room, 'Mortgage', 'MI Pct', 'mi_percent', ['No MI', '25', '30']);
  assert.deepEqual(insured.values, ['0.000000', '25.000000', '30.000000']);
});

test('booleans are read from the usual words', async () => {
  await using room = await openRoom();
  const { values, tape } = await readColumn(room, 'Auto', 'coObligorIndicator', 'co_obligor', [
    'Y',
    'no',
    'TRUE',
    'f',
    '1',
    '0',
    '',
    'maybe',
  ]);
  assert.deepEqual(values, ['true', 'false', 'true', 'false', 'true', 'false', null, null]);
  assert.equal((await tape.issues('UNREADABLE_VALUE')).length, 1);
});

test('ids keep every character, other text has its blanks collapsed, names become pseudonyms', async () => {
  await using room = await openRoom();
  const zip = await readColumn(room, 'Business', 'Zip', 'zip', ['00802', '00820']);
  assert.deepEqual(zip.values, ['00802', '00820']);
  const kind = await readColumn(room, 'Business', 'BusinessType', 'business_type', ['Limited  Liability Company(LLC)']);
  assert.deepEqual(kind.values, ['Limited Liability Company(LLC)']);
  const name = await readColumn(room, 'Business', 'BusinessName', 'obligor_name', ['Joe  Smith', 'JOE SMITH', 'Ann']);
  assert.equal(name.values[0], name.values[1]);
  assert.notEqual(name.values[0], name.values[2]);
  assert.match(name.values[0] ?? '', /^P-[0-9a-f]{24}$/);
  const tape = await room.take({ loanType: 'Auto', csv: 'Loan ID,Amount Financed\n00123,5\n  7  8 ,6\n1.2E+10,7\n' });
  assert.deepEqual(
    (await tape.loans('loan_id')).map((row) => row.loan_id),
    ['00123', '7  8', '1.2E+10'],
  );
  assert.deepEqual(
    (await tape.issues('ID_IN_EXPONENT_FORM')).map((issue) => issue.row_number),
    [3],
  );
});

test('states are codes, full names are shortened, what is neither is kept and reported', async () => {
  await using room = await openRoom();
  const { values, tape } = await readColumn(room, 'Auto', 'State', 'state', [
    'nc',
    'North Carolina',
    'PR',
    'ZZ',
    '37',
    'AL',
    'GA',
    'TX',
    'VA',
    'TN',
  ]);
  assert.deepEqual(values.slice(0, 5), ['NC', 'NC', 'PR', 'ZZ', '37']);
  assert.deepEqual(
    (await tape.issues('STATE_CODE_UNKNOWN')).map((issue) => issue.actual),
    ['ZZ', '37'],
  );
});
