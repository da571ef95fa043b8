import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileOf, problemOf, read, tableOf } from './testing/read-for-test.ts';
import { probeTape } from './probe.ts';

const HEADER = 'loan_id,state,balance\n';
const LOANS = 'A1,NY,100.50\nA2,CA,200\n';

test('a plain file becomes its rows, numbered from 1, with the lines of the file', async () => {
  const seen = await tableOf(HEADER + LOANS);
  assert.deepEqual(seen.names, ['loan_id', 'state', 'balance']);
  assert.deepEqual(seen.rows, [
    ['A1', 'NY', '100.50'],
    ['A2', 'CA', '200'],
  ]);
  assert.deepEqual([seen.lines, seen.table.headerLine, seen.table.rowCount, seen.codes], [[2, 3], 1, 2, []]);
});

test('an empty value is missing, blanks and zeros of a value are kept', async () => {
  const seen = await tableOf('id,zip,note\n00123, 02139 ,\n"",00801,"  x"\n');
  assert.deepEqual(seen.rows, [
    ['00123', ' 02139 ', null],
    [null, '00801', '  x'],
  ]);
});

for (const [name, delimiter] of Object.entries({ comma: ',', semicolon: ';', tab: '\t', pipe: '|' })) {
  test(`a file delimited by ${name} is read, commas inside its values kept`, async () => {
    const line = (...cells: string[]) => `${cells.join(delimiter)}\n`;
    const money = delimiter === ',' ? '"1,5"' : '1,5';
    const seen = await tableOf(line('id', 'amount', 'city') + line('1', money, 'Y') + line('2', money, '"A ""B"" C"'));
    assert.equal(seen.table.delimiter, delimiter);
    assert.deepEqual(seen.rows, [
      ['1', '1,5', 'Y'],
      ['2', '1,5', 'A "B" C'],
    ]);
  });
}

test('the line "sep=;" names the delimiter and is no row', async () => {
  const seen = await tableOf('sep=;\nid;amount\n1;2,5\n');
  assert.deepEqual([seen.table.delimiter, seen.rows, seen.lines], [';', [['1', '2,5']], [3]]);
  assert.deepEqual(
    seen.table.notices.map(({ message }) => message),
    ['The first line declares the delimiter for a spreadsheet; it was applied and is not a loan.'],
  );
});

for (const [name, end] of Object.entries({ LF: '\n', CRLF: '\r\n', CR: '\r' })) {
  test(`line ends ${name}: the same rows, with or without the last one`, async () => {
    const text = ['id,amount', '1,10', '2,"a', 'b"', '3,30'].join(end);
    for (const tail of [end, '']) {
      const seen = await tableOf(text + tail);
      assert.deepEqual(
        seen.rows.map((row) => row[0]),
        ['1', '2', '3'],
      );
      assert.deepEqual([seen.rows[1][1], seen.lines, seen.table.multiline], [`a${end}b`, [2, 3, 5], true]);
    }
  });
}

test('line ends of CR with a line feed inside a value', async () => {
  const seen = await tableOf('id,note\r1,"a\nb"\r2,c\r');
  assert.deepEqual(
    [seen.rows, seen.lines],
    [
      [
        ['1', 'a\nb'],
        ['2', 'c'],
      ],
      [2, 4],
    ],
  );
});

test('line breaks, doubled quotes and delimiters inside quotes belong to the value', async () => {
  const seen = await tableOf('id,note,n\n1,"two\nlines, ""quoted""",5\n2,"",6\n3,"""",7\n');
  assert.deepEqual(seen.rows, [
    ['1', 'two\nlines, "quoted"', '5'],
    ['2', null, '6'],
    ['3', '"', '7'],
  ]);
  assert.deepEqual(seen.lines, [2, 4, 5]);
});

test('a quote in the middle of a value is part of it', async () => {
  const seen = await tableOf('id,size,n\n1,5" pipe,2\n2,"the "big" one",3\n3, "a, b" ,4\n');
  assert.deepEqual(seen.rows, [
    ['1', '5" pipe', '2'],
    ['2', 'the "big" one', '3'],
    ['3', 'a, b', '4'],
  ]);
  assert.deepEqual(seen.codes, ['STRAY_QUOTE']);
});

