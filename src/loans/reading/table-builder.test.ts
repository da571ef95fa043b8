import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CsvScanner } from './csv-scanner.ts';
import { type ReadLimits, tapeLimits } from './raw-table.ts';
import { Row } from './row.ts';
import { type BuilderOptions, type RowSink, TableBuilder } from './table-builder.ts';

type Passed = { number: number; texts: string[]; width: number | 'clean'; cut: number };

class Sink implements RowSink {
  readonly passed: Passed[] = [];

  addClean(number: number, row: Row): void {
    this.passed.push({ number, texts: row.texts(), width: 'clean', cut: 0 });
  }

  addFields(number: number, row: Row, width: number, cut: number): void {
    this.passed.push({ number, texts: row.texts(width), width, cut });
  }
}

type Options = Partial<Omit<BuilderOptions, 'limits'>> & { limits?: Partial<ReadLimits> };

/** Lines of CSV as a builder takes them: what it passed on, and what it said. */
async function build(lines: readonly string[], { limits, ...options }: Options = {}) {
  const all = { ...tapeLimits('csv'), ...limits };
  const sink = new Sink();
  const builder = new TableBuilder(sink, { shortRowsAreWhole: false, lineWord: 'line', ...options, limits: all });
  const scanner = new CsvScanner({ delimiter: ',', lineEnd: 'LF' }, all);
  scanner.feed(Buffer.from(lines.map((line) => `${line}\n`).join('')));
  scanner.end();
  while (scanner.next()) builder.add(scanner.row);
  const built = await builder.finish(async () => null);
  return { ...built, passed: sink.passed, notices: builder.notices };
}

const firsts = (passed: readonly Passed[]) => passed.map(({ texts }) => texts[0]);
const HEADER = 'loan_id,state,balance,rate,term';
const loans = (count: number, from = 1) => Array.from({ length: count }, (_, index) => `L${from + index},NY,100,5,36`);

test('rows are numbered from 1 in their order, clean ones are passed as they stand', async () => {
  const { passed, rowCount, headerLine } = await build([HEADER, ...loans(2), 'L3,NY,100,5,"a"" b"', ' L4,NY,5" pipe,5,6']);
  assert.deepEqual([rowCount, headerLine], [4, 1]);
  assert.deepEqual(
    passed.map(({ number, width }) => [number, width]),
    [
      [1, 'clean'],
      [2, 'clean'],
      [3, 'clean'],
      [4, 5],
    ],
  );
  assert.deepEqual(passed[2].texts, ['L3', 'NY', '100', '5', 'a" b']);
});

test('of ordinary loans the first text is made at most, whatever their ids begin with', async (context) => {
  const texts = context.mock.method(Row.prototype, 'text');
  for (const initial of ['L', 'T', 'S-', 'grp ', '"C', 'mean', '7', '0', '-']) {
    const rows = Array.from(
      { length: 2_000 },
      (_, at) => `${initial}${at + 10_000}${initial[0] === '"' ? '"' : ''},NY,100.5,5,36`,
    );
    const counter = { addClean: () => undefined, addFields: () => undefined };
    const limits = tapeLimits('csv');
    const builder = new TableBuilder(counter, { shortRowsAreWhole: false, lineWord: 'line', limits });
    const scanner = new CsvScanner({ delimiter: ',', lineEnd: 'LF' }, limits);
    scanner.feed(Buffer.from([HEADER, ...rows].map((line) => `${line}\n`).join('')));
    scanner.end();
    texts.mock.resetCalls();
    while (scanner.next()) builder.add(scanner.row);
    await builder.finish(async () => null);
    // The rows among which the header is found are read as texts, of the others the first cell where its bytes may be a word of a sum.
    assert.ok(texts.mock.callCount() < rows.length + 1_500, `${initial}: ${texts.mock.callCount()} texts`);
  }
});

test('the header may be the sixtieth filled line, not the one after it', async () => {
  const numbers = (count: number) => Array.from({ length: count }, () => '1,2,3,4,5');
  const { headerLine, rowCount } = await build([...numbers(59), HEADER, ...loans(3)]);
  assert.deepEqual([headerLine, rowCount], [60, 3]);
  await assert.rejects(
    build([...numbers(60), HEADER, ...loans(3)]),
    /No header was found in the first 60 lines: line 1 reads "1, 2/,
  );
});

