import assert from 'node:assert/strict';
import { test } from 'node:test';
import { constants, deflateRawSync } from 'node:zlib';
import { probeTape } from './probe.ts';
import { fileOf, problemOf, read, type SeenTable, tableOf } from './testing/read-for-test.ts';
import { type Part, rowsXml, type WorkbookSpec, workbookOf, XML, zipOf } from './testing/workbook-for-test.ts';

const HEADER = ['loan_id', 'state', 'balance'];
const LOANS = [
  ['A1', 'NY', 100.5],
  ['A2', 'CA', 200],
];
const TAPE = { name: 'Tape', rows: rowsXml([HEADER, ...LOANS]) };

async function tableOfWorkbook(spec: Partial<WorkbookSpec>): Promise<SeenTable> {
  return await tableOf(workbookOf({ sheets: [TAPE], ...spec }), { format: 'xlsx' });
}

/** Values of column B of a sheet whose rows are `A{r}` and the given cell. */
async function valuesOf(cells: string[], spec: Partial<WorkbookSpec> = {}): Promise<(string | null)[]> {
  const rows = cells.map((cell, index) => [`id${index}`, cell.replaceAll('@', `B${index + 2}`)]);
  const seen = await tableOfWorkbook({ sheets: [{ name: 'Tape', rows: rowsXml([['loan', 'value'], ...rows]) }], ...spec });
  return seen.rows.map((row) => row[1]);
}

test('a plain workbook becomes its rows, with the rows of the sheet as lines', async () => {
  const seen = await tableOfWorkbook({});
  assert.deepEqual(seen.rows, [
    ['A1', 'NY', '100.5'],
    ['A2', 'CA', '200'],
  ]);
  assert.deepEqual([seen.lines, seen.table.sheet?.name, seen.table.dateSystem, seen.codes], [[2, 3], 'Tape', 1900, []]);
  assert.deepEqual(
    seen.table.columns.map((column) => column.letter),
    ['A', 'B', 'C'],
  );
});

test('strings in all their forms are read: shared, rich, inline, formula, phonetic left out, CDATA, entities, escapes', async () => {
  const strings = [
    '<t>plain</t>',
    '<r><t>ri</t></r><r><rPr><b/></rPr><t xml:space="preserve">ch </t></r>',
    '<t>漢字</t><rPh sb="0" eb="2"><t>かんじ</t></rPh><phoneticPr fontId="1"/>',
    '<t><![CDATA[a <b> & c]]></t>',
    '<t>&lt;A &amp; B&gt; &#233;&#x20AC;</t>',
    '<t>two_x000D_lines, _x005F_x0041_</t>',
    '<t/>',
  ];
  const values = await valuesOf(
    [
      ...strings.map((_, index) => `<c r="@" t="s"><v>${index}</v></c>`),
      '<c r="@" t="inlineStr"><is><r><t>in</t></r><r><t>line</t></r><rPh sb="0" eb="1"><t>no</t></rPh></is></c>',
      '<c r="@" t="str"><f>A1&amp;"x"</f><v>formula &amp; text</v></c>',
      `<c t='inlineStr' r='@'><is><t>"quoted", 'single'</t></is></c>`,
    ],
    { strings },
  );
  assert.deepEqual(values, [
    'plain',
    'rich ',
    '漢字',
    'a <b> & c',
    '<A & B> é€',
    'two\rlines, _x0041_',
    null,
    'inline',
    'formula & text',
    `"quoted", 'single'`,
  ]);
});

test('numbers, formulas, booleans and errors are read as their text', async () => {
  const values = await valuesOf([
    '<c r="@"><v>1234.5</v></c>',
    '<c r="@"><v>1234.5599999999999</v></c>',
    '<c r="@"><f>C1*2</f><v>12</v></c>',
    '<c r="@" t="b"><v>1</v></c>',
    '<c r="@" t="e"><v>#N/A</v></c>',
    '<c r="@" t="d"><v>2024-02-29T00:00:00</v></c>',
    '<c r="@"/>',
    '<c r="@"><v></v></c>',
  ]);
  assert.deepEqual(values, ['1234.5', '1234.56', '12', 'TRUE', '#N/A', '2024-02-29T00:00:00', null, null]);
});

