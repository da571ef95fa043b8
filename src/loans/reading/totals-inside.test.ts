import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Row } from './row.ts';
import { read, tableOf } from './testing/read-for-test.ts';

const HEADER = 'loan_id,Original Balance,Current Balance,Interest Rate,Original Term';

/** A loan of its own amounts: no two of them are equal, and no sum of them is one of them. */
function loan(n: number): string {
  return `L${n},${1_000 + n * n},${900 + n * n * 0.5},${5 + n / 10},36`;
}

const loans = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => loan(from + index));

/** The line that sums up loans, with averages of what has no sum. */
function sumOf(label: string, rows: readonly string[]): string {
  const [original, current] = [1, 2].map((at) => rows.reduce((sum, row) => sum + Number(row.split(',')[at]), 0));
  return `${label},${original},${current},5.5,36`;
}

/** Loans that are read, and the lines that are reported as totals. */
async function readOf(rows: readonly string[], header = HEADER) {
  const { table, rows: read } = await tableOf([header, ...rows].join('\n'));
  const totals = table.notices.filter(({ code }) => code === 'TOTALS_ROW').map(({ line }) => line);
  return { ids: read.map(([id]) => id), count: table.rowCount, totals };
}

test('a full line under the loans that a word of a sum begins is no loan where it is their sum', async () => {
  for (const label of ['Sum', 'SUM:', 'Subtotal A', 'Portfolio', 'Overall', 'Total for the pool', 'Aggregate']) {
    const read = await readOf([...loans(1, 20), sumOf(label, loans(1, 20))]);
    assert.deepEqual([read.count, read.totals], [20, [22]], label);
  }
  const one = await readOf([loan(1), sumOf('Sum', [loan(1)])]);
  assert.deepEqual([one.count, one.totals], [1, [3]]);
});

test('the word alone makes no full line one of totals', async () => {
  for (const label of ['Sum', 'Subtotal A', 'Portfolio', 'Pool 7']) {
    const read = await readOf([...loans(1, 20), `${label},1000,900,5.5,36`]);
    assert.deepEqual([read.count, read.totals], [21, []], label);
  }
});

const DATED = 'loan_id,Origination Date,State,Original Balance,Current Balance,Interest Rate';
const dated = (n: number) => `L${n},2024-03-${10 + n},TX,${1_000 + n * n},${900 + n * n * 0.5},${5 + n / 10}`;
const datedLoans = Array.from({ length: 12 }, (_, index) => dated(index + 1));

test('a full line that begins with the word of an average and lacks the words and dates of loans is no loan', async () => {
  const figures = ',,,1054,927,5.65';
  for (const label of [
    'Average',
    'AVG:',
    'Wtd. Avg.',
    'Weighted Average',
    'WAVG',
    'Median',
    'Mean',
    'Std. Dev.',
    'Durchschnitt',
    'Moyenne',
  ])
    for (const rows of [
      [...datedLoans, label + figures],
      [label + figures, ...datedLoans],
    ]) {
      const read = await readOf(rows, DATED);
      assert.deepEqual([read.count, read.totals.length], [12, 1], label);
    }
  const least = await readOf([...datedLoans, 'Min,2024-03-11,,1001,900.5,5.1', 'Max,2024-03-22,,1144,972,6.2'], DATED);
  assert.deepEqual([least.count, least.totals], [12, [14, 15]]);
  const numeric = await readOf([...loans(1, 20), 'Average,1143.5,971.75,6.05,36']);
  assert.deepEqual([numeric.count, numeric.totals], [20, [22]]);
});