test('blank lines above the header are nothing, those among the first lines are counted where loans follow', async () => {
  const { notices, headerLine, passed } = await build(['', ',,', HEADER, ...loans(1), '', ',,,,', ...loans(1, 2)]);
  assert.deepEqual([headerLine, firsts(passed)], [3, ['L1', 'L2']]);
  assert.deepEqual(notices.counts, { BLANK_ROWS: 1 });
  assert.match(notices.list[0].message, /^2 blank row.*line 5\.$/);
});

test('of a thousand blank lines and more below the header the loans under them are found', async () => {
  const { passed, notices } = await build([HEADER, ...Array<string>(1_500).fill(''), ...loans(2)]);
  assert.deepEqual(firsts(passed), ['L1', 'L2']);
  assert.deepEqual(notices.counts, { BLANK_ROWS: 1 });
});

test('names that a header repeats have the names of their groups in front, where the row above it tells them apart', async () => {
  const rows = ['L1,100,36,80,30,NY', 'L2,200,36,90,30,NY'];
  const repeated = 'loan_id,Balance,Term,Balance,Term,State';
  const { columns, notices, rowCount, headerLine } = await build(['Tape,,,,,', ',Original,,Current,,', repeated, ...rows]);
  assert.deepEqual(
    columns.map(({ name }) => name),
    ['loan_id', 'Original Balance', 'Original Term', 'Current Balance', 'Current Term', 'State'],
  );
  assert.deepEqual([rowCount, headerLine], [2, 3]);
  assert.deepEqual(notices.counts, { GROUPED_HEADER: 1, BANNER_LINES: 1 });
  assert.match(notices.list[0].message, /^This line names groups .* read as: Original Balance, Original Term, Current Balance/);
  for (const above of [',Original,,,,', 'As of,2024-03-31,,,,', ',Original,,Original,,']) {
    const plain = await build([above, repeated, ...rows]);
    assert.deepEqual([plain.columns[3].name, plain.notices.counts.DUPLICATE_HEADER], ['Balance', 2], above);
  }
});

test('names that are another quantity without their group have it in front, and the others have not', async () => {
  const namesOf = async (groups: string, names: string) => {
    const { columns, notices } = await build([groups, names, 'L1,100,36,80,30,NY', 'L2,200,36,90,30,NY']);
    return [columns.map(({ name }) => name).join(), notices.counts.GROUPED_HEADER ?? 0];
  };
  const cases = [
    [
      'Borrower,,Loan,,Property,',
      'ID,Income,Number,Amount,Value,State',
      'Borrower ID,Income,Loan Number,Amount,Property Value,Property State',
      1,
    ],
    [
      'Loan,,,Swap / Hedge,,',
      'Loan ID,Balance,Term,Rate,Notional,Maturity Date',
      'Loan ID,Balance,Term,Swap / Hedge Rate,Notional,Swap / Hedge Maturity Date',
      1,
    ],
    [
      'Loan Information,,At origination,,Now,',
      'No.,State,Balance,Term,Outstanding,DPD',
      'Loan No.,State,At origination Balance,At origination Term,Outstanding,DPD',
      1,
    ],
    ['Tape of June,,Confidential,,,', 'ID,Balance,Term,Amount,Rate,State', 'ID,Balance,Term,Amount,Rate,State', 0],
    ['Borrower,,,,,', 'ID,Balance,Term,Amount,Rate,State', 'ID,Balance,Term,Amount,Rate,State', 0],
    [
      'Loan,,Original,,Current,',
      'Loan ID,Balance,Original Term,Amount,Rate,State',
      'Loan ID,Balance,Original Term,Original Amount,Current Rate,State',
      1,
    ],
  ] as const;
  for (const [groups, names, read, told] of cases) assert.deepEqual(await namesOf(groups, names), [read, told], groups);
});