test('date and percent cells become what the sheet shows, and their columns say so', async () => {
  const cell = (style: number, value: string) => `<c r="@" s="${style}"><v>${value}</v></c>`;
  const spec = { formats: ['yyyy\\-mm\\-dd', '0.00%', '#,##0.00'] };
  const values = await valuesOf([cell(1, '45351'), cell(2, '6.8699999999999997E-2'), cell(3, '45351'), cell(1, '60')], spec);
  assert.deepEqual(values, ['2024-02-29', '6.87%', '45351', '1900-02-29']);
  const rows = rowsXml([
    ['loan', 'opened', 'rate'],
    ['x', cell(1, '1').replace('@', 'B2'), cell(2, '0.1').replace('@', 'C2')],
  ]);
  const seen = await tableOfWorkbook({ ...spec, date1904: true, sheets: [{ name: 'Tape', rows }] });
  assert.deepEqual([seen.rows, seen.table.dateSystem], [[['x', '1904-01-02', '10%']], 1904]);
  assert.deepEqual(
    seen.table.columns.map((column) => column.formats),
    [undefined, { date: true }, { percent: true }],
  );
});

test('an id in a number cell keeps its digits: no exponent, no fraction, the leading zeros of its format', async () => {
  const cell = (value: string, style = 0) => `<c r="@" s="${style}"><v>${value}</v></c>`;
  const spec = { formats: ['000000', '00000\\-0000', '0'] };
  const cells = [cell('3.09360001E8'), cell('100000.0'), cell('123', 1), cell('21150042', 2), cell('123', 3), cell('12.5', 1)];
  const values = await valuesOf(cells, spec);
  assert.deepEqual(values, ['309360001', '100000', '000123', '02115-0042', '123', '12.5']);
});

test('a row that is filled beyond the last column only is a malformed row, not a blank one', async () => {
  const beyond = (line: number) => `<row r="${line}"><c r="CBA${line}" t="inlineStr"><is><t>far</t></is></c></row>`;
  const loan = (line: number) => rowsXml([[`A${line}`, 'NY', line]], line);
  const rows = `${rowsXml([HEADER])}${loan(2)}${beyond(3)}${loan(4)}${beyond(5)}`;
  const seen = await tableOfWorkbook({ sheets: [{ name: 'Tape', rows }] });
  assert.deepEqual(seen.lines, [2, 3, 4, 5]);
  assert.deepEqual(
    seen.table.malformedRows.map(({ line, reason }) => [line, reason]),
    [3, 5].map((line) => [line, 'the row has more fields than the header']),
  );
  const above = await tableOfWorkbook({ sheets: [{ name: 'Tape', rows: `${beyond(1)}${rowsXml([HEADER], 2)}${loan(3)}` }] });
  assert.deepEqual([above.lines, above.codes], [[3], ['BANNER_LINES']]);
});

test('an id of more than 15 digits in a number cell is reported, in a text cell it is not', async () => {
  const rows = rowsXml([
    ['loan', 'ref'],
    ['123456789012345678', 123456],
    ['x', '<c r="B3"><v>1.23456789012345E+17</v></c>'],
  ]);
  const seen = await tableOfWorkbook({ sheets: [{ name: 'Tape', rows }] });
  assert.deepEqual(seen.rows[0], ['123456789012345678', '123456']);
  const [notice] = seen.table.notices;
  assert.deepEqual(
    [notice.code, notice.line, notice.column, notice.actual],
    ['LONG_NUMERIC_ID', 3, 'ref', '1.23456789012345E+17'],
  );
});

test('formulas that were never calculated are reported', async () => {
  const rows = rowsXml([
    ['loan', 'balance'],
    ['x', '<c r="B2"><f>1+1</f></c>'],
    ['y', 5],
  ]);
  const seen = await tableOfWorkbook({ sheets: [{ name: 'Tape', rows }] });
  assert.deepEqual([seen.rows[0], seen.codes], [['x', null], ['FORMULA_WITHOUT_VALUE']]);
  assert.match(seen.table.notices[0].message, /first in B2/);
});

