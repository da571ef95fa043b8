import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvLine } from '../generate/generate-tape.ts';
import { LOAN_TYPES } from '../types.ts';
import { openServicedPool } from './testing/serviced-pool.ts';

const csvOf = (table: readonly (readonly string[])[]): string => table.map(csvLine).join('');
const cents = (amount: string | null): number => Math.round(Number(amount) * 100);

for (const type of LOAN_TYPES) {
  test(`24 clean months of ${type} loans: no finding, and what the servicer did comes out to the cent`, async () => {
    await using pool = await openServicedPool(type, 120);
    let closing = cents(pool.pool.balance);
    for (let month = 1; month <= 24; month += 1) {
      const served = pool.loans.advance();
      const { figures, rolls, vintages, matched, strangers, findings } = await pool.take(pool.loans.csv());
      assert.deepEqual(findings, [], `month ${month}`);
      assert.equal(strangers, 0);
      assert.ok(matched >= served.count);
      assert.equal(cents(figures.opening), closing, 'a month opens with what the one before closed with');
      closing = cents(figures.closing);
      assert.equal(closing, served.closing);
      assert.equal(figures.count, served.count);
      assert.equal(cents(figures.defaulted), served.chargedOff);
      assert.equal(cents(figures.recovered), served.recovered);
      assert.equal(cents(figures.adjustment), served.grown);
      assert.equal(cents(figures.principal_collected), served.scheduled + served.prepaid);
      assert.equal(
        cents(figures.opening) - cents(figures.principal_collected) - cents(figures.defaulted) + cents(figures.adjustment),
        closing,
      );
      if (type !== 'Credit Card')
        assert.equal(cents(figures.scheduled) + cents(figures.prepaid), cents(figures.principal_collected));
      assert.equal(
        rolls.reduce((sum, { balance }) => sum + cents(balance), 0),
        cents(figures.opening),
      );
      assert.equal(
        vintages.reduce((sum, { closing: left }) => sum + cents(left), 0),
        closing,
      );
    }
  });
}

test('balances of cards in another unit than before are told, since no schedule tells what each should owe', async () => {
  await using pool = await openServicedPool('Credit Card', 120);
  pool.loans.advance();
  const sheet = new Sheet(pool.loans.table());
  const balance = sheet.headers.find((header) => /^current balance$/i.test(header)) ?? '';
  for (const row of sheet.rows) row[balance] = String(Math.round(Number(row[balance]?.replace(/[$,]/g, '')) * 100));
  const { findings } = await pool.take(sheet.csv);
  assert.deepEqual(
    findings.filter(({ rule_id }) => rule_id === 'BALANCES_UNLIKE_BEFORE'),
    [{ rule_id: 'BALANCES_UNLIKE_BEFORE', severity: 'WARNING', count: 1 }],
  );
});

const PAID_THROUGH = 'Interest Paid Through Date';
const MONTHS = 8;

/** An Auto pool after eight months, the table of its closing tape, and those of the eighth month and the ninth. */
async function nineMonths() {
  const pool = await openServicedPool('Auto', 800, 9);
  const closing = pool.loans.table();
  const dated = (table: string[][], day: string) => table.map((row, index) => [...row, index === 0 ? PAID_THROUGH : day]);
  let last: string[][] = closing;
  for (let month = 1; month <= MONTHS; month += 1) {
    pool.loans.advance();
    last = dated(pool.loans.table(), '02/01/2027');
    await pool.take(csvOf(last));
  }
  pool.loans.advance();
  return { pool, closing, last, table: dated(pool.loans.table(), '03/01/2027'), before: await pool.before() };
}

type Row = Record<string, string>;

/** A table whose cells are known by their headers. */
class Sheet {
  readonly headers: string[];
  rows: Row[];

  constructor([headers = [], ...rows]: readonly string[][]) {
    this.headers = [...headers];
    this.rows = rows.map((cells) => Object.fromEntries(headers.map((header, index) => [header, cells[index] ?? ''])));
  }

  row(id: string): Row {
    const found = this.rows.find((row) => row['Loan Number'] === id);
    assert.ok(found, id);
    return found;
  }