test('names that are written on two lines are joined, and a second header row of another kind is not', async () => {
  const read = async (...header: string[]) => {
    const { columns, notices, rowCount } = await build([...header, 'L1,100,36,80,30,NY', 'L2,200,36,90,30,NY']);
    return [columns.map(({ name }) => name).join(), rowCount, Object.keys(notices.counts).join()];
  };
  const joined = ['Loan Number,Original Balance,Original Term,Current Balance,Interest Rate,State', 2, 'GROUPED_HEADER'];
  const above = 'Loan,Original,Original,Current,Interest,State';
  assert.deepEqual(await read(above, 'Number,Balance,Term,Balance,Rate,'), joined);
  assert.deepEqual(await read(above, 'Number,Balance,Term,Balance,Rate'), joined, 'the second line is shorter');
  assert.deepEqual(await read('Tape of June,,,,,', above, 'Number,Balance,Term,Balance,Rate,'), [
    ...joined.slice(0, 2),
    'GROUPED_HEADER,BANNER_LINES',
  ]);
  const plain = 'Loan ID,Original Balance,Term,Balance,Rate,State';
  for (const second of [
    'Number,Amount,Number,Amount,Rate,Code',
    'text,number,number,number,number,text',
    'Key,Balance,Term,Balance,Rate,State',
  ])
    assert.deepEqual(await read(plain, second), [plain, 2, 'SECOND_HEADER_ROW'], second);
  const [words] = await read('ID,Amount,Term,Balance,Rate,State', 'Number,Name,Date,Value,Rate,Code');
  assert.equal(words, 'ID,Amount,Term,Balance,Rate,State');
});

test('a line under the header, and headers that are printed again with their groups or a byte order mark, are no loans', async () => {
  const header = [',Balance,,Terms,', 'loan_id,Original,Current,Original,Left'];
  const page = (from: number) => Array.from({ length: 70 }, (_, n) => `L${from + n},${900 + from + n},${800 + from + n},60,48`);
  const grouped = await build([...header, ...page(1), ...header, ...page(71)]);
  assert.deepEqual([grouped.rowCount, grouped.notices.counts], [140, { GROUPED_HEADER: 1, SECOND_HEADER_ROW: 2 }]);
  const printed = await build([
    HEADER,
    '-------,-----,-------,----,----',
    ...loans(2),
    '-,--,--,-,-',
    `\ufeff${HEADER}`,
    ...loans(1, 3),
  ]);
  assert.deepEqual([printed.rowCount, printed.notices.list.map(({ line }) => line)], [4, [2, 6]]);
});

test('a single line above the header is told, with what it says', async () => {
  const { notices } = await build(['Tape of June', HEADER, ...loans(2)]);
  assert.deepEqual(
    notices.list.map(({ code, line, actual }) => [code, line, actual]),
    [['BANNER_LINES', 1, 'Tape of June']],
  );
});

test('a number of loans beside them that is not the one that was read is told', async () => {
  const told = async (above: readonly string[], below: readonly string[] = []) => {
    const { notices } = await build([...above, HEADER, ...loans(12), ...below]);
    return notices.list.filter(({ code }) => code === 'LOAN_COUNT_DIFFERS').map(({ line, expected }) => [line, expected]);
  };
  assert.deepEqual(await told(['count of loans: 1234']), [[1, 'count of loans: 1234']]);
  assert.deepEqual(await told(['Pool A', 'Number of Loans,"1,234"']), [[2, 'Number of Loans | 1,234']]);
  assert.deepEqual(await told([], ['Record count: 9']), [[14, 'Record count: 9']]);
  assert.deepEqual(await told([], ['Total number of loans: 15']), [[14, 'Total number of loans: 15']]);
  assert.deepEqual(await told(['# of loans: 13']), [[1, '# of loans: 13']]);
  assert.deepEqual(await told(['No. of contracts 13; unaudited']), [[1, 'No. of contracts 13; unaudited']]);
  for (const line of ['count of loans: 12', 'Row count = 12', 'Records count: 14', 'Number of rows: 13'])
    assert.deepEqual(await told([line]), [], line);
  assert.deepEqual(await told(['Number of loans: 12', 'Number of accounts: 30']), [], 'one of them fits');
  assert.deepEqual(await told([], ['Total number of loans: 5', 'Total number of loans: 7']), [], 'of two groups');
  for (const line of [
    'Total loans: 2958335',
    'Number of loans 90 days past due: 3',
    'Number of loans 90+ days: 3',
    'Number of borrowers: 9',
    'Number of loans: 12.5',
    'Average number of payments of loans: 36',
  ])
    assert.deepEqual(await told([line]), [], line);
});

test('totals and repeated headers are found wherever they stand, behind blanks and quotes too', async () => {
  const totals = [' Grand total,,300,,', ',Total,300,,', '"Subtotal",,300,,', '\tTotal,,300,,', 'total,,300,,'];
  const headers = [HEADER, HEADER.toUpperCase(), ` ${HEADER}`, HEADER.replaceAll(/\w+/g, '"$&"')];
  for (const stray of [...totals, ...headers]) {
    const early = await build([HEADER, ...loans(1), stray, ...loans(1, 2)]);
    const late = await build([HEADER, ...loans(100), stray, ...loans(1, 101)]);
    const code = totals.includes(stray) ? 'TOTALS_ROW' : 'SECOND_HEADER_ROW';
    assert.deepEqual([early.rowCount, early.notices.counts], [2, { [code]: 1 }], stray);
    assert.deepEqual([late.rowCount, late.notices.list[0].line], [101, 102], stray);
  }
});