test('cells without references, gaps and rows out of step keep their columns', async () => {
  const rows = `${rowsXml([HEADER])}<row><c t="inlineStr"><is><t>A1</t></is></c><c/><c><v>1</v></c></row><row r="9"><c r="C9"><v>2</v></c><c r="A9" t="inlineStr"><is><t>A2</t></is></c></row>`;
  const seen = await tableOfWorkbook({ sheets: [{ name: 'Tape', rows }] });
  assert.deepEqual(seen.rows, [
    ['A1', null, '1'],
    ['A2', null, '2'],
  ]);
  assert.deepEqual(seen.lines, [2, 9]);
});

test('prefixed elements, comments, instructions and parts in UTF-16 are read', async () => {
  const rows = rowsXml([HEADER, ...LOANS])
    .replaceAll('</', '</x:')
    .replaceAll(/<(?=[a-z])/g, '<x:');
  const seen = await tableOfWorkbook({ prefix: 'x:', sheets: [{ name: 'Tape', rows: `<!-- <row> --><?pi <c>?>${rows}` }] });
  assert.equal(seen.table.rowCount, 2);
  const wide = Buffer.from(
    `\ufeff${XML}<worksheet><sheetData>${TAPE.rows}</sheetData></worksheet>`.replace('UTF-8', 'UTF-16'),
    'utf16le',
  );
  const part = { name: 'xl/worksheets/sheet1.xml', data: wide };
  assert.equal((await tableOfWorkbook({ parts: [part] })).table.rowCount, 2);
});

for (const [name, options] of Object.entries({
  stored: { stored: true },
  descriptor: { descriptor: true },
  zip64: { zip64: true },
})) {
  test(`an archive with ${name} entries is read`, async () => {
    assert.equal((await tableOfWorkbook({ options })).table.rowCount, 2);
  });
}

test('the sheet with the loans is found among covers, summaries and hidden sheets', async () => {
  const cover = rowsXml([['Acme Auto Finance'], ['Tape of June']]);
  const summary = rowsXml([['state', 'count'], ...Array.from({ length: 50 }, (_, i) => [`S${i}`, i])]);
  const sheets = [
    { name: 'Cover', rows: cover },
    { name: 'Summary', rows: summary },
    { name: 'June', rows: TAPE.rows },
    { name: 'Old', rows: TAPE.rows, state: 'hidden' as const },
    { name: 'Older', rows: TAPE.rows, state: 'veryHidden' as const },
  ];
  const seen = await tableOfWorkbook({ sheets });
  assert.deepEqual(seen.table.sheet, { name: 'June', index: 2, hidden: ['Old', 'Older'], others: ['Cover', 'Summary'] });
  assert.deepEqual(seen.table.noticeCounts, { HIDDEN_SHEET: 2, OTHER_SHEETS: 1 });
});

test('a second sheet with the same columns is named, since its loans were not read', async () => {
  const seen = await tableOfWorkbook({ sheets: [TAPE, { name: 'Tape (2)', rows: TAPE.rows }] });
  assert.equal(seen.table.rowCount, 2);
  assert.match(seen.table.notices[1].message, /"Tape \(2\)" has the same columns/);
});

test('banners, two header rows, totals, hidden rows and merged cells are distinguished from loans', async () => {
  const rows =
    rowsXml([['Acme'], [], ['X1', 'X2', 'X3'], HEADER, ...LOANS]) +
    rowsXml([['A3', 'TX', 300]], 7).replace('<row ', '<row hidden="1" ') +
    rowsXml([['Total', null, 600.5], [], [null, '<c r="B10" s="0"/>', null]], 8);
  const after = '<mergeCells count="2"><mergeCell ref="A1:C1"/><mergeCell ref="B5:B6"/></mergeCells>';
  const seen = await tableOfWorkbook({ sheets: [{ name: 'Tape', rows, after }] });
  assert.deepEqual([seen.names, seen.lines], [HEADER, [5, 6, 7]]);
  assert.deepEqual(seen.table.noticeCounts, {
    BANNER_LINES: 1,
    SECOND_HEADER_ROW: 1,
    TOTALS_ROW: 1,
    HIDDEN_ROWS: 1,
    MERGED_CELLS: 1,
  });
});