test('a loan may begin with the word of an average', async () => {
  const named = [...datedLoans, 'Max,2024-04-01,TX,1000,900,5'];
  assert.deepEqual((await readOf(named, DATED)).count, 13);
  const graded = datedLoans.map((row, at) => row.replace(/^L\d+/, at % 2 === 0 ? 'Average' : 'Good'));
  const sparse = graded.map((row, at) => (at === 4 ? row.replace(',TX,', ',,') : row));
  assert.deepEqual(await readOf(sparse, DATED.replace('loan_id', 'Grade')).then(({ count, totals }) => [count, totals]), [
    12,
    [],
  ]);
  const placed = datedLoans.map((row) => row.replace(/,(2024[^,]*),TX,/, ',TX,$1,Retail,'));
  const unnamed = [...placed, ',WA,2024-04-01,,1000,900,5'];
  const { count } = await readOf(
    unnamed,
    'loan_id,State,Origination Date,Channel,Original Balance,Current Balance,Interest Rate',
  );
  assert.equal(count, 13);
  const least = await readOf([...loans(1, 20), 'Max,1000,900,5.5,36']);
  assert.deepEqual([least.count, least.totals], [21, []]);
});

test('subtotals between loans are no loans, with a word or with a blank id', async () => {
  for (const label of ['', 'Subtotal A', 'Sum']) {
    const groups = [loans(1, 5), loans(6, 9), loans(10, 20)];
    const rows = groups.flatMap((group) => [...group, sumOf(label, group)]);
    const read = await readOf([...rows, sumOf(label, loans(1, 20))]);
    assert.deepEqual([read.count, read.totals, read.ids.includes('')], [20, [7, 12, 24, 25], false], label);
  }
});

test('the subtotals of small groups are told by those of the larger ones, and by the sum of all', async () => {
  const groups = [loans(1, 2), loans(3, 3), loans(4, 9), loans(10, 10), loans(11, 12)];
  const rows = groups.flatMap((group) => [...group, sumOf('', group)]);
  assert.deepEqual(await readOf(rows), {
    ids: loans(1, 12).map((row) => row.split(',')[0]),
    count: 12,
    totals: [4, 6, 13, 15, 18],
  });
  const small = [loans(1, 2), loans(3, 4)].flatMap((group) => [...group, sumOf('', group)]);
  const whole = await readOf([...small, sumOf('', loans(1, 4))]);
  assert.deepEqual([whole.count, whole.totals], [4, [4, 7, 8]]);
});

test('an unlabelled subtotal above an unlabelled sum of all is no loan', async () => {
  const rows = [
    ...loans(1, 6),
    sumOf('Subtotal', loans(1, 6)),
    ...loans(7, 12),
    sumOf('', loans(7, 12)),
    sumOf('', loans(1, 12)),
  ];
  const read = await readOf(rows);
  assert.deepEqual([read.count, read.totals], [12, [8, 15, 16]]);
});

test('a loan without an id stays a loan, whatever the loans above it add up to', async () => {
  const header = 'loan_id,State,Origination Date,Original Balance,Current Balance';
  const row = (id: string, original: number) => `${id},NY,2024-05-01,${original},${original * 0.9}`;
  const others = (from: number) => Array.from({ length: 20 }, (_, index) => row(`M${from + index}`, 7_001 + index * 13));
  for (const above of [[100, 200], [100, 200, 300], [50, 50], [100], [0, 0, 100], [1, 2, 3, 4, 5, 6]]) {
    const sum = above.reduce((all, one) => all + one, 0);
    const first = above.map((amount, index) => row(`L${index}`, amount));
    const read = await readOf([...first, row('', sum), ...others(0)], header);
    assert.deepEqual([read.count, read.totals], [above.length + 21, []], String(above));
  }
});

test('on a tape of numbers alone a blank id is not enough where few loans are above it', async () => {
  for (const above of [
    [loan(1)],
    [loan(1), loan(2)],
    ['L1,500,400,5,36', 'L2,500,400,5,36'],
    ['L1,0,0,5,36', 'L2,500,400,5,36'],
  ]) {
    const read = await readOf([...above, sumOf('', above), ...loans(30, 60)]);
    assert.deepEqual([read.count, read.totals], [above.length + 32, []]);
  }
});

test('loans without ids among subtotals stay loans and are summed up with the others', async () => {
  const group = [loan(1), loan(2).replace('L2', ''), loan(3), loan(4)];
  const read = await readOf([...group, sumOf('', group), ...loans(5, 20), sumOf('', loans(5, 20))]);
  assert.deepEqual([read.count, read.totals], [20, [6, 23]]);
});

