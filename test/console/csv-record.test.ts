import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvRecord } from '../../console/src/ui/csv-record.ts';
import { csvLine } from '../../src/loans/export/spreadsheet-text.ts';
import fc from '../support/property.ts';

test('a cell in a file of the console is what it is in a file of the API', () => {
  const piece = fc.constantFrom(
    '',
    'a',
    '=1',
    "'",
    '+',
    '-',
    '-12.50',
    '@x',
    ' ',
    '\t',
    '\r',
    '\n',
    '＝1',
    '"',
    ',',
    'é',
    '1e-7',
  );
  const cell = fc.array(piece, { maxLength: 3 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(fc.array(cell, { minLength: 1, maxLength: 4 }), (cells) => assert.equal(csvRecord(cells), csvLine(cells))),
  );
});

test('a figure is a figure in both, however small', () => {
  for (const figure of [-0.00000012, 0.00000005, -12.5, 0]) {
    assert.equal(csvRecord([figure]), `${figure}\r\n`);
    assert.equal(csvLine([String(figure)]), `${figure}\r\n`);
  }
});
