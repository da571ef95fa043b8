import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { type CsvDialect, CsvScanner } from './csv-scanner.ts';

const LIMITS = { maxColumns: 50, maxRowBytes: 512 * 1024 };
const dialects = fc.record<CsvDialect>({
  delimiter: fc.constantFrom(',', ';', '\t', '|', ' '),
  lineEnd: fc.constantFrom('LF', 'CR'),
});
const grids = fc.integer({ min: 1, max: 5 }).chain((width) =>
  fc.array(
    fc.array(fc.string({ unit: fc.constantFrom('a', '1', ' ', ',', ';', '"', '\n', 'é', '\t', '|') }), {
      minLength: width,
      maxLength: width,
    }),
    { minLength: 1, maxLength: 12 },
  ),
);

function scan(bytes: Buffer, dialect: CsvDialect, cuts: number[] = []) {
  const scanner = new CsvScanner(dialect, LIMITS);
  const rows: { line: number; fault: string; texts: string[] }[] = [];
  const take = () => {
    while (scanner.next()) {
      const { row } = scanner;
      rows.push({
        line: row.line,
        fault: row.fault,
        texts: Array.from({ length: Math.min(row.count, row.capacity) }, (_, i) => row.text(i)),
      });
    }
  };
  let at = 0;
  for (const cut of [...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    scanner.feed(bytes.subarray(at, cut));
    take();
    at = cut;
  }
  scanner.end();
  take();
  return rows;
}

test('whatever is written with proper quotes is read back, for every delimiter and line end', () => {
  fc.assert(
    fc.property(grids, dialects, fc.boolean(), (grid, dialect, always) => {
      const end = dialect.lineEnd === 'CR' ? '\r' : '\n';
      const quoted = (text: string) => (always || /[,;|\t "\n\r]|^$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
      const text = grid.map((row) => row.map(quoted).join(dialect.delimiter)).join(end);
      // without a line feed in the file only
      const values = dialect.lineEnd === 'CR' ? grid.map((row) => row.map((cell) => cell.replaceAll('\n', ' '))) : grid;
      const source = dialect.lineEnd === 'CR' ? text.replaceAll('\n', ' ') : text;
      assert.deepEqual(
        scan(Buffer.from(source), dialect).map((row) => row.texts),
        values,
      );
    }),
  );
});

test('any text gives the same rows wherever its chunks end', () => {
  const texts = fc.string({ unit: fc.constantFrom('a', '1', ' ', ',', '"', '"', '\n', '\r', '\0', 'é'), maxLength: 200 });
  fc.assert(
    fc.property(texts, dialects, fc.array(fc.nat(), { maxLength: 8 }), (text, dialect, cuts) => {
      const bytes = Buffer.from(text);
      assert.deepEqual(scan(bytes, dialect, cuts), scan(bytes, dialect));
    }),
    { numRuns: 500 },
  );
});

test('an unclosed quote far from any other ends with its line, at whatever distance the file ends', () => {
  const body = 'x,y\n'.repeat(50_000);
  for (const text of [`1,"a\n${body}`, `1,"a\n${'x,y\n'.repeat(3)}`, `1,"${'z'.repeat(100_000)}\n${body}`]) {
    const rows = scan(Buffer.from(text), { delimiter: ',', lineEnd: 'LF' }, [70_000, 140_000]);
    assert.equal(rows[0].fault, 'UNCLOSED_QUOTE');
    assert.deepEqual(rows[1], { line: 2, fault: '', texts: ['x', 'y'] });
    assert.equal(rows.length, text.split('\n').length - 1);
  }
});

const COMMA: CsvDialect = { delimiter: ',', lineEnd: 'LF' };

/** The rows of a text, each with its fault and how many bytes it has. */
function faults(text: string, limits: Partial<typeof LIMITS> = {}, cuts: readonly number[] = []) {
  const scanner = new CsvScanner(COMMA, { ...LIMITS, ...limits });
  const bytes = Buffer.from(text);
  const seen: { line: number; fault: string; first: string; count: number }[] = [];
  const take = () => {
    while (scanner.next()) {
      const { row } = scanner;
      seen.push({ line: row.line, fault: row.fault, first: row.text(0).slice(0, 10), count: row.count });
    }
  };
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    scanner.feed(bytes.subarray(from, cut));
    take();
    from = cut;
  }
  scanner.end();
  take();
  return seen;
}

test('a row may have as many bytes as a row may have, one more makes it too long and costs no other row', () => {
  for (const cuts of [[], [500], [1_002, 1_500]]) {
    const rows = faults(`${'x'.repeat(1_000)}\n${'y'.repeat(1_001)}\nz\n`, { maxRowBytes: 1_000 }, cuts);
    assert.deepEqual(
      rows.map(({ line, fault, first }) => [line, fault, first[0]]),
      [
        [1, '', 'x'],
        [2, 'ROW_TOO_LONG', 'y'],
        [3, '', 'z'],
      ],
    );
  }
});

test('a line that never ends is cut where memory would grow, and the rest of it is passed over', () => {
  const most = 1_000 + 2 * 64 * 1_024;
  const line = 'y'.repeat(10 * most);
  const cuts = Array.from({ length: 9 }, (_, index) => (index + 1) * most);
  for (const tail of ['\nz\n', '\nz'])
    assert.deepEqual(
      faults(`a\n${line}${tail}`, { maxRowBytes: 1_000 }, cuts).map(({ line: number, fault, first }) => [
        number,
        fault,
        first[0],
      ]),
      [
        [1, '', 'a'],
        [2, 'ROW_TOO_LONG', 'y'],
        [3, '', 'z'],
      ],
    );
  assert.equal(faults(line, { maxRowBytes: 1_000 }, cuts).length, 1);
});

test('a quoted field may have 64 KiB, one byte more was never closed', () => {
  const field = (bytes: number) => faults(`"${'x'.repeat(bytes)}",b\nc,d\n`).map(({ fault, count }) => [fault, count]);
  assert.deepEqual(field(64 * 1_024), [
    ['', 2],
    ['', 2],
  ]);
  assert.deepEqual(field(64 * 1_024 + 1), [
    ['UNCLOSED_QUOTE', 2],
    ['', 2],
  ]);
});

test('a quoted field may run over 200 lines, one more was never closed', () => {
  const field = (breaks: number) => faults(`"a${'\n'.repeat(breaks)}",b\nc,d\n`);
  assert.deepEqual(
    field(200).map(({ line, fault, count }) => [line, fault, count]),
    [
      [1, '', 2],
      [202, '', 2],
    ],
  );
  assert.deepEqual([field(201)[0].fault, field(201)[1].line, field(201).length], ['UNCLOSED_QUOTE', 2, 203]);
});

test('after a hundred fields that were never closed a quoted field ends with its line', () => {
  const twoLines = '"a\nb",c\n';
  const after = (broken: number) => faults(`${'x,"y\n'.repeat(broken)}${twoLines}`).slice(broken);
  assert.deepEqual(
    after(99).map(({ fault }) => fault),
    [''],
  );
  assert.deepEqual(
    after(100).map(({ fault }) => fault),
    ['UNCLOSED_QUOTE', ''],
  );
});

test('a quote that opens no field is text, behind blanks it opens one', () => {
  const texts = (text: string, dialect = COMMA) => scan(Buffer.from(text), dialect).map((row) => row.texts);
  assert.deepEqual(texts('5" pipe,a"b"c\n'), [['5" pipe', 'a"b"c']]);
  assert.deepEqual(texts('  "a, b"  ,"c"\t\n'), [['a, b', 'c']]);
  assert.deepEqual(texts('"a" \t,b'), [['a', 'b']]);
  assert.deepEqual(texts('"a"\t"b"', { delimiter: '\t', lineEnd: 'LF' }), [['a', 'b']]);
  assert.deepEqual(texts('"a" x,b"\n'), [['a" x,b']]);
  assert.deepEqual(texts('"a" x,b\n'), [['"a" x', 'b']]);
});

test('an empty line is one empty field, and the end of a file after a line end is no row', () => {
  const texts = (text: string) => scan(Buffer.from(text), COMMA).map((row) => row.texts);
  assert.deepEqual(texts(''), []);
  assert.deepEqual(texts('\n\na\n'), [[''], [''], ['a']]);
  assert.deepEqual(texts('a,\n,b'), [
    ['a', ''],
    ['', 'b'],
  ]);
  assert.deepEqual(texts('a,'), [['a', '']]);
  assert.deepEqual(texts('""'), [['']]);
});

test('a carriage return ends a line before a line feed only, or alone where the file has no line feeds', () => {
  const rows = (text: string, lineEnd: CsvDialect['lineEnd']) =>
    scan(Buffer.from(text), { delimiter: ',', lineEnd }).map(({ line, texts }) => [line, ...texts]);
  assert.deepEqual(rows('a\r\nb\rc\r\n', 'LF'), [
    [1, 'a'],
    [2, 'b\rc'],
  ]);
  assert.deepEqual(rows('a\rb\r\nc', 'CR'), [
    [1, 'a'],
    [2, 'b'],
    [3, 'c'],
  ]);
  assert.deepEqual(rows('a,"x\ry"\rb', 'CR'), [
    [1, 'a', 'x\ry'],
    [3, 'b'],
  ]);
});

test('a row tells whether its bytes may be copied as they stand, and what is odd in it', () => {
  const seen = (text: string, delimiter: CsvDialect['delimiter'] = ',') => {
    const scanner = new CsvScanner({ delimiter, lineEnd: 'LF' }, LIMITS);
    scanner.feed(Buffer.from(text));
    scanner.end();
    assert.ok(scanner.next());
    const { clean, breaks, nuls, strayQuote } = scanner.row;
    return [clean && 'clean', breaks && 'breaks', nuls && 'nuls', strayQuote && 'stray'].filter(Boolean).join(' ');
  };
  assert.equal(seen('a,"b ""c""",d\n'), 'clean');
  assert.equal(seen('a,"b\nc"\n'), 'clean breaks');
  assert.equal(seen('a;b\n', ';'), '');
  assert.equal(seen('a,5" b\n'), '');
  assert.equal(seen('a, "b"\n'), '');
  assert.equal(seen('a,"b" ,c\n'), '');
  assert.equal(seen('a,b\0c\n'), 'nuls');
  assert.equal(seen('a,"b\0c"\n'), 'nuls');
  assert.equal(seen('a,"b "c" d"\n'), 'stray');
  assert.equal(seen('a,b\rc\n'), 'breaks');
});

test('fields beyond the columns that are kept are counted', () => {
  const [row] = faults(`${'x,'.repeat(80)}x\n`, { maxColumns: 50 });
  assert.equal(row.count, 81);
});