test('a word of a sum with which most loans begin is no sign of a total', async () => {
  const rows = Array.from({ length: 20 }, (_, index) => `Portfolio,L${index},${index < 2 ? 500 : 1_000},36`);
  const read = await readOf(rows, 'book,loan_id,balance,term');
  assert.deepEqual([read.count, read.totals], [20, []]);
});

test('a loan of a portfolio is no total where the first column names portfolios and no loans', async () => {
  const numbers = await readOf(
    [
      'Retail,70001,500,36',
      'Portfolio,70002,90000,36',
      'Retail,70003,90000,36',
      'Retail,70004,800,36',
      'Portfolio,70005,181300,36',
    ],
    'channel,loan_id,balance,term',
  );
  assert.deepEqual([numbers.count, numbers.totals], [5, []]);
  const texts = await readOf(
    ['Retail,L1,500,36', 'Portfolio,L2,500,36', 'Wholesale,L3,700,36', 'Overall,L4,1700,36', 'Direct,L5,900,36'],
    'channel,loan_id,balance,term',
  );
  assert.deepEqual([texts.count, texts.totals], [5, []]);
});

test('a loan with an id that lacks most values stays a loan', async () => {
  const read = await readOf([...loans(1, 5), 'X,,4727.5,,', ...loans(6, 20)]);
  assert.deepEqual([read.count, read.totals], [21, []]);
});

test('a loan without an id that is like the only one above it stays a loan, whatever other totals there are', async () => {
  const group = loans(1, 6);
  const rows = [...group, sumOf('Sum', group), 'L7,10000,9000,5,36', ',10000,9000,5,36', loan(8), loan(9)];
  const { count, totals } = await readOf(rows);
  assert.deepEqual([count, totals], [10, [8]]);
});

/** A line of sums with nothing else, off by `off` in its first amount. */
function sparseSum(label: string, rows: readonly string[], off = 0): string {
  const [original, current] = [1, 2].map((at) => rows.reduce((sum, row) => sum + Number(row.split(',')[at]), 0));
  return `${label},,,${original + off},${current},,,,`;
}

const WIDE_HEADER = 'loan_id,State,Origination Date,Original Balance,Current Balance,Interest Rate,Original Term,Score,Product';
const wideLoan = (row: string) => {
  const [id, original, current, rate, term] = row.split(',');
  return `${id},NY,2024-05-01,${original},${current},${rate},${term},700,NEW`;
};

/** What is read of two groups with their subtotals and the sum of all, on a tape of nine columns. */
async function readOfGroups(label: string, { off = 0, last = 'Total' } = {}) {
  const groups = [loans(1, 5), loans(6, 12)];
  const rows = groups.flatMap((group) => [...group.map(wideLoan), sparseSum(label, group, off)]);
  const { table } = await tableOf([WIDE_HEADER, ...rows, sparseSum(last, loans(1, 12), off)].join('\n'));
  const lines = (code: string) => table.notices.filter((notice) => notice.code === code).map(({ line }) => line);
  return { count: table.rowCount, totals: lines('TOTALS_ROW'), suspected: lines('TOTALS_ROW_SUSPECTED') };
}

test('a subtotal that is mostly empty is no loan, whatever language its word is of', async () => {
  for (const label of [
    'Zwischensumme',
    'Sous-total',
    'Totale parziale',
    'Subtotal TX',
    'Subtotaal',
    'Suma',
    'Mezisoučet',
    'Soma',
    '* Total A',
  ])
    assert.deepEqual(await readOfGroups(label), { count: 12, totals: [7, 15, 16], suspected: [] }, label);
});

test('the subtotals of a spreadsheet, which have the name of the group first, are no loans', async () => {
  for (const label of ['TX Total', '2019 Total', 'State 7 Totals', 'New cars - subtotal', 'TX Ergebnis', 'Ford Total / Wtd Avg'])
    assert.deepEqual(await readOfGroups(label), { count: 12, totals: [7, 15, 16], suspected: [] }, label);
  const groups = [loans(1, 5), loans(6, 9), loans(10, 20)];
  const rows = groups.flatMap((group) => [...group, sumOf('2019 Total', group)]);
  const full = await readOf([...rows, sumOf('Grand Total', loans(1, 20))]);
  assert.deepEqual([full.count, full.totals], [20, [7, 12, 24, 25]]);
});

