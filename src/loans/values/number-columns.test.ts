import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readColumn } from '../testing/read-column.ts';
import { openRoom } from '../testing/take-tape.ts';

test('amounts are read with currencies, thousands, brackets, exponents and blanks, and nothing else is', async () => {
  await using room = await openRoom();
  const cases: [string, string | null][] = [
    ['1234.5', '1234.500000'],
    ['$1,234.50', '1234.500000'],
    ['(12.00)', '-12.000000'],
    ['($1,200)', '-1200.000000'],
    ['-$5', '-5.000000'],
    ['\t(900.00)', '-900.000000'],
    ['\n(900.00)', '-900.000000'],
    ['\u00a0($1,900.00)\u00a0', '-1900.000000'],
    ['(900.00)\t', '-900.000000'],
    ['\t900.00-\n', '-900.000000'],
    ['\t- 900', '-900.000000'],
    ['12.00-', '-12.000000'],
    ['USD 1,234', '1234.000000'],
    ['SEK 1,234.50', '1234.500000'],
    ['1,234 kr', '1234.000000'],
    ["CHF 12'000.-", '12000.000000'],
    ["12'000.–", '12000.000000'],
    ["-12'000.--", '-12000.000000'],
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
    ['1,234.50\u00a0€', '1234.500000'],
    ['€\u202f1,234.50', '1234.500000'],
    ['(1,234.50\u00a0USD\u00a0)', '-1234.500000'],
    ['-\u00a01,234.50', '-1234.500000'],
    ['\u22121,234.50', '-1234.500000'],
    ['$\u221250', '-50.000000'],
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

test('days past due are read in the words and buckets of servicers', async () => {
  await using room = await openRoom();
  const texts = ['Current', 'C', '0', '30-59', '60 - 89 days', '90+', '120+ days'];
  for (const loanType of ['Auto', 'Mortgage', 'Student', 'Business', 'Credit Card'] as const) {
    const { values } = await readColumn(room, loanType, 'Days Past Due', 'days_past_due', texts);
    assert.deepEqual(values?.map(Number), [0, 0, 0, 30, 60, 90, 120], loanType);
  }
});

test('terms have their unit in the languages of the months', async () => {
  await using room = await openRoom();
  const texts = [
    '5y',
    '60m',
    '5 Jahre',
    '60 Monate',
    '1 Jahr',
    '5 ans',
    '60 mois',
    '5 años',
    '60 meses',
    '5 anni',
    '60 mesi',
    '5 jaar',
  ];
  const { values } = await readColumn(room, 'Auto', 'Term', 'original_term_months', texts);
  assert.deepEqual(values.map(Number), [60, 60, 60, 60, 12, 60, 60, 60, 60, 60, 60, 60]);
  const days = await readColumn(room, 'Auto', 'DPD', 'days_past_due', ['30 Tage', '31 jours', '1 día']);
  assert.deepEqual(days.values.map(Number), [30, 31, 1]);
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

test('a dash in the place of cents is no sign, and every currency but the dollar is told', async () => {
  await using room = await openRoom();
  const cases: [string, string | null][] = [
    ['12.000,- €', '12000.000000'],
    ['1.000,--', '1000.000000'],
    ['-1.000,–', '-1000.000000'],
    ['5.000,00-', '-5000.000000'],
    ['kr. 12.000,50', '12000.500000'],
    ['NOK12.000', '12000.000000'],
    ['12.000,-kr', '12000.000000'],
  ];
  const texts = cases.map(([text]) => text);
  const { tape, values } = await readColumn(room, 'Auto', 'Vehicle Value', 'vehicle_value', texts);
  assert.deepEqual(
    values,
    cases.map(([, value]) => value),
  );
  assert.deepEqual(
    (await tape.issues('CURRENCY_NOT_USD')).map(({ actual, message }) => [actual, message.slice(0, 27)]),
    [['12.000,- €', '"Vehicle Value": 4 values a']],
  );
  const abroad = ['R$ 1,500.25', 'Rs. 500', 'Rs 12,34,567', 'kr. 750', 'HK$80', '₩1,000', 'USD.5'];
  const amounts = await readColumn(room, 'Auto', 'Vehicle Value', 'vehicle_value', abroad);
  assert.deepEqual(amounts.values.map(Number), [1500.25, 500, 1234567, 750, 80, 1000, 0.5]);
  assert.match((await amounts.tape.issues('CURRENCY_NOT_USD'))[0].message, /6 values are in another currency/);
  const real = await readColumn(room, 'Auto', 'Vehicle Value', 'vehicle_value', ['R$ 11.535,20', 'R$ 900,00']);
  assert.deepEqual(real.values, ['11535.200000', '900.000000']);
  const whole = await readColumn(room, 'Auto', 'Vehicle Value', 'vehicle_value', ['12000,-', '500,-', '7']);
  assert.deepEqual(whole.values, ['12000.000000', '500.000000', '7.000000']);
});

test('blanks of every width before a sign of percent, a currency and a unit are blanks', async () => {
  await using room = await openRoom();
  for (const blank of ['\u00a0', '\u202f', '\u2009', '\u2007', '\u3000']) {
    const rows = [1, 2, 3].map((at) => `${at};${at}0.000,50${blank}€;${at},25${blank}%;${12 * at}${blank}Monate`);
    const tape = await room.take({
      loanType: 'Personal',
      csv: ['Darlehensnummer;Darlehensbetrag;Zinssatz;Laufzeit', ...rows].join('\n'),
    });
    const loans = await tape.loans('original_balance, interest_rate, original_term_months');
    assert.deepEqual(
      loans,
      [1, 2, 3].map((at) => ({
        original_balance: `${at}0000.500000`,
        interest_rate: `${at}.250000`,
        original_term_months: `${12 * at}.000000`,
      })),
    );
    assert.ok(!tape.decisions.some((decision) => decision.includes('more than six decimals')), tape.decisions.join());
  }
});

test('a column of negative amounts with the minus of typography is one of amounts', async () => {
  await using room = await openRoom();
  const rows = [1, 2, 3].map((at) => `L${at};20000;\u2212${at}50,25`);
  const tape = await room.take({ loanType: 'Personal', csv: ['Loan ID;Original Balance;Current Balance', ...rows].join('\n') });
  const loans = await tape.loans('current_balance');
  assert.deepEqual(
    loans.map(({ current_balance }) => current_balance),
    ['-150.250000', '-250.250000', '-350.250000'],
  );
});