  get csv(): string {
    return csvOf([this.headers, ...this.rows.map((row) => this.headers.map((header) => row[header] ?? ''))]);
  }
}

const amountOf = (text = ''): number => Number(text.replace(/[$,]/g, ''));
const BALANCE = 'Current Principal Balance';

test('every kind of break in the loans of a month is found where it is, and nothing else', async () => {
  const { pool, closing, last, table, before } = await nineMonths();
  await using _pool = pool;
  const [first, eighth, ninth] = [new Sheet(closing), new Sheet(last), new Sheet(table)];
  const state = new Map(before.map((row) => [String(row.loan_id), String(row.month_state)]));
  const days = (row: Row): number => Number(row['Days Past Due']);
  const plain = ninth.rows
    .map((row) => row['Loan Number'] ?? '')
    .filter((id) => state.get(id) === 'CURRENT' && days(eighth.row(id)) === 0 && ninth.row(id)['Days Past Due'] === '0')
    // Far from their end, so that a schedule says what they owe.
    .filter((id) => Number(ninth.row(id)['Remaining Term (Months)']) > 12);
  const in_ = (...states: string[]) => [...state.keys()].filter((id) => states.includes(state.get(id) ?? ''));
  const absent = (ids: string[]) => ids.filter((id) => ninth.rows.every((row) => row['Loan Number'] !== id));
  const planted: string[] = [];
  const plant = (id: string, change: (row: Row) => void, ...rules: string[]) => {
    change(ninth.row(id));
    planted.push(...rules.map((rule) => `${id} ${rule}`));
  };
  const next = (): string => {
    const id = plain.shift();
    assert.ok(id);
    return id;
  };
  /** Puts a loan that has ended on the tape again, as it was at closing. */
  const bring = (id: string, change: (row: Row) => void, ...rules: string[]) => {
    ninth.rows.push({ ...first.row(id), 'As Of Date': ninth.rows[0]?.['As Of Date'] ?? '', [PAID_THROUGH]: '03/01/2027' });
    plant(id, change, ...rules);
  };
  const ended = (row: Row, code: string, amount = '') => {
    Object.assign(row, { [BALANCE]: '0', 'Days Past Due': '', 'Zero Balance Code': code, 'Charge-Off Amount': amount });
  };
  const vanished = next();
  ninth.rows = ninth.rows.filter((row) => row['Loan Number'] !== vanished);
  planted.push(`${vanished} LOAN_VANISHED`);
  plant(next(), (row) => void (row[BALANCE] = `${amountOf(row[BALANCE]) + 900}`), 'BALANCE_GREW');
  plant(next(), (row) => void (row[BALANCE] = (amountOf(row[BALANCE]) / 100).toFixed(2)), 'BALANCE_IN_OTHER_UNIT');
  plant(next(), (row) => void (row['Days Past Due'] = '95'), 'DELINQUENCY_JUMPED');
  const stuck = next();
  plant(stuck, (row) => void (row[BALANCE] = eighth.row(stuck)[BALANCE] ?? ''), 'BALANCE_UNCHANGED');
  plant(next(), (row) => void (row['Amount Financed'] = `${amountOf(row['Amount Financed']) + 1_000}`), 'IDENTITY_CHANGED');
  plant(next(), (row) => void (row['Model Year'] = `${Number(row['Model Year']) - 1}`), 'IDENTITY_CHANGED');
  const renamed = next();
  plant(renamed, (row) => void (row['Loan Number'] = 'AL-RENAMED'));
  planted.push('AL-RENAMED LOAN_RENAMED');
  const like = ninth.row(next());
  ninth.rows.push({ ...like, 'Loan Number': 'AL-STRANGER', 'Amount Financed': `${amountOf(like['Amount Financed']) + 7}` });
  planted.push('AL-STRANGER UNKNOWN_LOAN');
  plant(
    next(),
    (row) => void (row['Remaining Term (Months)'] = `${Number(row['Remaining Term (Months)']) + 3}`),
    'REMAINING_TERM_GREW',
  );
  plant(next(), (row) => void (row.APR = `${(Number(row.APR?.replace('%', '')) + 1).toFixed(2)}%`), 'RATE_CHANGED');
  plant(
    next(),
    (row) => void (row['Maturity Date'] = (row['Maturity Date'] ?? '').replace(/\d{4}$/, (year) => `${Number(year) + 1}`)),
    'MATURITY_MOVED',
  );
  plant(next(), (row) => void (row[PAID_THROUGH] = '01/15/2027'), 'PAID_THROUGH_BACK');
  plant(next(), (row) => void (row['Zero Balance Code'] = '1'), 'ENDED_WITH_BALANCE');
  plant(next(), (row) => ended(row, ''), 'ENDED_WITHOUT_REASON');
  plant(next(), (row) => Object.assign(row, { [BALANCE]: '-3.20', 'Zero Balance Code': '' }), 'BALANCE_BELOW_ZERO');
  plant(next(), (row) => Object.assign(row, { [BALANCE]: '-3.20', 'Zero Balance Code': '1' }));
  const early = next();
  plant(early, (row) => ended(row, '4', eighth.row(early)[BALANCE]), 'CHARGED_OFF_EARLY');
  plant(next(), (row) => ended(row, '4', `${amountOf(row[BALANCE]) + 600}`), 'CHARGED_OFF_EARLY', 'CHARGE_OFF_EXCEEDS_BALANCE');
  plant(next(), (row) => void (row['Recovered Amount'] = '12.50'), 'RECOVERY_WITHOUT_CHARGE_OFF');
  plant(next(), (row) => void (row['Days Past Due'] = ''), 'DELINQUENCY_MISSING', 'MISSING_VALUE');
  const [late = ''] = in_('60', '90', '120').filter((id) => days(ninth.row(id)) >= 60);
  plant(
    late,
    (row) => Object.assign(row, { 'Days Past Due': '0', [BALANCE]: eighth.row(late)[BALANCE] }),
    'CURE_WITHOUT_PAYMENT',
  );
  const [returned = ''] = absent(in_('PREPAID'));
  bring(returned, () => {}, 'LOAN_RETURNED');
  const [reversed = '', changed = '', excess = ''] = absent(in_('DEFAULTED'));
  bring(reversed, () => {}, 'CHARGE_OFF_REVERSED');
  bring(changed, (row) => ended(row, '4', '1.00'), 'CHARGE_OFF_CHANGED');
  bring(
    excess,
    (row) => Object.assign(row, { [BALANCE]: '0', 'Days Past Due': '', 'Zero Balance Code': '4', 'Recovered Amount': '99,000' }),
    'RECOVERY_EXCEEDS_CHARGE_OFF',
  );
  const twice = next();
  ninth.rows.push({ ...ninth.row(twice), [BALANCE]: '5.00' });
  planted.push(`${twice} LOAN_REPEATED`);
  const { issues, findings, figures } = await pool.take(ninth.csv, { keep: false });
  const found = (await issues())
    .filter(({ rule_id }) => !['DUPLICATE_LOAN_ID', 'DUPLICATE_LOAN_IDS'].includes(String(rule_id)))
    .map(({ rule_id, row_number, message }) => {
      const id = /^loan (\S+) /.exec(String(message))?.[1] ?? ninth.rows[Number(row_number) - 1]?.['Loan Number'];
      return `${id} ${rule_id}`;
    });
  assert.deepEqual(found.sort(), planted.sort());
  assert.ok(new Set(planted.map((each) => each.split(' ')[1])).size >= 22);
  assert.equal(
    findings.reduce((sum, { count }) => sum + count, 0),
    (await issues()).length,
  );
  const owed = cents(figures.opening) - cents(figures.principal_collected) - cents(figures.defaulted) + cents(figures.adjustment);
  assert.equal(cents(figures.closing), owed, 'whatever the tape says, the month adds up');
});