test('one blank line at the end is nothing, two are said', async () => {
  assert.deepEqual((await build([HEADER, ...loans(70), ''])).notices.counts, {});
  assert.deepEqual((await build([HEADER, ...loans(70), '', ',,'])).notices.counts, { TRAILING_BLANK_ROWS: 1 });
  const { notices } = await build([HEADER, ...loans(70), '', ',,', ' ']);
  assert.match(notices.list[0].message, /^3 blank rows after the last loan/);
  assert.equal(notices.list[0].line, 72);
});

test('blank lines between loans and behind them are told apart', async () => {
  const { notices } = await build([HEADER, ...loans(70), '', ...loans(1, 71), '', '', ...loans(1, 72), '', '']);
  assert.deepEqual(
    notices.list.map(({ code, line, message }) => [code, line, message.slice(0, 7)]),
    [
      ['BLANK_ROWS', 72, '3 blank'],
      ['TRAILING_BLANK_ROWS', 77, '2 blank'],
    ],
  );
});

test('sparse lines at the end are held back until a loan follows, and keep their place', async () => {
  const { passed } = await build([HEADER, ...loans(60), ',,,,7', ',,,,8', ...loans(2, 61)]);
  assert.deepEqual(firsts(passed).slice(58), ['L59', 'L60', '', '', 'L61', 'L62']);
  assert.deepEqual(
    passed.map(({ number }) => number),
    passed.map((_, index) => index + 1),
  );
});

test('a remark among the last lines is no loan, and one that a loan follows is', async () => {
  const last = await build([HEADER, ...loans(60), 'Source: core system,,,,']);
  assert.deepEqual([last.rowCount, last.notices.counts], [60, { FOOTER_LINE: 1 }]);
  const middle = await build([HEADER, ...loans(60), 'Source: core system,,,,', ...loans(1, 61)]);
  assert.deepEqual([middle.rowCount, middle.notices.counts], [62, {}]);
});

test('more than fifty sparse lines are no foot: all but the last fifty are loans', async () => {
  const sparse = (count: number) => Array.from({ length: count }, (_, index) => `a remark of nobody ${index},,,,`);
  assert.equal((await build([HEADER, ...loans(60), ...sparse(50)])).rowCount, 60);
  assert.equal((await build([HEADER, ...loans(60), ...sparse(51)])).rowCount, 60 + 50);
});

test('a table of two columns has no foot', async () => {
  const { rowCount, notices } = await build([
    'loan_id,balance',
    ...Array.from({ length: 60 }, (_, i) => `L${i},5`),
    ',6',
    'Source,',
  ]);
  assert.deepEqual([rowCount, notices.counts], [62, {}]);
});

test('a line that is broken is never taken for a foot', async () => {
  const { rowCount, malformedRows } = await build([HEADER, ...loans(60), 'L61,"NY']);
  assert.equal(rowCount, 61);
  assert.deepEqual(
    malformedRows.map(({ row_number, line }) => [row_number, line]),
    [[61, 62]],
  );
});

test('the most rows that a tape may have are read, one more is refused', async () => {
  assert.equal((await build([HEADER, ...loans(100)], { limits: { maxRows: 100 } })).rowCount, 100);
  await assert.rejects(build([HEADER, ...loans(101)], { limits: { maxRows: 100 } }), { code: 'TOO_MANY_ROWS' });
});

test('the most columns that a tape may have are read, and empty fields beyond it are no columns', async () => {
  const limits = { maxColumns: 5 };
  assert.equal((await build([HEADER, ...loans(2)], { limits })).columns.length, 5);
  const narrow = ['a,b,c,d,,', '1,2,3,4,,', '5,6,7,8,,'];
  assert.equal((await build(narrow, { limits })).columns.length, 4);
  await assert.rejects(build([`${HEADER},more`, ...loans(2)], { limits }), /has 6 columns; at most 5 are read/);
});