test('a quote that is never closed costs its own row and no other', async () => {
  const rows = Array.from({ length: 2_000 }, (_, i) => `L${i},NY,${i}`);
  rows[700] = 'L700,"NY,700';
  const seen = await tableOf(`loan_id,state,balance\n${rows.join('\n')}\n`);
  assert.equal(seen.table.rowCount, 2_000);
  assert.deepEqual(seen.rows[701], ['L701', 'NY', '701']);
  assert.deepEqual(
    seen.table.malformedRows.map((row) => [row.row_number, row.line]),
    [[701, 702]],
  );
  assert.match(seen.table.malformedRows[0].reason, /never closed/);
});

test('a file in which every line opens a quote is read in time that grows with its size only', async () => {
  const started = process.cpuUsage();
  const seen = await tableOf(`id,a,b\n${'1,"x,2\n'.repeat(40_000)}`);
  assert.equal(seen.table.rowCount, 40_000);
  assert.equal(seen.table.malformedRows.length, 40_000);
  assert.ok(process.cpuUsage(started).user < 20e6, 'more than 20 s of processor time for 240 KB');
});

test('rows with too many or too few fields are kept and named, empty fields beyond the last column are not counted', async () => {
  const seen = await tableOf('a,b,c\n1,2,3\n4,5\n6,7,8,9\n10,11,12,,\n');
  assert.deepEqual(seen.rows, [
    ['1', '2', '3'],
    ['4', '5', null],
    ['6', '7', '8'],
    ['10', '11', '12'],
  ]);
  assert.deepEqual(
    seen.table.malformedRows.map(({ row_number, line, actual, expected }) => [row_number, line, actual, expected]),
    [
      [2, 3, '2 fields', '3 fields'],
      [3, 4, '4 fields', '3 fields'],
    ],
  );
  assert.deepEqual(seen.codes, ['RAGGED_ROW']);
});

test('lines above the header, totals, repeated headers, remarks and blank rows are no loans', async () => {
  const seen = await tableOf(
    [
      'Acme Auto Finance',
      'Tape as of 2026-06-30,,,',
      '',
      'Loan ID,Borrower,Balance,Rate',
      '1,Total Logistics LLC,100,5%',
      '2,B,200,6%',
      'Loan ID,Borrower,Balance,Rate',
      '',
      '3,C,300.50,7%',
      'Subtotal,,600.50,',
      '4,D,400,8%',
      'Grand Total:,,"1,000.50",',
      ',,,',
      'Source: core system,,,',
      '',
    ].join('\n'),
  );
  assert.deepEqual(
    seen.rows.map((row) => row[0]),
    ['1', '2', '3', '4'],
  );
  assert.deepEqual([seen.lines, seen.table.headerLine], [[5, 6, 9, 11], 4]);
  assert.deepEqual(seen.table.noticeCounts, {
    BANNER_LINES: 1,
    SECOND_HEADER_ROW: 1,
    TOTALS_ROW: 2,
    BLANK_ROWS: 1,
    FOOTER_LINE: 1,
  });
  assert.match(seen.table.notices.find((notice) => notice.code === 'BANNER_LINES')?.actual ?? '', /as of 2026-06-30/);
});

test('a last row without an id whose number is the sum of its column is a line of totals', async () => {
  const rows = Array.from({ length: 80 }, (_, i) => `L${i},NY,700,36,${i}.25`).join('\n');
  const seen = await tableOf(`loan_id,state,score,term,balance\n${rows}\n,,,,"3,180.00"\n`);
  assert.equal(seen.table.rowCount, 80);
  assert.match(seen.table.notices[0].message, /sum of its column/);
});

test('a last row that counts the loans and sums them up, or that fills every number but no id, is a line of totals', async () => {
  const rows = Array.from({ length: 80 }, (_, i) => `L${i},NY,${i % 7},36,${i}.25`).join('\n');
  const header = 'loan_id,state,score,term,balance\n';
  for (const last of ['80,,,,3180', ',,3,36,3180', ',,,,', '']) {
    const seen = await tableOf(`${header}${rows}\n${last}\n`);
    assert.deepEqual([seen.table.rowCount, seen.codes], [80, last.includes('3180') ? ['TOTALS_ROW'] : []], last);
  }
  const loan = await tableOf(`${header}${rows}\n,,3,36,17\n`);
  assert.equal(loan.table.rowCount, 81);
});