test('hidden rows and columns are read, and told by their numbers and names', async () => {
  const rows = rowsXml([
    ['Loan ID', 'Old Balance', 'State', 'Balance', 'Notes'],
    ['A1', 1, 'TX', 100, 'x'],
    ['A2', 2, 'TX', 200, 'y'],
  ]);
  const of = async (cols: string, hidden = rows) => {
    const data = `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">${cols}<sheetData>${hidden}</sheetData></worksheet>`;
    const parts = [{ name: 'xl/worksheets/sheet1.xml', data }];
    const { table } = await tableOfWorkbook({ sheets: [{ name: 'Tape', rows: '' }], parts });
    return [table.rowCount, ...table.notices.map(({ code, line, actual }) => [code, line ?? actual])];
  };
  const hidden =
    '<cols><col min="1" max="1" width="9"/><col min="2" max="3" width="0" hidden="1"/><col hidden="true" min="5" max="16384"/></cols>';
  assert.deepEqual(await of(hidden), [2, ['HIDDEN_COLUMNS', 'Old Balance, State, Notes']]);
  assert.deepEqual(await of('<cols><col min="4" max="4" width="0" customWidth="1"/></cols>'), [2, ['HIDDEN_COLUMNS', 'Balance']]);
  assert.deepEqual(
    await of('<cols><col min="6" max="16384" hidden="1"/><col min="1" max="1" hidden="0" width="0.5"/></cols>'),
    [2],
  );
  assert.deepEqual(await of('', rows.replace('<row r="3">', '<row r="3" hidden="1">')), [2, ['HIDDEN_ROWS', 3]]);
});

test('a file that is no readable workbook says what it is and what to send', async () => {
  const workbook = workbookOf({ sheets: [TAPE] });
  const types =
    '<Types><Override PartName="/xl/workbook.xml" ContentType="application/vnd.ms-excel.sheet.macroEnabled.main+xml"/></Types>';
  const cases: [string | Uint8Array, string, RegExp][] = [
    ['', 'EMPTY_FILE', /0 bytes/],
    [workbook.subarray(0, workbook.length - 30), 'UNREADABLE_FILE', /cut off/],
    [
      zipOf([
        { name: 'mimetype', data: 'application/vnd.oasis.opendocument.spreadsheet' },
        { name: 'content.xml', data: '<x/>' },
      ]).subarray(0, -30),
      'UNREADABLE_FILE',
      /OpenDocument file without its end/,
    ],
    [
      zipOf([{ name: 'tape.csv', data: 'loan_id' }]).subarray(0, -30),
      'UNREADABLE_FILE',
      /zip archive, not as a workbook, and the end/,
    ],
    [zipOf([{ name: 'tape.csv', data: 'loan_id\n1\n' }]), 'UNREADABLE_FILE', /zip archive, not a workbook/],
    [zipOf([{ name: 'lib 0.zip', data: zipOf([{ name: 'a', data: 'b' }]) }]), 'UNREADABLE_FILE', /zip archive, not a workbook/],
    [workbookOf({ sheets: [TAPE], parts: [{ name: '[Content_Types].xml', data: types }] }), 'UNREADABLE_FILE', /macros/],
    [workbookOf({ sheets: [TAPE], parts: [{ name: 'xl/vbaProject.bin', data: 'x' }] }), 'UNREADABLE_FILE', /macros/],
    [workbookOf({ sheets: [TAPE], parts: [{ name: 'xl/workbook.bin', data: 'x' }] }), 'UNREADABLE_FILE', /xlsb/],
    [
      zipOf([
        {
          name: '[Content_Types].xml',
          data: '<Types><Default ContentType="application/vnd.ms-excel.sheet.binary.macroEnabled.main"/></Types>',
        },
        { name: 'xl/workbook.bin', data: 'x' },
      ]),
      'UNREADABLE_FILE',
      /binary form \.xlsb/,
    ],
    [workbookOf({ sheets: [TAPE], options: { encrypted: true } }), 'UNREADABLE_FILE', /encrypted/],
    [workbookOf({ sheets: [TAPE], options: { method: 12 } }), 'UNREADABLE_FILE', /method 12/],
    [workbookOf({ sheets: [{ ...TAPE, state: 'hidden' }] }), 'UNREADABLE_FILE', /hidden \(Tape\)/],
    [workbookOf({ sheets: [{ name: 'Tape', rows: rowsXml([HEADER]) }] }), 'NO_LOAN_ROWS', /no loan under it/],
    [
      workbookOf({
        sheets: [
          { name: 'A', rows: '' },
          { ...TAPE, state: 'hidden' },
        ],
      }),
      'UNREADABLE_FILE',
      /Hidden sheets were not read: Tape/,
    ],
    [
      workbookOf({
        sheets: [
          {
            name: 'Tape',
            rows: rowsXml([
              [1, 2],
              [3, 4],
            ]),
          },
        ],
      }),
      'UNREADABLE_FILE',
      /No header/,
    ],
  ];
  for (const [bytes, code, message] of cases) {
    const problem = await problemOf(bytes, 'xlsx');
    assert.equal(problem.code, code, problem.message);
    assert.match(problem.message, message);
    const probe = await probeTape(await fileOf(bytes));
    assert.deepEqual(probe.ok ? null : probe.problem, problem);
  }
});