test('the tape of the month before is told from that of this month, by its date and by its balances', async () => {
  await using pool = await openServicedPool('Auto', 60);
  pool.loans.advance();
  const csv = pool.loans.csv();
  await pool.take(csv);
  const same = await pool.take(csv, { keep: false });
  assert.deepEqual(
    same.findings.filter(({ rule_id }) => rule_id.startsWith('TAPE_')).map(({ rule_id }) => rule_id),
    ['TAPE_DATE', 'TAPE_REPEATED'],
  );
  const redated = await pool.take(csv.replaceAll('07/30/2026', '08/30/2026'), { keep: false });
  assert.deepEqual(
    redated.findings.filter(({ rule_id }) => rule_id.startsWith('TAPE_')).map(({ rule_id }) => rule_id),
    ['TAPE_REPEATED'],
  );
});

test('a tape of a later month than that of its period is told by its date', async () => {
  await using pool = await openServicedPool('Auto', 60);
  pool.loans.advance();
  const dates = async (day: string) =>
    (await (await pool.take(pool.loans.csv().replaceAll('07/30/2026', day), { keep: false })).issues('TAPE_DATE')).map(
      ({ actual, expected }) => [actual, expected],
    );
  assert.deepEqual(await dates('08/29/2026'), []);
  assert.deepEqual(await dates('08/30/2026'), [['2026-08-30', 'before 2026-08-30']]);
});

