import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readColumn } from '../testing/read-column.ts';
import { openRoom } from '../testing/take-tape.ts';
import type { LoanType, MappingRequest, Transform } from '../types.ts';
import { ingestInline } from './ingest.ts';

let room: Awaited<ReturnType<typeof openRoom>>;
before(async () => {
  room = await openRoom();
});
after(() => room[Symbol.asyncDispose]());

const column = (loanType: LoanType, header: string, field: string, values: readonly string[], transform?: Transform) => {
  const overrides: MappingRequest[] = transform ? [{ source: header, target: field, transform }] : [];
  return readColumn(room, loanType, header, field, values, overrides);
};

const times = (text: string, count: number) => Array<string>(count).fill(text);

test('a rate column is fractions where 95 of 100 values are at most 2, one fewer makes it percents', async () => {
  const rates = async (...values: string[]) => (await column('Auto', 'APR', 'interest_rate', values)).values[0];
  assert.equal(await rates(...times('0.05', 95), ...times('7', 5)), '5.000000');
  assert.equal(await rates(...times('0.05', 94), ...times('7', 6)), '0.050000');
  assert.equal(await rates('2', '0.05'), '200.000000');
  assert.equal(await rates('2.000001', '0.05'), '2.000001');
  assert.equal(await rates('-0.05', '0.05'), '-5.000000');
});

test('small percents that would be beyond the range of their field as fractions are percents', async () => {
  const said = async (field: string, values: readonly string[], header = field) => {
    const { values: read, tape } = await column('Mortgage', header, field, values);
    return [read[0], tape.decisions.find((decision) => decision.includes('read as'))];
  };
  assert.deepEqual(await said('margin', ['0.25', '1.5', '2', '0']), [
    '0.250000',
    '"margin": read as percent (100 % of 4 values are at most 2, but 3 of them would be above 15 % as fractions)',
  ]);
  assert.equal((await said('interest_rate', ['0.625', '0.475', '0.9'], 'Interest Rate (%)'))[0], '0.625000');
  assert.equal((await said('margin', ['0.0225', '0.025', '1.5']))[0], '2.250000');
  assert.equal((await said('ltv', ['0.8', '0.95', '1.05']))[0], '80.000000');
});

test('missing values, unreadable ones and sentinels have no vote on percent or fraction', async () => {
  const rates = await column('Auto', 'APR', 'interest_rate', ['0.05', '0.05', '0.05', '0.05', 'NA', 'soon', '']);
  assert.equal(rates.values[0], '5.000000');
  const ltv = await column('Mortgage', 'OLTV', 'ltv', ['0.8', '999', '999.0', '999']);
  assert.deepEqual(ltv.values, ['80.000000', null, null, null]);
});

test('one % sign in a column makes the plain numbers beside it percents', async () => {
  assert.deepEqual((await column('Auto', 'APR', 'interest_rate', ['0.05', '0.06', '5%'])).values, [
    '0.050000',
    '0.060000',
    '5.000000',
  ]);
});

test('a unit or a scale that the mapping names is not decided again', async () => {
  const rates = async (transform: Transform) =>
    (await column('Auto', 'APR', 'interest_rate', ['0.05', '0.06'], transform)).values[0];
  assert.equal(await rates({ unit: 'percent' }), '0.050000');
  assert.equal(await rates({ unit: 'fraction' }), '5.000000');
  assert.equal(await rates({ scale: 1 }), '0.050000');
  assert.equal(await rates({ scale: 10 }), '0.500000');
  assert.equal(await rates({ scale: 10, unit: 'fraction' }), '50.000000');
  const large = await column('Auto', 'APR', 'interest_rate', ['5', '6'], { unit: 'fraction' });
  assert.equal(large.values[0], '500.000000');
});

