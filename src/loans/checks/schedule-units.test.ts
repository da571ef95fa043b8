import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openRoom } from '../testing/take-tape.ts';
import type { LoanType } from '../types.ts';

let room: Awaited<ReturnType<typeof openRoom>>;
before(async () => {
  room = await openRoom();
});
after(() => room[Symbol.asyncDispose]());

type Loan = { id: string; amount: number; left: number; rate: number; term: number; payment: number; late: number };

/** Level payment: B · r / (1 − (1 + r)^−n). */
const levelOf = (amount: number, rate: number, term: number) => (amount * (rate / 1200)) / (1 - (1 + rate / 1200) ** -term);

/** Loans whose payments follow from amount, rate and term. */
const LOANS = Array.from({ length: 30 }, (_, at): Loan => {
  const [amount, rate, term] = [15_000 + 1_234 * at, 4 + (at % 9), [36, 48, 60, 72][at % 4] ?? 36];
  const payment = levelOf(amount, rate, term);
  return { id: `L${at}`, amount, left: amount - 1_111, rate, term, payment, late: at % 3 === 0 ? 7 * at : 0 };
});

const COLUMNS: Record<string, keyof Loan> = {
  'Loan ID': 'id',
  'Original Balance': 'amount',
  'Current Balance': 'left',
  'Interest Rate': 'rate',
  'Original Term': 'term',
  'Scheduled Payment': 'payment',
  'Days Past Due': 'late',
};

function csvOf(loans: readonly Loan[], names = Object.keys(COLUMNS)): string {
  const cell = (value: string | number) => (typeof value === 'number' ? value.toFixed(4) : value);
  const rows = loans.map((loan) => names.map((name) => cell(loan[COLUMNS[name] ?? 'id'])).join(','));
  return [names.join(','), ...rows].join('\n');
}

async function take(loans: readonly Loan[], loanType: LoanType = 'Auto', names?: string[]) {
  const tape = await room.take({ loanType, csv: csvOf(loans, names) });
  const suspected = tape.tape_findings.filter(({ rule_id }) => rule_id === 'SCALE_SUSPECTED');
  return { tape, suspected, columns: suspected.map(({ column }) => column) };
}

const changed = (change: (loan: Loan) => Partial<Loan>) => LOANS.map((loan) => ({ ...loan, ...change(loan) }));

test('a column in another unit than its payments show is told, and read right as the finding says', async () => {
  const fields =
    'round(original_balance, 1) AS a, round(interest_rate, 3) AS r, original_term_months AS t, round(scheduled_payment, 1) AS p';
  const right = await take(LOANS);
  assert.deepEqual(right.columns, []);
  const expected = await right.tape.loans(fields);
  const others: [string, (loan: Loan) => Partial<Loan>][] = [
    ['Original Balance', ({ amount }) => ({ amount: amount * 100, left: amount })],
    ['Interest Rate', ({ rate }) => ({ rate: rate / 12 })],
    ['Interest Rate', ({ rate }) => ({ rate: rate * 100 })],
    ['Original Term', ({ term }) => ({ term: term / 12 })],
    ['Scheduled Payment', ({ payment }) => ({ payment: payment * 100 })],
    ['Scheduled Payment', ({ payment }) => ({ payment: (payment * 12) / 52 })],
    ['Scheduled Payment', ({ payment }) => ({ payment: (payment * 12) / 26 })],
    ['Scheduled Payment', ({ payment }) => ({ payment: payment / 2 })],
    ['Scheduled Payment', ({ payment }) => ({ payment: payment * 3 })],
    ['Scheduled Payment', ({ payment }) => ({ payment: payment * 12 })],
  ];
  for (const [column, change] of others) {
    const { tape, suspected, columns } = await take(changed(change));
    assert.deepEqual(columns, [column], String(change));
    const transform = JSON.parse(/Set (\{.*?\})/.exec(suspected[0].message)?.[1] ?? '{}') as object;
    const mended = await tape.remap([{ source: column, target: suspected[0].field ?? '', transform }]);
    assert.deepEqual(
      await room.engine.rows(`SELECT ${fields} FROM read_parquet('${mended.files.loans}')`),
      expected,
      String(change),
    );
    assert.equal(
      mended.tape_findings.some(({ rule_id }) => rule_id === 'SCALE_SUSPECTED'),
      false,
      String(change),
    );
  }
});

