import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { type CsvDialect, CsvScanner } from './csv-scanner.ts';

const LIMITS = { maxColumns: 50, maxRowBytes: 512 * 1024 };
const dialects = fc.record<CsvDialect>({ delimiter: fc.constantFrom(',', ';', '\t', '|'), lineEnd: fc.constantFrom('LF', 'CR') });
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
      const quoted = (text: string) => (always || /[,;|\t"\n\r]|^ | $|^$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
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