test('the mapping of the tape says what was decided, and nothing where nothing was', async () => {
  const transformOf = async (values: string[], transform?: Transform) => {
    const { tape } = await column('Auto', 'APR', 'interest_rate', values, transform);
    return tape.mapping.mappings.find(({ target }) => target === 'interest_rate')?.transform;
  };
  assert.deepEqual(await transformOf(['0.05']), { unit: 'fraction' });
  assert.equal(await transformOf(['5']), undefined);
  assert.deepEqual(await transformOf(['5'], { scale: 2 }), { scale: 2 });
  assert.deepEqual(await transformOf(['0.05'], { unit: 'fraction' }), { unit: 'fraction' });
});

/** Exact sums of the two balances of a mortgage tape. */
async function mortgage(rows: [original: string, current: string][], overrides: MappingRequest[] = []) {
  const csv = `Loan Number,loanamt,Current UPB\n${rows.map((row, index) => `${index},${row.join(',')}`).join('\n')}\n`;
  const { statistics, tape_findings } = await room.take({ loanType: 'Mortgage', csv, overrides });
  const assumed = tape_findings.filter(({ rule_id }) => rule_id === 'SCALE_ASSUMED').map(({ field }) => field);
  return [Number(statistics.original_balance.sum), Number(statistics.current_balance.sum), ...assumed];
}

test('amounts of a mortgage are in thousands where every one is below a thousand and one is above one', async () => {
  const both = ['original_balance', 'current_balance'];
  assert.deepEqual(await mortgage([['999.99', '5']]), [999_990, 5_000, ...both]);
  assert.deepEqual(await mortgage([['1000', '5']]), [1_000, 5]);
  assert.deepEqual(await mortgage([['1.01', '1']]), [1_010, 1_000, ...both]);
  assert.deepEqual(await mortgage([['1', '1']]), [1, 1]);
  assert.deepEqual(
    await mortgage([
      ['5', '999'],
      ['7', '1'],
    ]),
    [12_000, 1_000_000, ...both],
  );
});

test('the current balance is in thousands with the original one only, and only below a thousand itself', async () => {
  assert.deepEqual(await mortgage([['500', '1000']]), [500_000, 1_000, 'original_balance']);
  assert.deepEqual(await mortgage([['2000', '500']]), [2_000, 500]);
});

test('amounts are not taken for thousands where the mapping has a scale, on other loans, or inline', async () => {
  const scale = (source: string, target: string, by: number): MappingRequest => ({ source, target, transform: { scale: by } });
  assert.deepEqual(await mortgage([['500', '400']], [scale('loanamt', 'original_balance', 1)]), [500, 400]);
  assert.deepEqual(await mortgage([['500', '400']], [scale('Current UPB', 'current_balance', 2)]), [
    500_000,
    800,
    'original_balance',
  ]);
  const auto = await room.take({ loanType: 'Auto', csv: 'Loan ID,Original Balance\nA,500\n' });
  assert.equal(auto.statistics.original_balance.sum, '500.000000');
  const outDir = await room.newDir();
  const loans = [{ loan_id: 'A', original_balance: 500, interest_rate: 0.05, origination_date: '2020-01-31' }];
  const inline = await ingestInline({ engine: room.engine, loanType: 'Mortgage', outDir, asOf: '2026-11-20', loans });
  assert.deepEqual([inline.statistics.original_balance.sum, inline.statistics.interest_rate.sum], ['500.000000', '0.050000']);
});

test('inline dates are ISO dates and nothing else', async () => {
  const outDir = await room.newDir();
  const dates = ['2020-01-31', '2020-01-31T10:00:00', '01/31/2020', 'Jan-2020', '2020-02-30'];
  const loans = dates.map((origination_date, index) => ({ loan_id: `L${index}`, original_balance: 5, origination_date }));
  const result = await ingestInline({ engine: room.engine, loanType: 'Auto', outDir, asOf: '2026-11-20', loans });
  const rows = await room.engine.rows<{ date: string | null }>(
    `SELECT CAST(origination_date AS VARCHAR) AS date FROM read_parquet('${result.files.loans}')`,
  );
  assert.deepEqual(
    rows.map(({ date }) => date),
    ['2020-01-31', '2020-01-31', null, null, null],
  );
});