test('a sparse last row that sums up nothing is a loan', async () => {
  const seen = await tableOf('loan_id,state,score,term,balance\n1,NY,700,36,5\n2,CA,710,36,6\n,,,,12\n');
  assert.deepEqual([seen.table.rowCount, seen.rows[2]], [3, [null, null, null, null, '12']]);
  const numbered = await tableOf('loan_id,state,score,term,balance\nid-1,NY,700,36,0\nid-2,CA,710,36,6\nid-3,,,,6\n');
  assert.equal(numbered.table.rowCount, 3);
});

test('of two header rows the one with real names is the header', async () => {
  const seen = await tableOf('X1,X2,X3\nLIMIT_BAL,SEX,PAY_0\n20000,2,1\n30000,1,2\n');
  assert.deepEqual([seen.names, seen.table.rowCount, seen.codes], [['LIMIT_BAL', 'SEX', 'PAY_0'], 2, ['SECOND_HEADER_ROW']]);
  const units = await tableOf('Loan,Balance,Rate\ntext,USD,%\nA,1,2\n');
  assert.deepEqual([units.names, units.table.rowCount], [['Loan', 'Balance', 'Rate'], 1]);
});

test('rows of words only are loans, not headers', async () => {
  const seen = await tableOf('loan_status,state,grade\nFully Paid,NY,A\nCharged Off,CA,B\nFully Paid,TX,C\n');
  assert.equal(seen.table.rowCount, 3);
});

test('a first loan of words only is a loan when its number is carried on below', async () => {
  const seen = await tableOf('loan,city,income\nid-7,Boston,unverified\nid-8,Salem,52000\n');
  assert.deepEqual([seen.table.rowCount, seen.rows[0]], [2, ['id-7', 'Boston', 'unverified']]);
});

test('repeated, empty and hostile names are harmless and distinguished', async () => {
  const seen = await tableOf('__proto__,constructor,Rate,rate,,Rate (%)\n1,2,3,4,5,6\n');
  assert.deepEqual(
    seen.table.columns.map((column) => column.normalized),
    ['proto', 'constructor', 'rate', 'rate_2', 'column_5', 'rate_3'],
  );
  assert.deepEqual(seen.rows, [['1', '2', '3', '4', '5', '6']]);
  assert.deepEqual(seen.codes, ['DUPLICATE_HEADER', 'EMPTY_HEADER']);
});

test('text of other encodings becomes UTF-8 and the notice says so', async () => {
  const text = 'id,city,amount\n1,Zürich,5\n2,São Paulo,6\n3,€ fund,7\n';
  const expected = ['Zürich', 'São Paulo', '€ fund'];
  const windows = Buffer.from(text.replace('€', '\x80'), 'latin1');
  const wide = Buffer.from(text, 'utf16le');
  const cases: [string, Uint8Array, string[]][] = [
    ['utf-8', Buffer.from(text), []],
    ['utf-8', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)]), []],
    ['windows-1252', windows, ['ENCODING_DETECTED']],
    ['utf-16le', wide, ['ENCODING_DETECTED']],
    ['utf-16le', Buffer.concat([Buffer.from([0xff, 0xfe]), wide]), ['ENCODING_DETECTED']],
    ['utf-16be', Buffer.concat([Buffer.from([0xff, 0xfe]), wide]).swap16(), ['ENCODING_DETECTED']],
    ['utf-16be', Buffer.from(wide).swap16(), ['ENCODING_DETECTED']],
  ];
  for (const [encoding, bytes, codes] of cases) {
    const seen = await tableOf(bytes);
    assert.equal(seen.table.encoding, encoding);
    assert.deepEqual([seen.rows.map((row) => row[1]), seen.names[0], seen.codes], [expected, 'id', codes]);
  }
});