test('hostile XML is refused: document types, unknown entities, cells and strings out of range', async () => {
  const laughs = `<!DOCTYPE x [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;">]>`;
  const external = '<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x.dtd">';
  const sheet = (rows: string, before = '') => ({
    name: 'xl/worksheets/sheet1.xml',
    data: `${before}<worksheet><sheetData>${rows}</sheetData></worksheet>`,
  });
  const cell = (xml: string) => sheet(`${rowsXml([HEADER])}<row r="2">${xml}</row>`);
  const cases: [Part, RegExp][] = [
    [sheet(TAPE.rows, laughs), /document type/],
    [sheet(TAPE.rows, external), /document type/],
    [{ name: 'xl/sharedStrings.xml', data: `${laughs}<sst><si><t>&b;</t></si></sst>` }, /document type/],
    [{ name: 'xl/workbook.xml', data: `${external}<workbook/>` }, /document type/],
    [cell('<c r="A2" t="inlineStr"><is><t>&b;</t></is></c>'), /unknown entity &b;/],
    [cell('<c r="A2" t="s"><v>4294967295</v></c>'), /cell A2.*4294967295, and there are 0/],
    [cell('<c r="A2" t="s"><v>-1</v></c>'), /shared string -1/],
    [cell('<c r="ZZZZZZ2"><v>1</v></c>'), /A to XFD/],
    [cell('<c/>'.repeat(20_000)), /more cells than a sheet/],
    [sheet(`${rowsXml([HEADER])}<row r="99999999"><c><v>1</v></c></row>`), /row number 99999999/],
    [
      sheet(`${rowsXml([HEADER])}<row r="2"><c r="A2" t="inlineStr"><is><t>${' '.repeat(3_000_000)}</t></is></c></row>`),
      /more than 1048576 bytes/,
    ],
    [{ ...sheet(TAPE.rows), data: `${XML.replace('UTF-8', 'IBM037')}<worksheet/>` }, /IBM037/],
  ];
  for (const [part, message] of cases) {
    const problem = await problemOf(
      workbookOf({ sheets: [TAPE], strings: part.name.includes('shared') ? [] : undefined, parts: [part] }),
      'xlsx',
    );
    assert.equal(problem.code, 'UNREADABLE_FILE');
    assert.match(problem.message, message);
  }
});