test('loans that end without a reason are counted with those that are missing', async () => {
  await using pool = await openServicedPool('Auto', 60);
  pool.loans.advance();
  const usual = await pool.take(pool.loans.csv(), { keep: false });
  const with_ = async (balance: (amount: number) => string, code = '') => {
    const sheet = new Sheet(pool.loans.table());
    const owing = sheet.rows.filter((row) => !row['Zero Balance Code'] && Number(row['Remaining Term (Months)']) > 12);
    for (const row of owing.slice(0, 10))
      Object.assign(row, { [BALANCE]: balance(amountOf(row[BALANCE])), 'Zero Balance Code': code });
    return (await pool.take(sheet.csv, { keep: false })).unexplained - usual.unexplained;
  };
  assert.deepEqual(
    [await with_(() => '0'), await with_((amount) => String(-amount)), await with_(() => '0', '1'), await with_(() => '0', '3')],
    [10, 10, 0, 0],
  );
});

test('a month that has no tape is followed with the next one', async () => {
  await using pool = await openServicedPool('Personal', 80);
  pool.loans.advance();
  await pool.take(pool.loans.csv());
  const [second, third] = [pool.loans.advance(), pool.loans.advance()];
  const { figures, findings } = await pool.take(pool.loans.csv(), { months: 2 });
  assert.deepEqual(
    findings.filter(({ rule_id }) => rule_id !== 'LOAN_VANISHED'),
    [],
  );
  assert.equal(cents(figures.opening), second.opening);
  assert.equal(cents(figures.closing), third.closing);
});

test('a charge-off of a part counts the balance that is left as charged off, and says so', async () => {
  await using pool = await openServicedPool('Auto', 60);
  pool.loans.advance();
  await pool.take(pool.loans.csv());
  const owed = new Map((await pool.before()).map((row) => [String(row.loan_id), Number(row.current_balance)]));
  pool.loans.advance();
  const sheet = new Sheet(pool.loans.table());
  const usual = await pool.take(sheet.csv, { keep: false });
  const [part, repeated, deficiency] = sheet.rows.filter((row) => amountOf(row[BALANCE]) > 1_000 && !row['Zero Balance Code']);
  assert.ok(part && repeated && deficiency);
  const charge = (row: Row, charged: number, balance: number) =>
    Object.assign(row, { 'Zero Balance Code': '4', 'Charge-Off Amount': charged.toFixed(2), [BALANCE]: balance.toFixed(2) });
  const before = (row: Row): number => owed.get(row['Loan Number'] ?? '') ?? 0;
  const fell = [part, repeated, deficiency].reduce((sum, row) => sum + before(row) - amountOf(row[BALANCE]), 0);
  charge(part, 200, before(part) - 200);
  charge(repeated, before(repeated) - 50, before(repeated) - 50);
  charge(deficiency, 300, 300);
  const month = await pool.take(sheet.csv);
  const lost = before(part) + before(repeated) - 50 + 300;
  assert.equal(cents(month.figures.defaulted) - cents(usual.figures.defaulted), cents(String(lost)));
  const paid = 50 + before(deficiency) - 300;
  assert.equal(cents(month.figures.principal_collected) - cents(usual.figures.principal_collected), cents(String(paid - fell)));
  const told = await month.issues('CHARGED_OFF_IN_PART');
  assert.deepEqual(
    told.map(({ row_number, actual, expected }) => [sheet.rows[Number(row_number) - 1], Number(actual), Number(expected)]),
    [[part, 200, before(part)]],
  );
});