test('accents that no language has are told: of UTF-8 that was encoded twice, and of Mac Roman and CP850', async () => {
  const told = async (bytes: string | Uint8Array) => {
    const { table } = await tableOf(bytes);
    return table.notices.map(({ code, message }) => [
      code,
      /Accents look wrong, such as "(.+?)" within a word/.exec(message)?.[1],
    ]);
  };
  const tape = (city: string) => `id,city,amount\n1,${city},5\n2,Bonn,6\n`;
  const latin = (city: string) => Buffer.from(tape(city), 'latin1');
  for (const city of ['München', 'Ávila', 'São Paulo', 'Strauß', 'Garçon']) {
    const twice = Buffer.from(tape(Buffer.from(city).toString('latin1')));
    const [[code, signs] = []] = await told(twice);
    assert.equal(code, 'INVALID_TEXT', city);
    assert.match(signs ?? '', /^Ã.$/, 'no more of a word, which may be a name');
    assert.deepEqual(await told(tape(city)), []);
    assert.deepEqual(await told(latin(city)), [['ENCODING_DETECTED', undefined]], city);
  }
  for (const city of ['NÃO', 'AMANHÃ”', 'XÃ «', 'Ã']) assert.deepEqual(await told(tape(city)), [], city);
  const late = `id,city,amount\n${'1,Bonn,5\n'.repeat(120_000)}2,MÃ¼nchen,6\n`;
  assert.ok(late.length > 1024 * 1024);
  assert.deepEqual(await told(late), [['INVALID_TEXT', 'Ã¼']]);
  // München and Málaga of Mac Roman, Düsseldorf and Köln of CP850.
  for (const [city, sign] of [
    ['M\x9fnchen', 'Ÿ'],
    ['M\x87laga', '‡'],
    ['D\x81sseldorf', '\ufffd'],
    ['K\x94ln', '”'],
  ] as const)
    assert.deepEqual(await told(latin(city)), [['ENCODING_DETECTED', sign]], city);
  for (const name of ['O\x92Neil', 'Du\x9aan', '\x8eiga', 'na\xefve \x96 caf\xe9', 'B\x9cuf', '\x80 fund', 'P\xe9\xe9 \x93a\x94'])
    assert.deepEqual(await told(latin(name)), [['ENCODING_DETECTED', undefined]], name);
});

test('one broken character in a long UTF-8 file does not turn all others into nonsense', async () => {
  const rows = Array.from({ length: 50 }, (_, i) => `${i},Zürich,5`).join('\n');
  const seen = await tableOf(
    Buffer.concat([Buffer.from(`id,city,amount\n${rows}\n99,`), Buffer.from([0xc3]), Buffer.from(',5\n')]),
  );
  assert.deepEqual([seen.table.encoding, seen.rows[3][1], seen.rows[50][1]], ['utf-8', 'Zürich', '\ufffd']);
  assert.deepEqual(seen.codes, ['INVALID_TEXT']);
});

test('NUL bytes are shown, not dropped', async () => {
  const seen = await tableOf('id,amount\n1,12\x00.5\n2,7\n');
  assert.deepEqual([seen.rows[0][1], seen.codes], ['12\ufffd.5', ['NUL_BYTES']]);
});

test('text that a spreadsheet would run is kept as it is', async () => {
  const cells = ['=HYPERLINK("x")', '@SUM(A1)', '+cmd|x', '-2+3', '\tx'];
  const seen = await tableOf(`id,note\n${cells.map((cell, i) => `${i},"${cell.replaceAll('"', '""')}"`).join('\n')}\n`);
  assert.deepEqual(
    seen.rows.map((row) => row[1]),
    cells,
  );
});

test('a line longer than a row can be is one malformed row', async () => {
  const seen = await tableOf(`id,note\n1,a\n2,${'x'.repeat(3_000_000)}\n3,c\n`);
  assert.deepEqual([seen.table.rowCount, seen.rows[2], seen.lines], [3, ['3', 'c'], [2, 3, 4]]);
  assert.match(seen.table.malformedRows[0].reason, /longer/);
});

test('a line that is too long is malformed even where its first value never ends', async () => {
  const seen = await tableOf(`id,note\n1,a\n${'x'.repeat(3_000_000)},b\n3,c\n`);
  assert.deepEqual(
    seen.table.malformedRows.map(({ row_number, line }) => [row_number, line]),
    [[2, 3]],
  );
  assert.deepEqual([seen.rows[1], seen.rows[2], seen.codes], [['x'.repeat(32_768), null], ['3', 'c'], []]);
});

test('a file that is no tape says what it is and what to send', async () => {
  const zip = Buffer.from('PK\x03\x04rest of a workbook', 'latin1');
  const cases: [string | Uint8Array, string, RegExp][] = [
    ['', 'EMPTY_FILE', /0 bytes/],
    [zip, 'UNREADABLE_FILE', /end of the archive is missing/],
    [Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7) % 256)), 'UNREADABLE_FILE', /binary/],
    [Buffer.from([0, 1, 2, 0, 0, 255, 254, 3]), 'UNREADABLE_FILE', /binary/],
    [Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'), 'UNREADABLE_FILE', /an image/],
    ['<!DOCTYPE html><html></html>', 'UNREADABLE_FILE', /HTML/],
    ['\n\n \n', 'UNREADABLE_FILE', /blank lines/],
    ['1,2,3\n4,5,6\n', 'UNREADABLE_FILE', /No header.*1, 2, 3/],
    [HEADER, 'NO_LOAN_ROWS', /no loan under it/],
    [`${HEADER}\n,,\n`, 'NO_LOAN_ROWS', /no loan under it/],
    [`${HEADER}Total,,0\n`, 'NO_LOAN_ROWS', /no loan under it/],
  ];
  for (const [bytes, code, message] of cases) {
    const problem = await problemOf(bytes);
    assert.equal(problem.code, code, problem.message);
    assert.match(problem.message, message);
    const probe = await probeTape(await fileOf(bytes));
    assert.deepEqual(probe.ok ? null : probe.problem, problem);
  }
});