test('rates of a month are told where they are too high for fractions', async () => {
  const dear = changed(({ amount, rate, term }) => ({ rate: (rate + 26) / 12, payment: levelOf(amount, rate + 26, term) }));
  assert.deepEqual((await take(dear)).columns, ['Interest Rate']);
});

test('payments of other loans than level ones say nothing of a unit', async () => {
  const more = (factor: number) => changed(({ payment }) => ({ payment: payment * factor }));
  assert.deepEqual((await take(more(1.3))).columns, [], 'with insurance');
  assert.deepEqual((await take(more(0.7))).columns, [], 'with a balloon');
  assert.deepEqual(
    (await take(changed(({ amount, rate }) => ({ payment: (amount * rate) / 1200 })))).columns,
    [],
    'interest only',
  );
  assert.deepEqual((await take([...more(0.5).slice(0, 20), ...LOANS.slice(20)])).columns, [], 'some loans');
  assert.deepEqual((await take(more(0.5).slice(0, 9))).columns, [], 'too few loans');
});

test('amounts and balances of a whole tape that can only be cents are told', async () => {
  const cents = changed(({ amount, left }) => ({ amount: amount * 100, left: left * 100 }));
  const [id, original, current] = ['Loan ID', 'Original Balance', 'Current Balance'];
  assert.deepEqual((await take(cents, 'Auto', [id, original, current])).columns, [original, current]);
  assert.deepEqual((await take(cents, 'Student', [id, current])).columns, [current]);
  assert.deepEqual((await take(LOANS, 'Auto', [id, original, current])).columns, []);
  const ofBalance = changed(({ left }) => ({ left: left * 100 }));
  for (const loanType of ['Student', 'Mortgage', 'Business'] as const)
    assert.deepEqual((await take(ofBalance, loanType, [id, original, current])).columns, [current], loanType);
  const yen = csvOf(cents, [id, original, current]).replace(/$/gm, ',JPY').replace(',JPY', ',Currency');
  const foreign = await room.take({ loanType: 'Auto', csv: yen });
  assert.deepEqual(
    foreign.tape_findings.filter(({ rule_id }) => rule_id === 'SCALE_SUSPECTED'),
    [],
    'in another currency, which is told',
  );
  const grown = changed(({ left }) => ({ left: left * 3 }));
  assert.deepEqual((await take(grown, 'Student', [id, original, current])).columns, [], 'with its interest');
});

test('months past due in a column of days are told, and days are not', async () => {
  const told = async (days: (at: number) => number) =>
    (await take(LOANS.map((loan, at) => ({ ...loan, late: days(at) })))).columns;
  const months = [0, 1, 0, 2, 1, 0, 1, 3, 1, 0];
  assert.deepEqual(await told((at) => months[at % 10] ?? 0), ['Days Past Due']);
  assert.deepEqual(await told((at) => (months[at % 10] ?? 0) * 30), []);
  assert.deepEqual(await told((at) => at % 11), [], 'loans a few days late');
  assert.deepEqual(await told((at) => (at % 2) * 3), [], 'loans that are due on one day');
  assert.deepEqual(await told((at) => at % 2), [], 'a flag, or one day');
  assert.deepEqual(await told((at) => (at < 4 ? (months[at] ?? 0) : 0)), [], 'a few loans');
});

test('days past due that most likely stand for nothing are told, and days are not', async () => {
  const told = async (days: number) => {
    const { tape } = await take(LOANS.map((loan, at) => ({ ...loan, late: at % 9 === 0 ? days : at })));
    return tape.tape_findings.flatMap(({ rule_id, actual }) => (rule_id === 'SENTINEL_SUSPECTED' ? [actual] : []));
  };
  assert.deepEqual(await told(999), ['4 × 999.0000']);
  assert.deepEqual(await told(120), []);
});