test('columns go as far as a name or a value of the first lines', async () => {
  const width = async (...lines: string[]) => (await build(lines)).columns.length;
  assert.equal(await width('a,b,,', '1,2,,', '3,4,,'), 2);
  assert.equal(await width('a,b,,', '1,2,x,', '3,4,,'), 3);
  assert.equal(await width('a,b,,c', '1,2,,', '3,4,,'), 4);
  assert.equal(await width('a', '1'), 1);
});

test('a row with fewer or more fields is kept and malformed, with empty ones beyond the last it is only told', async () => {
  const { passed, malformedRows, notices } = await build([
    HEADER,
    'L1,NY',
    'L2,NY,100,5,36,7',
    'L3,NY,100,5,36,,',
    'L4,NY,100,5,36, ',
  ]);
  assert.deepEqual(
    passed.map(({ texts, width }) => [texts.length, width]),
    [
      [2, 5],
      [5, 5],
      [5, 5],
      [5, 5],
    ],
  );
  assert.deepEqual(
    malformedRows.map(({ row_number, actual, expected }) => [row_number, actual, expected]),
    [
      [1, '2 fields', '5 fields'],
      [2, '6 fields', '5 fields'],
    ],
  );
  assert.deepEqual(notices.counts, { RAGGED_ROW: 1 });
  assert.match(notices.list[0].message, /^2 row\(s\).*line 4\.$/);
});

test('lines that end with a carriage return alone in a file of line feeds are named by their number', async () => {
  const reasons = async (...lines: string[]) =>
    (await build([HEADER, ...loans(3), ...lines])).malformedRows.map(({ reason }) => reason);
  const [many] = await reasons(`${loans(4, 4).join('\r')}\r`);
  assert.match(many, /more fields than the header, and is most likely 4 lines that end with a carriage return alone/);
  assert.deepEqual(await reasons('L4,NY,"1\r\n0",5,36,7'), ['the row has more fields than the header']);
});

test('empty fields as many as the header has beyond its last name are no matter', async () => {
  const { notices, malformedRows } = await build(['a,b,c,,', '1,2,3,,', '1,2,3,', '4,5,6,,,']);
  assert.deepEqual([malformedRows, notices.list.map(({ message }) => message.slice(0, 8))], [[], ['2 row(s)']]);
});

test('a short row of a sheet is whole', async () => {
  const { malformedRows, columns } = await build([HEADER, 'L1,NY'], { shortRowsAreWhole: true, lineWord: 'row' });
  assert.deepEqual([malformedRows, columns[1].letter], [[], 'B']);
});

test('a row that is too long is cut to its share of 64 KiB for each column, at least 16 bytes', async () => {
  const limits = { maxRowBytes: 1_000 };
  const long = 'x'.repeat(1_500);
  const { passed, malformedRows } = await build([HEADER, ...loans(1), `L2,${long},1,2,3`], { limits });
  assert.deepEqual([passed[1].cut, malformedRows[0].actual], [Math.floor(65_536 / 5), 'more than 1000 bytes']);
  const wide = Array.from({ length: 1_999 }, (_, index) => `name of ${index}`).join(',');
  const cut = await build([`loan,${wide}`, `L1,${long}`, 'L2,5'], { limits: { maxRowBytes: 1_000 } });
  assert.equal(cut.passed[0].cut, Math.floor(65_536 / 2_000));
});

test('line breaks, NUL bytes and stray quotes of a loan are remembered with its number', async () => {
  const calm = await build([HEADER, ...loans(1)]);
  assert.deepEqual([calm.multiline, calm.notices.counts], [false, {}]);
  const { multiline, notices } = await build([HEADER, 'L1,"N\nY",100,5,36', 'L2,N\0Y,100,5,36', 'L3,"the "big" one",1,2,3']);
  assert.equal(multiline, true);
  assert.deepEqual(
    notices.list.map(({ code, row_number, line }) => [code, row_number, line]),
    [
      ['NUL_BYTES', 2, 4],
      ['STRAY_QUOTE', 3, 5],
    ],
  );
});

test('a header without loans names its columns, six of them at most', async () => {
  await assert.rejects(build(['a name,b name', '']), /header on line 1 \(a name, b name\) and no loan under it/);
  await assert.rejects(build(['a,b,c,d,e,f']), /\(a, b, c, d, e, f\)/);
  await assert.rejects(build(['a,b,c,d,e,f,g']), /\(a, b, c, d, e, f, … 7 columns\)/);
  await assert.rejects(build(['1,2,3,4,5,6,7']), /line 1 reads "1, 2, 3, 4, 5, 6"\. Put one row/);
  await assert.rejects(build([]), /blank lines only/);
});