/** Values of vehicles as they are read, beside original balances. */
async function amounts(values: string[], balances: string[] = []): Promise<(number | null)[]> {
  const rows = values.map((value, index) => `L${index};"${balances[index] ?? '1'}";"${value}"`);
  const tape = await room.take({ loanType: 'Auto', csv: `loan_id;Original Balance;Vehicle Value\n${rows.join('\n')}\n` });
  const found = await tape.loans('vehicle_value');
  return found.map((loan) => (loan.vehicle_value === null ? null : Number(loan.vehicle_value)));
}

test('a comma is one of decimals where it stands behind a point, or alone before other than three digits', async () => {
  assert.deepEqual(await amounts(['1.234,56', '1.000']), [1234.56, 1000]);
  assert.deepEqual(await amounts(['12,5', '1.000']), [12.5, 1000]);
  assert.deepEqual(await amounts(['12,5', '1,000']), [12.5, 1]);
  assert.deepEqual(await amounts(['0,055', '1,000']), [0.055, 1]);
  assert.deepEqual(await amounts(['1,234', '1,000']), [1234, 1000]);
  assert.deepEqual(await amounts(['12,5 €', '(1,25)']), [12.5, -1.25]);
});

test('one text with a decimal point holds the whole column to points', async () => {
  assert.deepEqual(await amounts(['1,234.56', '12,5']), [1234.56, null]);
  assert.deepEqual(await amounts(['0.055', '12,5']), [0.055, null]);
  assert.deepEqual(await amounts(['12.5', '12,5']), [12.5, null]);
  assert.deepEqual(await amounts(['12.3456', '12,5']), [12.3456, null]);
});

test('a column that could be either is read as the others of its tape, where these agree', async () => {
  assert.deepEqual(await amounts(['12.500', '1.000'], ['1.234,56', '2,5']), [12_500, 1_000]);
  assert.deepEqual(await amounts(['12.500', '1.000'], ['1,234.56', '2.5']), [12.5, 1]);
  assert.deepEqual(await amounts(['12.500', '1.000'], ['1000', '2000']), [12.5, 1]);
  assert.deepEqual(await amounts(['12500', '1000'], ['1.234,56', '2,5']), [12_500, 1_000]);
});

test('what was decided about a column is said in words', async () => {
  const said = async (header: string, field: string, values: string[], loanType: LoanType = 'Auto', transform?: Transform) =>
    (await column(loanType, header, field, values, transform)).tape.decisions.filter((decision) =>
      decision.startsWith(`"${header}"`),
    );
  assert.deepEqual(await said('APR', 'interest_rate', ['0.05', '7', '0.06']), [
    '"APR": read as percent (66.6 % of 3 values are at most 2)',
  ]);
  assert.deepEqual(await said('APR', 'interest_rate', ['NA']), ['"APR": read as percent (0 % of 0 values are at most 2)']);
  assert.deepEqual(await said('APR', 'interest_rate', ['5'], 'Auto', { unit: 'percent' }), [
    '"APR": read as percent, as the mapping says',
  ]);
  assert.deepEqual(await said('MSRP', 'vehicle_value', ['5'], 'Auto', { scale: 1000 }), [
    '"MSRP": multiplied by 1000 to give vehicle_value',
  ]);
  assert.deepEqual(await said('MSRP', 'vehicle_value', ['5.1234567', '5']), [
    '"MSRP": 1 values have more than six decimals and are rounded half-even to six',
  ]);
  assert.deepEqual(await said('Contract Date', 'origination_date', ['01/2020']), [
    '"Contract Date": dates read as MM/YYYY',
    '"Contract Date": a month without a day is its first day',
  ]);
  assert.deepEqual(await said('Contract Date', 'origination_date', ['31/01/2020 10:30:00 PM', '2020-01-31']), [
    '"Contract Date": dates read as YYYY-MM-DD, DD/MM/YYYY',
    '"Contract Date": times of day are left out',
  ]);
  assert.deepEqual(await said('New/Used', 'new_used', ['U', 'NEW']), ['"New/Used": U → USED']);
  const spellings = ['new', 'used', 'n', 'u'].flatMap((word) =>
    Array.from({ length: 2 ** word.length }, (_, bits) =>
      Array.from(word, (letter, at) => (bits & (1 << at) ? letter.toUpperCase() : letter)).join(''),
    ),
  );
  const [listed = ''] = await said('New/Used', 'new_used', spellings);
  assert.deepEqual([listed.split('→').length - 1, listed.slice(listed.lastIndexOf(','))], [20, ', and 6 more']);
  assert.deepEqual(await said('x', 'approval_date', ['15074'], 'Business', { date: 'SAS' }), [
    '"x": read as SAS day numbers, as the mapping says',
  ]);
});