test('limits of size, rows and columns end the reading', async () => {
  const outcome = async (limits: object) => {
    const result = await read(HEADER + LOANS, { limits });
    return result.ok ? 'READ' : result.problem.code;
  };
  assert.equal(await outcome({ maxRows: 1 }), 'TOO_MANY_ROWS');
  assert.equal(await outcome({ maxBytes: 10 }), 'TOO_LARGE');
  assert.equal(await outcome({ maxRows: 2 }), 'READ');
  const wide = (width: number) =>
    `${Array.from({ length: width }, (_, i) => `name ${String.fromCharCode(97 + (i % 26))}`).join(',')}\n${'1,'.repeat(width - 1)}1\n`;
  assert.equal((await tableOf(wide(2_000))).names.length, 2_000);
  assert.match((await problemOf(wide(2_001))).message, /2001 columns; at most 2000/);
});

test('a probe sees the columns and the first rows', async () => {
  const rows = Array.from({ length: 100_000 }, (_, i) => `L${i},NY,${i}`).join('\n');
  const probe = await probeTape(await fileOf(`My tape\n${HEADER}${rows}\n`));
  assert.ok(probe.ok);
  assert.deepEqual([probe.columns.map((column) => column.name), probe.firstRows.length], [['loan_id', 'state', 'balance'], 20]);
  assert.deepEqual(probe.firstRows[0], ['L0', 'NY', '0']);
});

const SHIFTED: [string, string][] = [
  ['of write.table', '"loan_id","state","balance"\n"1","A1","NY",100\n"2","A2","TX",200\n"3","A3","CA",300\n'],
  ['of a pandas index', 'loan_id,state,balance\n0,A1,NY,100\n1,A2,TX,200\n2,A3,CA,300\n'],
  ['with names for rows', '"loan_id";"state";"balance"\n"x";"A1";"NY";100\n"q";"A2";"TX";200\n"b";"A3";"CA";300\n'],
];
for (const [name, text] of SHIFTED) {
  test(`a header that is one name shorter than its rows, ${name}, stands for the values after the row names`, async () => {
    const seen = await tableOf(text);
    assert.deepEqual(seen.names, ['', 'loan_id', 'state', 'balance']);
    assert.deepEqual(
      seen.rows.map((row) => row.slice(1)),
      [
        ['A1', 'NY', '100'],
        ['A2', 'TX', '200'],
        ['A3', 'CA', '300'],
      ],
    );
    assert.deepEqual([seen.codes, seen.table.malformedRows], [['EMPTY_HEADER', 'HEADER_SHIFTED'], []]);
    assert.match(seen.table.notices[0].message, /3 names and the rows have 4 values/);
  });
}

test('one field more than the header is no row name where it may be anything else', async () => {
  const cases: [string, string][] = [
    ['a last column without a name', 'loan_id,state,balance\nA1,NY,100,ok\nA2,TX,200,ok\nA3,CA,300,ok\n'],
    ['a comma in every name', 'loan_id,name,balance\n1,Smith, John,100\n2,Doe, Ann,200\n3,Roe, Max,300\n'],
    ['ids from 1 and values that repeat', 'loan_id,state,balance\n1,NY,100,ok\n2,NY,200,ok\n3,CA,300,ok\n'],
    ['numbers that do not begin at 1', 'loan_id,code,balance\n7,A1,100,1\n8,A2,200,1\n9,A3,300,1\n'],
    ['one row in three', 'loan_id,state,balance\n1,A1,NY,100\nA2,TX,200\nA3,CA,300\n'],
  ];
  for (const [name, text] of cases) {
    const seen = await tableOf(text);
    assert.equal(seen.names.length, 3, name);
    assert.equal(seen.codes.includes('HEADER_SHIFTED'), false, name);
    assert.ok(seen.table.malformedRows.length > 0, name);
  }
  const trailing = await tableOf('loan_id,state,balance\n1,NY,100,\n2,TX,200,\n3,CA,300,\n');
  assert.deepEqual([trailing.rows[0], trailing.codes], [['1', 'NY', '100'], ['RAGGED_ROW']]);
});