test('the averages and counts of groups that a spreadsheet puts between loans are no loans', async () => {
  const row = (label: string, at: number) =>
    WIDE_HEADER.split(',')
      .map((_, column) => (column === at ? label : column === 4 ? '950' : ''))
      .join(',');
  for (const figure of [row('TX Average', 0), row('TX Average', 1), row('2019 Count', 0), row('NY Mittelwert', 8)]) {
    const read = await readOf([...loans(1, 6).map(wideLoan), figure, ...loans(7, 12).map(wideLoan)], WIDE_HEADER);
    assert.deepEqual([read.count, read.totals], [12, [8]], figure);
  }
  const named = [...loans(1, 6).map(wideLoan), 'L7,TX Count,2024-05-01,,950,,,,', ...loans(8, 12).map(wideLoan)];
  assert.equal((await readOf(named, WIDE_HEADER)).count, 12);
});

test('a row without an id above all loans is none where it is their sum', async () => {
  const top = [sumOf('', loans(1, 20)), ...loans(1, 20)];
  assert.deepEqual(await readOf(top).then(({ count, totals }) => [count, totals]), [20, [2]]);
  const sparse = [sparseSum('', loans(1, 20)), ...loans(1, 20).map(wideLoan)];
  assert.deepEqual(await readOf(sparse, WIDE_HEADER).then(({ count, totals }) => [count, totals]), [20, [2]]);
  const both = [sumOf('', loans(1, 20)), ...loans(1, 20), sumOf('Total', loans(1, 20))];
  assert.deepEqual(await readOf(both).then(({ count, totals }) => [count, totals]), [20, [2, 23]]);
  const { table } = await tableOf([HEADER, ...top].join('\n'));
  assert.match(table.notices[0].message, /the sums of the loans below it/);
});

test('a first loan without an id stays a loan, and is summed up with the others', async () => {
  const unnamed = loan(1).replace('L1', '');
  assert.equal((await readOf([unnamed, ...loans(2, 20)])).count, 20);
  const groups = [loans(1, 5), loans(6, 12)];
  const rows = groups.flatMap((group) => [...group, sumOf('', group)]).map((row) => (row === loan(1) ? unnamed : row));
  assert.deepEqual(await readOf(rows).then(({ count, totals }) => [count, totals]), [12, [7, 15]]);
});

test('figures of another table under the loans, which count as loans, are told', async () => {
  const figures = ['Pool reserve,,,4000,3000,,,,', 'New,,,2000,1500,,,,', 'Five largest loans,,,,7000,,,,'];
  const rows = [...loans(1, 12).map(wideLoan), ...figures];
  const { table } = await tableOf([WIDE_HEADER, ...rows].join('\n'));
  const told = table.notices.filter(({ code }) => code === 'TOTALS_ROW_SUSPECTED');
  assert.deepEqual([table.rowCount, told.map(({ line }) => line)], [15, [14, 15, 16]]);
  assert.match(told[0].message, /nothing but words and amounts, which are not the sums/);
});

test('a borrower that is named like a subtotal stays a loan where it sums up nothing', async () => {
  const rows = [...loans(1, 5), 'Capital Total,1000,900,5,36', ...loans(6, 20)];
  const { count, totals } = await readOf(rows);
  assert.deepEqual([count, totals], [21, []]);
});

test('a subtotal of amounts alone may be a unit off, as rounded ones are', async () => {
  for (const [label, last] of [
    ['Subtotal TX', 'Total portfolio'],
    ['Zwischensumme', 'Gesamtsumme'],
    ['Sous-total', 'Totale complessivo'],
  ]) {
    const read = await readOfGroups(label, { off: 1, last });
    assert.deepEqual(read, { count: 12, totals: [7, 15, 16], suspected: [] }, label);
  }
});

