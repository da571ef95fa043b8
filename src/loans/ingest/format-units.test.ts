import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { rowsXml, workbookOf } from '../reading/testing/workbook-for-test.ts';
import { openRoom } from '../testing/take-tape.ts';
import type { MappingRequest } from '../types.ts';

let room: Awaited<ReturnType<typeof openRoom>>;
before(async () => {
  room = await openRoom();
});
after(() => room[Symbol.asyncDispose]());

const RULES = ['CURRENCY_NOT_USD', 'MIXED_CURRENCIES', 'UNIT_CONTRADICTED', 'UNIT_UNCLEAR'];
const HEADER = ['Loan ID', 'Original Amount Financed', 'Current Balance', 'Interest Rate', 'Original Term'];
const AMOUNT = 1;
const BALANCE = 2;
const RATE = 3;
const TERM = 4;
const COLUMNS = [AMOUNT, BALANCE, RATE, TERM] as const;
type Column = (typeof COLUMNS)[number];

type More = { header?: string[]; overrides?: MappingRequest[]; values?: { [C in Column]?: (row: number) => number } };

/** A tape of forty loans; the cells of a column have the formats that are given for it, one after the other and again from the first. */
async function take(
  formats: Partial<Record<Column, readonly string[]>>,
  { header = HEADER, overrides = [], values = {} }: More = {},
) {
  const codes = [...new Set(COLUMNS.flatMap((column) => formats[column] ?? []))];
  const valueOf = (column: Column, row: number) =>
    values[column]?.(row) ?? [20_000.5, 18_000 + row, 6 + row / 100, 60][column - 1];
  const loans = Array.from({ length: 40 }, (_, row) => [
    `L${row}`,
    ...COLUMNS.map((column) => {
      const own = formats[column] ?? [];
      const style = own.length === 0 ? 0 : codes.indexOf(own[row % own.length]) + 1;
      return `<c r="${'ABCDE'[column]}${row + 2}" s="${style}"><v>${valueOf(column, row)}</v></c>`;
    }),
  ]);
  const path = join(await room.newDir(), 'tape.xlsx');
  await writeFile(path, workbookOf({ sheets: [{ name: 'Tape', rows: rowsXml([header, ...loans]) }], formats: codes }));
  return await room.take({ loanType: 'Auto', path, format: 'xlsx', overrides });
}

async function told(...request: Parameters<typeof take>) {
  const { tape_findings } = await take(...request);
  return tape_findings
    .filter(({ rule_id }) => RULES.includes(rule_id))
    .map(({ rule_id, field, actual }) => [rule_id, field, actual]);
}

test('number formats that show another currency than the dollar, or several, are told', async () => {
  for (const [code, currency] of [
    ['[$€-407]#,##0.00', 'EUR'],
    ['"£"#,##0', 'GBP'],
    ['[$CHF] #,##0.00', 'CHF'],
    ['_-* #,##0.00\\ "€"_-;-* #,##0.00\\ "€"_-', 'EUR'],
    ['#,##0.00 [$kr-41D]', 'kr'],
    ['[$$-1009]#,##0.00', 'CAD'],
    ['[$$-2C0A]#,##0.00', '$-2C0A'],
    ['"SEK "#,##0', 'SEK'],
    ['€#,##0,"k"', 'EUR'],
  ] as const)
    assert.deepEqual(await told({ [BALANCE]: [code] }), [['CURRENCY_NOT_USD', 'current_balance', `40 ${currency}`]], code);
  const mixed = ['[$€-407]#,##0.00', '"£"#,##0', '[$€-407]#,##0.00', '$#,##0'];
  assert.deepEqual(await told({ [BALANCE]: mixed }), [['MIXED_CURRENCIES', 'current_balance', '20 EUR, 10 GBP, 10 USD']]);
  assert.deepEqual(await told({ [BALANCE]: ['[$€-407]0', '0'] }), [['CURRENCY_NOT_USD', 'current_balance', '20 EUR']]);
});