test('archives that lie about their parts are refused', async () => {
  const name = 'xl/worksheets/sheet1.xml';
  const data = `<worksheet><sheetData>${TAPE.rows}</sheetData></worksheet>`;
  const cases: [Part[], RegExp][] = [
    [[{ name, data, statedSize: 10 }], /larger than the archive states/],
    [[{ name, data, statedSize: 999_999 }], /checksum/],
    [[{ name, data, statedCrc: 1 }], /checksum/],
    [[{ name, data, packed: Buffer.from('no deflate at all') }], /cannot be expanded/],
    [[{ name, data, packed: deflateRawSync(data).subarray(0, 40) }], /cannot be expanded/],
    [
      [
        { name, data },
        { name: 'xl/copy.xml', data, sharesBytesOf: name },
      ],
      /overlaps/,
    ],
    [[{ name: 'XL/worksheets/Sheet1.xml', data }], /twice/],
  ];
  for (const [parts, message] of cases) {
    const problem = await problemOf(workbookOf({ sheets: [TAPE], parts }), 'xlsx');
    assert.equal(problem.code, 'UNREADABLE_FILE', problem.message);
    assert.match(problem.message, message);
  }
});

test('a zip bomb is refused by what it states, and one that understates itself by what it expands to', async () => {
  const row = '<row><c><v>1</v></c></row>';
  const size = 400 * 1024 * 1024;
  const piece = row.repeat(Math.floor((8 * 1024 * 1024) / row.length));
  const packed = repeatedDeflate(Buffer.from(piece), Math.ceil(size / piece.length));
  const bomb = (statedSize: number) =>
    workbookOf({ sheets: [TAPE], parts: [{ name: 'xl/worksheets/sheet1.xml', data: '', packed, statedSize }] });
  assert.ok(bomb(size).length < 4 * 1024 * 1024, 'the bomb is small');
  const before = process.memoryUsage().rss;
  const stated = await problemOf(bomb(size), 'xlsx');
  assert.deepEqual([stated.code, /expands \d+ times/.test(stated.message)], ['TOO_LARGE', true]);
  const understated = await problemOf(bomb(1_000_000), 'xlsx');
  assert.deepEqual([understated.code, /larger than the archive states/.test(understated.message)], ['UNREADABLE_FILE', true]);
  assert.ok(process.memoryUsage().rss - before < 200 * 1024 * 1024, 'memory stays bounded');
});

test('a text that is stored once and stands in every row counts for each of them', async () => {
  const strings = [`<t>${'y'.repeat(30_000)}</t>`];
  const rows = Array.from({ length: 200 }, (_, index) => [`id${index}`, `<c r="B${index + 2}" t="s"><v>0</v></c>`]);
  const bytes = workbookOf({ sheets: [{ name: 'Tape', rows: rowsXml([['loan', 'notes'], ...rows]) }], strings });
  const limits = { maxExpandedBytes: 4 * 1024 * 1024 };
  const refused = await read(bytes, { format: 'xlsx', limits });
  assert.match(
    refused.ok ? '' : `${refused.problem.code} ${refused.problem.message}`,
    /^TOO_LARGE .*its cells hold more than 4194304 bytes/,
  );
  assert.equal((await tableOf(bytes, { format: 'xlsx' })).rows.length, 200);
});

/** The deflated form of a piece many times over, without ever holding the whole. */
function repeatedDeflate(piece: Buffer, times: number): Buffer {
  const block = deflateRawSync(piece, { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const last = deflateRawSync(piece, { level: 9 });
  return Buffer.concat([...Array.from({ length: times - 1 }, () => block), last]);
}

test('a probe reads the beginning of a large sheet only', async () => {
  const loans = Array.from({ length: 50_000 }, (_, i) => [`L${i}`, 'NY', i]);
  const path = await fileOf(workbookOf({ sheets: [{ name: 'Tape', rows: rowsXml([HEADER, ...loans]) }] }));
  const probe = await probeTape(path);
  assert.ok(probe.ok);
  assert.deepEqual(
    [probe.columns.map((column) => column.name), probe.firstRows[1], probe.firstRows.length],
    [HEADER, ['L1', 'NY', '1'], 20],
  );
});
