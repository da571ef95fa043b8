import assert from 'node:assert/strict';
import { rowsXml, workbookOf, XML, zipOf } from '../../src/loans/reading/testing/workbook-for-test.ts';
import type { Gateway } from '../support/gateway.ts';
import { sendTape, XLSX } from '../support/tapes.ts';

const ROWS = [
  ['Loan ID', 'LoanAmount', 'DateApproved'],
  ['A1', 100, '2026-01-05'],
  ['A2', 200, '2026-01-06'],
] as const;
const sheet = { name: 'Tape', rows: rowsXml(ROWS) };
const refused: Expected = { complete: 'UNREADABLE_FILE', xlsx: true };

/** The cases about workbooks: id → what is sent and how it must end. */
export const WORKBOOKS: Record<string, (gateway: Gateway) => Promise<void>> = {
  X01: (gateway) =>
    tape(
      workbookOf({ sheets: [{ name: 'Tape', rows: `${sheet.rows}${' '.repeat(200 * 1024 * 1024)}` }] }),
      { complete: 'PAYLOAD_TOO_LARGE', xlsx: true },
      'Business',
    )(gateway),
  X03: tape(zipOf([{ name: 'inner.zip', data: zipOf([{ name: 'a', data: 'b' }]) }]), refused),
  X05: tape(
    workbookOf({
      sheets: [sheet, { name: 'Again', rows: '' }],
      parts: [{ name: 'xl/worksheets/sheet2.xml', data: '', sharesBytesOf: 'xl/worksheets/sheet1.xml' }],
    }),
    refused,
    'Business',
  ),
  X07: tape(
    workbookOf({
      sheets: [sheet],
      parts: [
        {
          name: 'xl/sharedStrings.xml',
          data: `${XML}<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><sst><si><t>&b;</t></si></sst>`,
        },
      ],
    }),
    refused,
    'Business',
  ),
  X09: tape(
    workbookOf({
      sheets: [sheet],
      parts: [{ name: 'xl/worksheets/sheet1.xml', data: `${XML}<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x.dtd"><worksheet/>` }],
    }),
    refused,
  ),
  X11: tape(
    workbookOf({
      sheets: [{ name: 'Tape', rows: `${sheet.rows}<row r="4"><c r="A4" t="s"><v>4294967295</v></c></row>` }],
      strings: ['<si><t>x</t></si>'],
    }),
    refused,
    'Business',
  ),
  X15: tape(workbookOf({ sheets: [sheet], parts: [{ name: 'xl/vbaProject.bin', data: 'x' }] }), refused),
  X17: tape(
    workbookOf({
      sheets: [
        {
          name: 'Tape',
          rows: rowsXml([
            ['Loan ID', 'LoanAmount'],
            ['A1', 100],
          ]),
        },
      ],
      date1904: true,
    }),
    { rows: 1, xlsx: true },
    'Business',
  ),
  X19: tape(
    workbookOf({
      sheets: [{ name: 'Tape', rows: sheet.rows, after: '<mergeCells count="1"><mergeCell ref="A2:A3"/></mergeCells>' }],
    }),
    { rows: 2, xlsx: true },
    'Business',
  ),
  X21: tape(workbookOf({ sheets: [sheet], options: { zip64: true, stored: true } }), { rows: 2, xlsx: true }, 'Business'),
  C09: (gateway) => tape(`Loan ID,LoanAmount\n${'A,1\n'.repeat(20)}`, { ends: true }, 'Business')(gateway),
};

export type Expected = { complete?: string; state?: string; rows?: number; warnings?: boolean; ends?: boolean; xlsx?: boolean };

/** A tape of these bytes is refused at once, or its checks end with what is expected; nothing in between. */
export function tape(bytes: Buffer | string, expected: Expected, loanType = 'Auto') {
  return async (gateway: Gateway): Promise<void> => {
    const holder = await gateway.key('originator', `Tape ${Math.random()}`);
    const format = expected.xlsx ? { fileFormat: XLSX, fileName: 't.xlsx' } : {};
    const { deal_id, completed } = await sendTape(gateway, holder, { loanType, bytes, ...format });
    if (expected.complete) return assert.equal(completed.body.code, expected.complete);
    assert.equal(completed.status, 202, JSON.stringify(completed.body));
    await gateway.runJobs();
    const deal = (await gateway.call('GET', `/v1/api/originator/loans/${deal_id}`, { as: holder })).body.data;
    assert.notEqual(deal.qc.state, 'RUNNING');
    if (expected.state) assert.equal(deal.qc.state, expected.state);
    if (expected.rows) assert.equal(deal.qc.rows, expected.rows);
    if (expected.warnings) assert.ok(deal.issue_counts.warning > 0);
  };
}