test('dates that show no order of day and month are read as the other dates of the tape, where these agree', async () => {
  const taken = async (...rows: [origination: string, first: string, maturity: string][]) => {
    const lines = rows.map((row, index) => `L${index},1000,${row.join(',')}`);
    const header = 'Loan Number,Original Balance,Origination Date,First Payment Date,Maturity Date';
    const tape = await room.take({ loanType: 'Auto', csv: `${header}\n${lines.join('\n')}\n` });
    const [{ maturity }] = await tape.loans('CAST(maturity_date AS VARCHAR) AS maturity');
    return [maturity, tape.tape_findings.find(({ field }) => field === 'maturity_date')?.message];
  };
  const [dayFirst, told] = await taken(['25/03/2023', '2023-05-01', '01/05/2049'], ['02/03/2023', '2023-05-01', '01/06/2049']);
  assert.equal(dayFirst, '2049-05-01');
  assert.match(String(told), /read day first; the other dates of the tape show that order.*"DD\/MM\/YYYY"/);
  assert.equal((await taken(['03/25/2023', '2023-05-01', '01/05/2049']))[0], '2049-01-05');
  assert.equal((await taken(['25/03/2023', '03/25/2023', '01/05/2049']))[0], '2049-01-05');
});

test('an order of day and month that was assumed is a finding with an example', async () => {
  const found = async (...values: string[]) =>
    (await column('Auto', 'Contract Date', 'origination_date', values)).tape.tape_findings.filter(
      ({ rule_id }) => rule_id === 'DATE_ORDER_ASSUMED',
    );
  const [assumed] = await found('01/02/2020');
  assert.match(assumed.message, /read month first; no value has a number above 12/);
  assert.deepEqual([assumed.actual, assumed.column, assumed.field], ['01/02/2020', 'Contract Date', 'origination_date']);
  const [timed] = await found('01/02/2020 10:30');
  assert.equal(timed.actual, '01/02/2020 10:30');
  const [conflict] = await found('31/01/2020', '30/01/2020', '01/31/2020');
  assert.match(conflict.message, /read day first; some values can only be day first and some only month first/);
  assert.deepEqual(await found('13/02/2020'), []);
  for (const [date, pattern] of [
    ['01/02/2020', 'DD/MM/YYYY'],
    ['01.02.20', 'DD.MM.YY'],
    ['1-2-2020 10:30', 'DD-MM-YYYY'],
    ['01022020', 'DDMMYYYY'],
  ]) {
    const [told] = await found(date);
    assert.ok(told.message.includes(`{"date": "${pattern}"} or`), told.message);
    const { values } = await column('Auto', 'Contract Date', 'origination_date', [date], { date: pattern });
    assert.deepEqual(values, ['2020-02-01'], pattern);
  }
});