test('a line that calls itself a total and does not fit stays a row, which is told', async () => {
  const read = await readOfGroups('Zwischensumme', { off: 40, last: 'Gesamtsumme' });
  assert.deepEqual(read, { count: 15, totals: [], suspected: [7, 15, 16] });
});

test('a sparse loan with an id of its own stays a loan, also where its amounts are those of the loans above it', async () => {
  for (const [id, amounts] of [
    ['L99', [5_055, 4_527.5]],
    ['99', [5_055, 4_527.5]],
    ['Smith', [5_056, 4_527.5]],
    ['Smith', [5_055, 0]],
  ] as const) {
    const rows = [...loans(1, 5).map(wideLoan), `${id},,,${amounts.join(',')},,,,`, ...loans(6, 9).map(wideLoan)];
    const { table } = await tableOf([WIDE_HEADER, ...rows].join('\n'));
    assert.deepEqual([table.rowCount, table.notices.map(({ code }) => code)], [10, []], `${id} ${amounts.join(' ')}`);
  }
});

/** Rows that are read, and the lines that are told as sums and counted as loans, with their largest amount. */
async function toldOf(header: string, rows: readonly string[]) {
  const { table } = await tableOf([header, ...rows].join('\n'));
  const told = table.notices.filter(({ code }) => code === 'TOTALS_ROW_SUSPECTED');
  const rowsOfLines = told.map(({ line = 0, row_number = 0 }) => line - row_number);
  assert.deepEqual(
    rowsOfLines,
    told.map(() => 1),
    'each with the number that it has as a loan',
  );
  return { count: table.rowCount, told: told.map(({ line }) => line), amounts: told.map(({ actual }) => actual) };
}

test('a row without an id that sums up the few loans above it, and is counted as a loan, is told', async () => {
  const groups = [loans(1, 2), loans(3, 4), loans(5, 6)];
  const rows = groups.flatMap((group) => [...group, sumOf('', group)]);
  const full = await toldOf(HEADER, rows);
  assert.deepEqual(full, { count: 9, told: [4, 7, 10], amounts: ['2005', '2025', '2061'] });
  const sparse = groups.flatMap((group) => [...group.map(wideLoan), sparseSum('', group)]);
  assert.deepEqual((await toldOf(WIDE_HEADER, sparse)).told, [4, 7, 10]);
});

test('the sum of a group that has its name, or all that loans have but an id, is told', async () => {
  const groups = [loans(1, 5), loans(6, 9), loans(10, 14)];
  for (const label of ['Texas', 'NY', '2021 vintage', 'TX (5 loans)']) {
    const named = groups.flatMap((group) => [...group.map(wideLoan), sparseSum(label, group)]);
    assert.deepEqual((await toldOf(WIDE_HEADER, named)).told, [7, 12, 18], label);
  }
  const like = groups.flatMap((group) => [...group.map(wideLoan), wideLoan(sumOf('', group))]);
  assert.deepEqual((await toldOf(WIDE_HEADER, like)).told, [7, 12, 18]);
});

test('beside totals that are left out, a sum that stays a loan is told too', async () => {
  const group = loans(1, 6);
  const rows = [...group, sparseSum('Total', group), ...loans(7, 9), sparseSum('NY', loans(7, 9)), ...loans(10, 12)];
  const { table } = await tableOf([WIDE_HEADER, ...rows.map((row) => (row.includes(',,') ? row : wideLoan(row)))].join('\n'));
  const lines = (code: string) => table.notices.filter((notice) => notice.code === code).map(({ line }) => line);
  assert.deepEqual([table.rowCount, lines('TOTALS_ROW'), lines('TOTALS_ROW_SUSPECTED')], [13, [8], [12]]);
});

test('what has an id, or is no sum, is not told', async () => {
  const last = loans(8, 20).map(wideLoan);
  const group = loans(1, 5);
  for (const row of [
    sparseSum('L77', group),
    sparseSum('00042', group),
    sparseSum('NY', group, 5),
    wideLoan(loan(7).replace('L7', '')),
    wideLoan(loan(5).replace('L5', '')),
  ]) {
    const { count, told } = await toldOf(WIDE_HEADER, [...group.map(wideLoan), row, ...last]);
    assert.deepEqual([count, told], [19, []], row);
  }
});