test('a file of one column says which delimiters were tried', async () => {
  const seen = await tableOf('loan_id^balance\nA1^100\nA2^200\n');
  assert.deepEqual(seen.codes, ['ONE_COLUMN']);
  assert.match(seen.table.notices[0].message, /comma, semicolon, tab and vertical bar.*read with the comma/s);
  assert.match((await problemOf('1^2\n3^4\n')).message, /comma, semicolon, tab and vertical bar were tried/);
  assert.match((await problemOf('loan_id^balance\n')).message, /comma, semicolon, tab and vertical bar were tried/);
  assert.deepEqual((await tableOf('loan_id,balance\nA1,100\n')).codes, []);
});

test('a table of write.table, single blanks apart, is read with its row names and told', async () => {
  const rows = Array.from(
    { length: 80 },
    (_, index) => `"${index + 1}" "A${index}" "New York" ${index === 3 ? 'NA' : 100 + index}`,
  );
  rows[1] = '"2" "A1" "Acme, ""Inc""" 200';
  rows[70] = '"71" "A70" New York 170';
  const seen = await tableOf(`"loan_id" "place" "balance"\n${rows.join('\n')}\n`);
  assert.deepEqual(seen.names, ['', 'loan_id', 'place', 'balance']);
  assert.deepEqual(
    seen.rows.slice(0, 4).map((row) => row.slice(1)),
    [
      ['A0', 'New York', '100'],
      ['A1', 'Acme, "Inc"', '200'],
      ['A2', 'New York', '102'],
      ['A3', 'New York', 'NA'],
    ],
  );
  assert.deepEqual([seen.table.delimiter, seen.codes], [' ', ['BLANK_DELIMITED', 'EMPTY_HEADER', 'HEADER_SHIFTED']]);
  // A row that does not divide as the others do is told, as in any other table.
  assert.deepEqual(
    seen.table.malformedRows.map(({ line }) => line),
    [72],
  );
});

test('an aborted reading throws', async () => {
  await assert.rejects(read(HEADER + LOANS, { signal: AbortSignal.abort() }), { name: 'AbortError' });
});

test('a second header in another order is told as an error, and is no loan', async () => {
  const header = ['loan_id', 'original', 'balance', 'rate', 'term', 'state', 'a', 'b', 'c', 'd'];
  const loans = (name: string) => [1, 2].map((at) => `${name}${at},200,100,5,60,NY,1,2,3,4\n`).join('');
  const swapped = ['loan_id', 'balance', 'original', ...header.slice(3)];
  const shorter = ['loan_id', 'rate', 'term', 'balance', 'other'];
  for (const [second, first, instead] of [
    [swapped, 'balance', 'original'],
    [shorter, 'rate', 'original'],
  ] as const) {
    const seen = await tableOf(`${header.join(',')}\n${loans('L')}\n${second.join(',')}\n${loans('M')}`);
    assert.deepEqual([seen.rows.length, seen.codes], [4, ['BLANK_ROWS', 'OTHER_HEADER_ROW']], second.join());
    const [told] = seen.table.notices.filter(({ code }) => code === 'OTHER_HEADER_ROW');
    assert.deepEqual([told?.severity, told?.line], ['ERROR', 5]);
    assert.match(told?.message ?? '', new RegExp(`such as "${first}" in the place of "${instead}"`));
  }
  const again = await tableOf(`${header.join(',')}\n${loans('L')}${header.slice(0, 9).join(',').toUpperCase()},x\n${loans('M')}`);
  assert.deepEqual(again.codes, ['SECOND_HEADER_ROW']);
});

test('a message shows the beginning of a text of any length', async () => {
  const long = 'x'.repeat(400_000);
  const { message } = await problemOf(`${long},1\n2,3\n`);
  assert.ok(message.length < 1_000, String(message.length));
  assert.ok((await problemOf(`${long},loan_id\n`)).message.length < 1_000);
});