test('of loans that nothing tells apart, the one that has ended is not taken for the one that goes on', async () => {
  // A row that repeats another in everything is left out of a pool.
  const twice = (loans: { table(): string[][] }): string => {
    const sheet = new Sheet(loans.table());
    const [twin] = sheet.rows;
    sheet.rows.unshift({ ...twin, [BALANCE]: `${amountOf(twin?.[BALANCE]) - 10}` });
    return sheet.csv;
  };
  await using pool = await openServicedPool('Auto', 60, 5, twice);
  const [first] = new Sheet(pool.loans.table()).rows;
  const id = first?.['Loan Number'] ?? '';
  pool.loans.advance();
  const sheet = new Sheet(pool.loans.table());
  const lives = { ...sheet.row(id) };
  Object.assign(sheet.row(id), { [BALANCE]: '0', 'Days Past Due': '', 'Zero Balance Code': '1' });
  sheet.rows.splice(1, 0, lives);
  const one = await pool.take(sheet.csv);
  assert.equal(one.matched, 61);
  pool.loans.advance();
  const two = await pool.take(pool.loans.csv());
  assert.equal(two.figures.opening, one.figures.closing);
  assert.equal(two.figures.adjustment, '0.00');
  assert.deepEqual(
    two.findings.filter(({ rule_id }) => /^LOAN_|REVERSED/.test(rule_id)),
    [],
  );
});

for (const type of LOAN_TYPES) {
  test(`a ${type} loan whose balance the tape leaves out goes on owing what it owed, and is named`, async () => {
    await using pool = await openServicedPool(type, 40);
    const owed = new Map((await pool.before()).map((row) => [String(row.loan_id), Number(row.current_balance)]));
    pool.loans.advance();
    const table = pool.loans.table();
    const usual = await pool.take(csvOf(table), { keep: false });
    const rows = await usual.after(`WHERE month_state = 'CURRENT' AND current_balance > 500`);
    const [{ loan_id = '', current_balance: now = 0 } = {}] = rows;
    const place = usual.tape.mapping.mappings.findIndex(({ target }) => target === 'current_balance');
    const row = table.find((cells) => cells.includes(String(loan_id)));
    assert.ok(row && place >= 0);
    row[place] = '';
    const month = await pool.take(csvOf(table));
    const carried = (owed.get(String(loan_id)) ?? 0) - Number(now);
    assert.equal(cents(month.figures.closing) - cents(usual.figures.closing), cents(String(carried)));
    assert.equal(month.figures.count, usual.figures.count);
    assert.deepEqual(
      (await month.issues('BALANCE_MISSING')).map(({ row_number }) => table[Number(row_number)]),
      [row],
    );
  });
}

for (const [type, seed] of [
  ['Auto', 3],
  ['Mortgage', 8],
] as const) {
  test(`${type} loans of tapes without ids are found again by their origination, not by their rows`, async () => {
    const withoutIds = (loans: { table(): string[][] }) => csvOf(loans.table().map((row) => row.slice(1)));
    await using pool = await openServicedPool(type, 120, seed, withoutIds);
    for (let month = 1; month <= 4; month += 1) {
      const served = pool.loans.advance();
      const { figures, strangers, findings } = await pool.take(withoutIds(pool.loans));
      assert.equal(strangers, 0);
      assert.deepEqual(
        findings.filter(({ rule_id }) => rule_id !== 'MISSING_REQUIRED_FIELD'),
        [],
      );
      assert.deepEqual([cents(figures.closing), cents(figures.adjustment)], [served.closing, 0]);
      assert.equal(cents(figures.principal_collected), served.scheduled + served.prepaid);
    }
  });
}
