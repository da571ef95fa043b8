import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { probeTape } from './probe.ts';
import type { TapeFormat } from './raw-table.ts';
import { fileOf, read } from './testing/read-for-test.ts';
import { rowsXml, workbookOf } from './testing/workbook-for-test.ts';

const CODES = ['EMPTY_FILE', 'UNREADABLE_FILE', 'NO_LOAN_ROWS', 'TOO_LARGE', 'TOO_MANY_ROWS'];
const HEADER = ['loan_id', 'opened', 'rate', 'balance'];
const LOANS = Array.from({ length: 6 }, (_, i) => [`L${i}`, 45_000 + i, 0.05, 100 + i]);
const STRINGS = ['<t>shared</t>', '<r><t>ri</t></r><r><t>ch</t></r>'];
const SHEET = 'xl/worksheets/sheet1.xml';
const sheetXml = Buffer.from(
  `<worksheet><sheetData>${rowsXml([HEADER, ...LOANS])}<row><c t="s"><v>0</v></c></row></sheetData></worksheet>`,
);
const stringsXml = Buffer.from(`<sst>${STRINGS.map((text) => `<si>${text}</si>`).join('')}</sst>`);
const workbook = workbookOf({
  sheets: [
    { name: 'Tape', rows: rowsXml([HEADER, ...LOANS]) },
    { name: 'Cover', rows: rowsXml([['x']]) },
  ],
  strings: STRINGS,
});
const csv = Buffer.from(
  `Tape of June\n${HEADER.join(',')}\n${LOANS.map((row) => `"${row.join('","')}"`).join('\r\n')}\nTotal,,,600\n`,
);

type Change = { at: number; byte: number; cut: boolean };
const changes = fc.array(fc.record<Change>({ at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }), cut: fc.boolean() }), {
  minLength: 1,
  maxLength: 6,
});

function changed(bytes: Buffer, list: Change[]): Buffer {
  const copy = Buffer.from(bytes);
  for (const { at, byte } of list) copy[at % copy.length] = byte;
  const cut = list.find((change) => change.cut && change.at % 3 === 0);
  return cut ? copy.subarray(0, cut.at % copy.length) : copy;
}

/** A sound archive around a damaged part. */
function around(name: string, data: Buffer): Buffer {
  return workbookOf({ sheets: [{ name: 'Tape', rows: rowsXml([HEADER, ...LOANS]) }], strings: STRINGS, parts: [{ name, data }] });
}

const files: [string, TapeFormat, (list: Change[]) => Buffer][] = [
  ['a CSV file', 'csv', (list) => changed(csv, list)],
  ['a workbook', 'xlsx', (list) => changed(workbook, list)],
  ['the sheet of a workbook', 'xlsx', (list) => around(SHEET, changed(sheetXml, list))],
  ['the strings of a workbook', 'xlsx', (list) => around('xl/sharedStrings.xml', changed(stringsXml, list))],
];
for (const [name, format, damage] of files) {
  test(`${name} damaged anywhere is read or refused with a reason, and never a fault`, async () => {
    await fc.assert(
      fc.asyncProperty(changes, async (list) => {
        const damagedBytes = damage(list);
        const outcome = await read(damagedBytes, { format });
        if (!outcome.ok) {
          assert.ok(CODES.includes(outcome.problem.code));
          assert.ok(outcome.problem.message.length > 20);
        } else assert.ok(outcome.table.rowCount > 0 && outcome.table.columns.length > 0);
        const probe = await probeTape(await fileOf(damagedBytes));
        assert.equal(probe.ok || CODES.includes(probe.problem.code), true);
      }),
      { numRuns: 120 },
    );
  });
}