test('dollars, and formats without a unit, are no finding', async () => {
  const dollars = [
    '"$"#,##0.00',
    '$#,##0',
    '[$$-409]#,##0',
    '[$$-en-US]0',
    '[$USD] 0',
    '_("$"* #,##0.00_);_("$"* (#,##0.00)',
    '[$-409]0',
  ];
  assert.deepEqual(await told({ [AMOUNT]: dollars, [BALANCE]: ['#,##0.00', '[Red]0', '0.00_ '] }), []);
  assert.deepEqual(await told({ [RATE]: ['0.00', '0.000'], [TERM]: ['0" months"', '0 "mo"'] }), []);
});

test('what the header or the mapping says of the currency is not told again', async () => {
  const header = HEADER.with(BALANCE, 'Current Balance (EUR)');
  assert.deepEqual(await told({ [BALANCE]: ['[$€-407]0'] }, { header }), [['CURRENCY_NOT_USD', 'current_balance', 'EUR']]);
  const overrides = [{ source: 'Current Balance', target: 'current_balance', transform: { multiply: 1.08 } }];
  assert.deepEqual(await told({ [BALANCE]: ['[$€-407]0'] }, { overrides }), []);
});

test('a unit beside the numbers that is not that of the field is told, and no number is changed', async () => {
  const bps = await take({ [RATE]: ['0" bps"'] }, { values: { [RATE]: (row) => 600 + row } });
  assert.deepEqual(
    bps.tape_findings
      .filter(({ rule_id }) => RULES.includes(rule_id))
      .map(({ rule_id, field, actual }) => [rule_id, field, actual]),
    [['UNIT_CONTRADICTED', 'interest_rate', '0" bps"']],
  );
  assert.match(
    bps.tape_findings.find(({ rule_id }) => rule_id === 'UNIT_CONTRADICTED')?.message ?? '',
    /40 cells shows "bps".*"scale": 0\.01/,
  );
  assert.deepEqual(await told({ [BALANCE]: ['0" k"'] }), [['UNIT_CONTRADICTED', 'current_balance', '0" k"']]);
  assert.deepEqual(await told({ [BALANCE]: ['0" m"'] }), [['UNIT_UNCLEAR', 'current_balance', '0" m"']]);
  assert.deepEqual(await told({ [TERM]: ['0" years"'] }), [['UNIT_CONTRADICTED', 'original_term_months', '0" years"']]);
  assert.deepEqual(await told({ [RATE]: ['"$"0.00'] }), [['UNIT_CONTRADICTED', 'interest_rate', '"$"0.00']]);
  const header = HEADER.with(RATE, 'Interest Rate (bps)');
  assert.deepEqual(await told({ [RATE]: ['0" bps"'] }, { header, values: { [RATE]: (row) => 600 + row } }), []);
  const overrides = [{ source: 'Interest Rate', target: 'interest_rate', transform: { scale: 0.01 } }];
  assert.deepEqual(await told({ [RATE]: ['0" bps"'] }, { overrides, values: { [RATE]: (row) => 600 + row } }), []);
});

test('amounts that are only shown in thousands are stored whole', async () => {
  const { tape_findings, total_balance } = await take({ [BALANCE]: ['#,##0,', '0," k"', '0.0,,"M"'] });
  assert.deepEqual([tape_findings.filter(({ rule_id }) => RULES.includes(rule_id)), total_balance], [[], '720780.00']);
});

test('a percent sign that is a text of the format stands behind the stored number', async () => {
  for (const code of ['0.00"%"', '0.00\\%', '0.00" % p.a."']) {
    const taken = await take({ [RATE]: [code] }, { values: { [RATE]: (row) => (row === 0 ? 7.25 : 0.5) } });
    const [first, second] = await taken.loans('interest_rate');
    assert.deepEqual([Number(first?.['interest_rate']), Number(second?.['interest_rate'])], [7.25, 0.5], code);
    assert.ok(
      taken.decisions.some((decision) => decision.includes('40 values carry a % sign')),
      code,
    );
  }
});
