import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../../test/support/property.ts';
import { formatKind } from './number-format.ts';
import { SharedStrings } from './shared-strings.ts';
import { SheetScanner } from './sheet-scanner.ts';
import { UsualCell } from './usual-cell.ts';

const STRINGS = ['plain', 'an ünusual one', '', 'x'];
const FORMATS = ['yyyy-mm-dd', 'General', '0.00%', '#,##0.00', 'h:mm'];

/** The rows of a sheet that arrives in pieces of `step` bytes: a cell in more than one piece is read as any XML. */
function scanned(cells: string, step: number): string[] {
  const bytes = Buffer.from(`<worksheet><sheetData><row r="1">${cells}</row></sheetData></worksheet>`);
  const strings = new SharedStrings(100);
  for (const text of STRINGS.map((each) => Buffer.from(each))) {
    strings.append(text, 0, text.length);
    strings.close();
  }
  const rows: string[] = [];
  const scanner = new SheetScanner(
    'sheet1.xml',
    {
      strings,
      numberKinds: FORMATS.map(formatKind),
      zeroFormats: new Map(),
      unitStyles: [],
      dateSystem: 1900,
      maxColumns: 20,
      maxRowBytes: 10_000,
    },
    (row) => rows.push(JSON.stringify([row.filled, row.breaks, row.texts(), Array.from(row.formats ?? []).slice(0, row.count)])),
  );
  try {
    for (let at = 0; at < bytes.length; at += step) scanner.feed(bytes.subarray(at, at + step));
    scanner.end();
  } catch (error) {
    rows.push(String(error));
  }
  return [...rows, `${scanner.longNumbersCount} long, ${scanner.formulasWithoutValueCount} without`];
}

const takes = (cell: string): boolean => {
  const bytes = Buffer.from(`${cell}<c r="B1"/>`);
  return new UsualCell().read(bytes, 0, bytes.length);
};

test('cells as Excel, LibreOffice and others write them are taken at once', () => {
  const usual = [
    '<c r="A1"><v>1</v></c>',
    '<c r="AB12" s="3"><v>-1.5E-3</v></c>',
    '<c r="A1" t="s"><v>0</v></c>',
    '<c r="A1" s="12" t="s"><v>3</v></c>',
    '<c r="A1" s="1" t="n"><v>45123</v></c>',
    '<c r="A1" t="inlineStr"><is><t>text</t></is></c>',
    '<c r="A1" s="1" t="inlineStr"><is><t xml:space="preserve"> text </t></is></c>',
  ];
  for (const cell of usual) assert.ok(takes(cell), cell);
});

test('what has to be decoded, calculated or looked at is left to the reader of any XML', () => {
  const unusual = [
    '<c r="A1"/>',
    '<c r="A1"><f>1+1</f><v>2</v></c>',
    '<c r="A1" t="b"><v>1</v></c>',
    '<c r="A1" t="str"><v>text</v></c>',
    '<c r="A1" t="e"><v>#N/A</v></c>',
    '<c s="1" r="A1"><v>1</v></c>',
    "<c r='A1'><v>1</v></c>",
    '<c r="A1" cm="1"><v>1</v></c>',
    '<x:c r="A1"><x:v>1</x:v></x:c>',
    '<c r="A1" t="inlineStr"><is><t>a &amp; b</t></is></c>',
    '<c r="A1" t="inlineStr"><is><t>_x000D_</t></is></c>',
    '<c r="A1" t="inlineStr"><is><t>ü</t></is></c>',
    '<c r="A1" t="inlineStr"><is><r><t>rich</t></r></is></c>',
    '<c r="A1" t="inlineStr"><is><t>text</t><rPh><t>hint</t></rPh></is></c>',
    '<c r="A1"><v><![CDATA[1]]></v></c>',
    '<c r="A1"><v>1</v><extLst/></c>',
    '<cc r="A1"><v>1</v></cc>',
    '<c r="A1" s=""><v>1</v></c>',
    '<c r="A1" t="inlineStr"><is><t xmlns="">abcdefgrve">tail</t></is></c>',
    '<c r="A1" t="inlineStr"><is><u>text</u></is></c>',
  ];
  for (const cell of unusual) assert.equal(takes(cell), false, cell);
});

const pick = fc.constantFrom.bind(fc);
const texts = fc.string({
  unit: pick('a', '7', '.', '-', 'E', '0', ' ', 'ü', '&amp;', '_', '\n', '\r', '<![CDATA[x]]>', '>', '"'),
  maxLength: 8,
});
const numbers = fc.oneof(
  fc.integer({ min: -100, max: 3_000_000 }).map(String),
  fc.double({ noNaN: true }).map(String),
  pick('45123', '00045', '4512.50', '1234567890123456789', '0.0725', '7.2499999999999995E-2', '309360001.0', '', ' 45123 '),
);
const attributes = fc
  .tuple(
    pick(' r="{}"', ' r="{}"', " r='{}'", '', ' r="7"', ' r="ZZZZ1"'),
    pick('', ' s="1"', ' s="2"', ' s="4"', ' s="99"', ' s=""'),
  )
  .map((each) => each.join(''));
const cells = fc.oneof(
  fc
    .tuple(attributes, pick('', ' t="n"', ' t="s"', ' t="b"', ' t="str"'), numbers)
    .map(([at, type, text]) => `<c${at}${type}><v>${text}</v></c>`),
  fc.tuple(attributes, fc.integer({ min: 0, max: 5 })).map(([at, index]) => `<c${at} t="s"><v>${index}</v></c>`),
  fc
    .tuple(attributes, pick('', ' xml:space="preserve"', ' xml:lang="en"'), texts)
    .map(([at, space, text]) => `<c${at} t="inlineStr"><is><t${space}>${text}</t></is></c>`),
);

test('a cell that is taken at once is read as it is when it comes byte by byte', () => {
  fc.assert(
    fc.property(fc.array(cells, { maxLength: 8 }), (row) => {
      const xml = row.map((cell, column) => cell.replace('{}', `${'ABCDEFGH'[column]}1`)).join('');
      assert.deepEqual(scanned(xml, 10_000), scanned(xml, 1));
    }),
    { numRuns: 2_000 },
  );
});