const EUROPEAN = 'loan_id;Original Balance;Current Balance;Interest Rate;Original Term';
const european = (n: number) => `L${n};${20_000 + n * 100},50;${15_000 + n * 91},25;5,5;36`;
const europeanLoans = Array.from({ length: 10 }, (_, index) => european(index + 1));

test('sums that are written with a decimal comma are sums', async () => {
  const written = [
    ';205.505,00;155.007,50;;',
    ';205505,00;155007,5;;',
    'Summe;205.505,00 €;155.007,50 €;;',
    'Summe;205 505,00;155 007,50;5,5;36',
    "Gesamt;205'505,00;155'007,50;;",
  ];
  for (const foot of written) {
    const read = await readOf([...europeanLoans, foot], EUROPEAN);
    assert.deepEqual([read.count, read.totals], [10, [12]], foot);
  }
  const between = await readOf(
    [...europeanLoans.slice(0, 4), 'Summe;81.002,00;60.911,00;;', ...europeanLoans.slice(4)],
    EUROPEAN,
  );
  assert.deepEqual([between.count, between.totals], [10, [6]]);
});

test('whole amounts under the loans are their sums where they are the sums rounded', async () => {
  const cents = (n: number) => `L${n},${20_000 + n * 100}.49,${15_000 + n * 91}.25,5.5,36`;
  const some = [1, 2, 3, 4, 5].map(cents);
  for (const foot of [',101502,76366,,', ',"101,502","76,366",,']) {
    const read = await readOf([...some, foot]);
    assert.deepEqual([read.count, read.totals], [5, [7]], foot);
  }
});

test('a row of amounts alone, without an id, that is not the sum of the loans above it is told', async () => {
  const suspected = async (foot: string) => {
    const { table } = await tableOf([HEADER, ...loans(1, 10), foot].join('\n'));
    return [table.rowCount, table.notices.filter(({ code }) => code === 'TOTALS_ROW_SUSPECTED').map(({ line }) => line)];
  };
  assert.deepEqual(await suspected(',20385,11000,,'), [11, [12]]);
  assert.deepEqual(await suspected('L11,20385,11000,,'), [11, []], 'it has an id');
  assert.deepEqual(await suspected(',20385,,TX,'), [11, []], 'it has a word');
});

test('a line that begins with the number of loans is no loan where it has their sums', async () => {
  const totals = sumOf('10', loans(1, 10));
  const read = await readOf([...loans(1, 10), totals]);
  assert.deepEqual([read.count, read.totals], [10, [12]]);
  const other = await readOf([...loans(1, 10), sumOf('11', loans(1, 10))]);
  assert.deepEqual([other.count, other.totals], [11, []]);
  const counted = Array.from({ length: 120 }, (_, index) => `${index}${loan(index + 1).slice(loan(index + 1).indexOf(','))}`);
  const all = await readOf(counted);
  assert.deepEqual([all.ids.slice(1), all.totals], [counted.slice(1).map((row) => row.split(',')[0]), []], 'ids from 0 on');
});

test('rows that may be totals are compared with the loans by their bytes, not by the texts of each', async (context) => {
  const rest = (n: number) => dated(10 + (n % 20)).replace(/^L\d+/, '');
  const numbered = Array.from({ length: 3_000 }, (_, n) => `L${n}${rest(n)}`);
  const withoutIds = numbered.map((row, n) => (n % 3 === 0 ? rest(n) : row));
  const notes = numbered.map((row, n) => (n % 3 === 0 ? ',,,100,,' : row));
  const texts = context.mock.method(Row.prototype, 'text');
  for (const rows of [withoutIds, notes, [...numbered, ',,,7,8,']]) {
    texts.mock.resetCalls();
    const outcome = await read([DATED, ...rows].join('\n'));
    assert.ok(outcome.ok);
    assert.equal(outcome.table.rowCount, rows.length);
    // The header is found by the texts of the first rows.
    assert.ok(texts.mock.callCount() < 3_000, `${texts.mock.callCount()} texts`);
  }
});
