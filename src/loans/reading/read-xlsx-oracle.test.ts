import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { readXlsx } from 'hucre/xlsx';
import { tableOf } from './testing/read-for-test.ts';
import { workbookOf } from './testing/workbook-for-test.ts';

const FORMATS = ['yyyy-mm-dd', '0.00%', '#,##0.00', '@'];

type Cell = { xml: (place: string) => string; string?: string };

const words = fc
  .string({
    unit: fc.constantFrom('a', 'Z', '7', ' ', '&amp;', '&lt;', '&#233;', 'ü', '€', '"', ',', ';', '.'),
    minLength: 1,
    maxLength: 12,
  })
  .map((text) => `w${text}w`);
const numbers = fc.oneof(fc.integer({ min: -1_000_000, max: 1_000_000 }), fc.double({ min: -1e9, max: 1e9, noNaN: true }));
const cells: fc.Arbitrary<Cell> = fc.oneof(
  numbers.map((value) => ({ xml: (place: string) => `<c r="${place}"><v>${value}</v></c>` })),
  numbers.map((value) => ({ xml: (place: string) => `<c r="${place}" s="3"><f>1+1</f><v>${value}</v></c>` })),
  fc.integer({ min: 61, max: 73_000 }).map((value) => ({ xml: (place: string) => `<c r="${place}" s="1"><v>${value}</v></c>` })),
  words.map((text) => ({
    xml: (place: string) => `<c r="${place}" t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`,
  })),
  words.map((text) => ({ string: text, xml: (place: string) => `<c r="${place}" t="s"><v>{${text}}</v></c>` })),
  fc.boolean().map((value) => ({ xml: (place: string) => `<c r="${place}" t="b"><v>${Number(value)}</v></c>` })),
  fc.constant({ xml: () => '' }),
);
const WIDTH = 6;
const grids = fc.array(fc.array(cells, { minLength: WIDTH, maxLength: WIDTH }), { minLength: 1, maxLength: 30 });

test('generated workbooks hold the same cells for this reader and for another one', async () => {
  await fc.assert(
    fc.asyncProperty(grids, async (grid) => {
      const strings = [...new Set(grid.flat().flatMap((cell) => cell.string ?? []))];
      const bytes = workbookOf({
        sheets: [{ name: 'Tape', rows: sheetXml(grid, strings) }],
        strings: strings.map((text) => `<t xml:space="preserve">${text}</t>`),
        formats: FORMATS,
      });
      const seen = await tableOf(bytes, { format: 'xlsx' });
      const other = (await readXlsx(bytes)).sheets[0].rows ?? [];
      assert.equal(seen.table.rowCount, grid.length);
      seen.rows.forEach((row, index) => {
        row.forEach((found, column) =>
          assert.equal(asNumberOrText(found), plain(other[index + 1]?.[column]), `${index}/${column}`),
        );
      });
    }),
    { numRuns: 40 },
  );
});

function sheetXml(grid: Cell[][], strings: string[]): string {
  const header = Array.from(
    { length: WIDTH + 1 },
    (_, column) => `<c r="${letter(column)}1" t="inlineStr"><is><t>name ${letter(column)}</t></is></c>`,
  ).join('');
  const rows = grid.map((row, index) => {
    const number = index + 2;
    // the first column keeps every row filled and tells loans from totals
    const first = `<c r="A${number}" t="inlineStr"><is><t>id-${number}</t></is></c>`;
    return `<row r="${number}">${first}${row.map((cell, column) => withIndex(cell.xml(`${letter(column + 1)}${number}`), strings)).join('')}</row>`;
  });
  return `<row r="1">${header}</row>${rows.join('')}`;
}

function withIndex(xml: string, strings: string[]): string {
  return xml.replace(/\{(.*)\}/s, (_, text: string) => String(strings.indexOf(text)));
}

function letter(column: number): string {
  return String.fromCharCode(65 + column);
}

function asNumberOrText(text: string | null): string | number | null {
  return text !== null && /^-?[\d.]+(e[+-]?\d+)?$/i.test(text) ? Number(text) : text;
}

function plain(value: unknown): string | number | null {
  if (value === undefined || value === null || value === '') return null;
  if (value instanceof Date) return value.toISOString().slice(0, 10);
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  return typeof value === 'number' ? value + 0 : (value as string);
}
