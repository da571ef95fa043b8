import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DOUBLED, PLAIN, Row, SLOPPY } from './row.ts';

/** A row whose fields are these texts, one after the other in its bytes, as they stand. */
function rowOf(texts: readonly string[], { capacity = 10, kind = PLAIN, before = '' } = {}): Row {
  const row = new Row(capacity);
  row.bytes = Buffer.from(before + texts.join(','));
  let at = Buffer.byteLength(before);
  row.reset(7, at);
  for (const text of texts) {
    const end = at + Buffer.byteLength(text);
    row.push(at, end, kind);
    at = end + 1;
  }
  row.rawEnd = at - 1;
  return row;
}

test('a row counts its fields and those with at least one byte, and knows the text of each', () => {
  const row = rowOf(['a', '', ' ', 'é漢']);
  assert.deepEqual([row.count, row.filled, row.line], [4, 3, 7]);
  assert.deepEqual([row.text(0), row.text(1), row.text(2), row.text(3), row.text(4)], ['a', '', ' ', 'é漢', '']);
});

test('quotes of a quoted field are undoubled, those of a plain one are kept', () => {
  assert.equal(rowOf(['a""b'], { kind: PLAIN }).text(0), 'a""b');
  assert.equal(rowOf(['a""b'], { kind: DOUBLED }).text(0), 'a"b');
  assert.equal(rowOf(['the "big" ""one""'], { kind: SLOPPY }).text(0), 'the "big" "one"');
});

test('a field of blanks and control characters only is blank, whatever they are', () => {
  const row = rowOf(['', ' ', '\t \r', '.', ' x', '\u00a0']);
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5].map((index) => row.isBlank(index)),
    [true, true, true, false, false, false],
  );
  assert.equal(row.filledExactly(), 3);
});

test('texts are trimmed and at most as many as asked for', () => {
  const row = rowOf([' a ', '\tb', 'c']);
  assert.deepEqual(row.texts(), ['a', 'b', 'c']);
  assert.deepEqual(row.texts(2), ['a', 'b']);
});

test('fields beyond the capacity of a row are counted, and have no text', () => {
  const row = rowOf(['a', 'b', 'c', 'd'], { capacity: 2 });
  assert.deepEqual([row.count, row.filled, row.filledExactly(), row.capacity], [4, 4, 2, 2]);
  assert.deepEqual([row.text(1), row.text(2), row.texts()], ['b', '', ['a', 'b']]);
});

test('a row that begins anew has nothing of the row before it', () => {
  const row = rowOf(['a', 'b']);
  row.breaks = true;
  row.nuls = true;
  row.strayQuote = true;
  row.fault = 'UNCLOSED_QUOTE';
  row.reset(9, 3);
  assert.deepEqual(
    [row.count, row.filled, row.line, row.rawStart, row.rawEnd, row.breaks, row.nuls, row.strayQuote, row.fault],
    [0, 0, 9, 3, 3, false, false, false, ''],
  );
});

test('a copy keeps its texts and marks when the bytes of the original are overwritten', () => {
  const row = rowOf(['a""', 'b'], { kind: DOUBLED, before: 'the row before\n' });
  row.formats = new Uint16Array(10).fill(3);
  row.breaks = true;
  row.fault = 'ROW_TOO_LONG';
  const copy = row.copy();
  row.bytes.fill(120);
  row.reset(1, 0);
  assert.deepEqual([copy.text(0), copy.text(1), copy.count, copy.filled, copy.line], ['a"', 'b', 2, 2, 7]);
  assert.deepEqual([copy.breaks, copy.fault, copy.formats], [true, 'ROW_TOO_LONG', new Uint16Array([3, 3])]);
  assert.deepEqual([copy.rawStart, copy.bytes.toString('utf8', copy.rawStart, copy.rawEnd)], [0, 'a"",b']);
});

test('a copy of a row beyond its capacity still counts all its fields', () => {
  const copy = rowOf(['a', 'b', 'c'], { capacity: 2 }).copy();
  assert.deepEqual([copy.count, copy.capacity, copy.texts()], [3, 2, ['a', 'b']]);
  assert.equal(copy.formats, null);
});
