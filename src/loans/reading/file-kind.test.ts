import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { fileKind, formatOfName, refuseMarkup } from './file-kind.ts';
import { probeTape } from './probe.ts';
import { fileOf, problemOf, tableOf } from './testing/read-for-test.ts';
import { rowsXml, workbookOf } from './testing/workbook-for-test.ts';

const CSV = 'loan_id,state,balance\nA1,NY,100\nA2,TX,200\n';
const WORKBOOK = workbookOf({
  sheets: [
    {
      name: 'Tape',
      rows: rowsXml([
        ['loan_id', 'state', 'balance'],
        ['A1', 'NY', 100],
        ['A2', 'TX', 200],
      ]),
    },
  ],
});
const ROWS = [
  ['A1', 'NY', '100'],
  ['A2', 'TX', '200'],
];

/** A compound file whose directory has these streams, the directory in sectors that are apart. */
function compoundOf(names: string[], sectorSize = 512): Buffer {
  const perSector = sectorSize / 128;
  const count = Math.ceil((names.length + 1) / perSector);
  const file = Buffer.alloc(sectorSize * (2 + 2 * count));
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(file);
  file.writeUInt16LE(Math.log2(sectorSize), 30);
  // sector 0 is the allocation table, the directory has every second sector after it
  file.writeUInt32LE(1, 48);
  file.fill(0xff, 76, 512);
  file.writeUInt32LE(0, 76);
  ['Root Entry', ...names].forEach((name, index) => {
    const sector = 1 + 2 * Math.floor(index / perSector);
    const at = (sector + 1) * sectorSize + 128 * (index % perSector);
    file.write(name, at, 'utf16le');
    file.writeUInt16LE(2 * name.length + 2, at + 64);
  });
  for (let at = 0; at < count; at += 1)
    file.writeUInt32LE(at + 1 < count ? 3 + 2 * at : 0xfffffffe, sectorSize + 4 * (1 + 2 * at));
  return file;
}

const wide = (text: string) => Buffer.from(text, 'utf16le');
const SHEET_2003 =
  '<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"></Workbook>';
const tar = Buffer.alloc(1024);
tar.write('tape.csv');
tar.write('ustar', 257);

const NOT_TAPES: [name: string, bytes: string | Buffer, message: RegExp][] = [
  [
    'a legacy workbook',
    compoundOf(['Workbook']),
    /^This is a legacy Excel workbook \(\.xls\)\. Save it as \.xlsx or CSV and send it again\.$/,
  ],
  ['a legacy workbook of Excel 5', compoundOf(['Book']), /legacy Excel workbook/],
  [
    'a workbook with a password',
    compoundOf(['A', 'B', 'C', 'D', 'EncryptedPackage']),
    /a workbook with a password\. Save it without/,
  ],
  ['the same in large sectors', compoundOf(['EncryptedPackage'], 4096), /a workbook with a password/],
  ['a Word document', compoundOf(['WordDocument']), /a Word document/],
  ['a message', compoundOf(['__properties_version1.0']), /an e-mail message/],
  ['a compound file that is cut off', compoundOf(['Workbook']).subarray(0, 600), /\.xls\), or one with a password/],
  ['the beginning of one', Buffer.from('d0cf11e0a1', 'hex'), /\.xls\), or one with a password/],
  ['JSON', '[{"loan_id":"A1","balance":100}]', /a JSON document.*bulk/],
  ['JSON over many lines', '{\n  "loans": [\n    {"loan_id": "A1"}\n  ]\n}\n', /a JSON document/],
  ['a list of JSON over many lines', '[\n  {\n    "loan_id": "A1"\n  }\n]\n', /a JSON document/],
  ['JSON lines', '{"loan_id":"A1","balance":100}\n{"loan_id":"A2","balance":200}\n', /a file of JSON lines.*CSV/],
  ['JSON in UTF-16', wide('[{"loan_id":"A1"}]'), /a JSON document/],
  ['an HTML table', '<table><tr><td>loan_id</td></tr></table>', /an HTML page.*\.xls/],
  ['an HTML page', '\ufeff\n<!DOCTYPE html><html></html>', /an HTML page/],
  ['XML Spreadsheet 2003', SHEET_2003, /an XML Spreadsheet 2003.*Save it as \.xlsx/],
  ['other XML', '<loans><loan id="A1"/></loans>', /an XML document/],
  ['a PDF', '%PDF-1.7\n%\xe2\xe3', /a PDF document/],
  ['an image', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), /an image/],
  ['rich text', '{\\rtf1 loan_id}', /Rich Text/],
  ['an encrypted Parquet file', 'PARE0000PARE', /an encrypted Parquet file/],
  ['a 7-Zip archive', Buffer.from('377abcaf271c0004', 'hex'), /a 7-Zip archive\. Unpack it/],
  ['a Zstandard archive', Buffer.from('28b52ffd0458', 'hex'), /a Zstandard archive/],
  ['a tar archive', tar, /a tar archive/],
  ['a packed tar archive', gzipSync(tar), /a gzip archive of a tar archive/],
  ['a packed workbook', gzipSync(WORKBOOK), /a gzip archive of an Excel workbook or a zip archive/],
  ['an archive in an archive', gzipSync(gzipSync(CSV)), /a gzip archive of another gzip archive/],
  ['packed JSON', gzipSync('[{"loan_id":"A1"}]'), /a JSON document/],
  ['an empty archive', gzipSync(''), /The gzip file is empty/],
  ['an archive that is cut off', gzipSync(CSV).subarray(0, 40), /gzip file cannot be expanded/],
  ['a Parquet file that is cut off', 'PAR1rest of a file', /Parquet file cannot be read: its end is missing/],
  ['a Parquet file of nothing', 'PAR1\0\0\0\0PAR1', /Parquet file cannot be read/],
];
for (const [name, bytes, message] of NOT_TAPES) {
  test(`${name} is named, with what to send in its place, whatever format was named`, async () => {
    for (const format of ['csv', 'xlsx', 'parquet'] as const) {
      const problem = await problemOf(bytes, format);
      assert.match(problem.message, message);
      assert.match(problem.code, /UNREADABLE_FILE|EMPTY_FILE/);
      assert.match(problem.message, /\b(send|Pack)\b/i, 'what to do');
    }
    const probe = await probeTape(await fileOf(bytes));
    assert.match(probe.ok ? '' : probe.problem.message, message);
  });
}

test('a file is read as what it is, and a notice says that another format was named', async () => {
  const cases = [
    [CSV, 'xlsx', 'csv'],
    [WORKBOOK, 'csv', 'xlsx'],
    [WORKBOOK, 'parquet', 'xlsx'],
    [gzipSync(CSV), 'xlsx', 'csv'],
  ] as const;
  for (const [bytes, named, found] of cases) {
    const seen = await tableOf(bytes, { format: named });
    assert.deepEqual([seen.rows, seen.table.format, seen.codes], [ROWS, found, ['FORMAT_DIFFERS']]);
    assert.deepEqual([seen.table.notices[0].actual, seen.table.notices[0].expected], [found, named]);
  }
  assert.deepEqual((await tableOf(CSV)).codes, []);
  assert.deepEqual((await tableOf(WORKBOOK, { format: 'xlsx' })).codes, []);
});

test('UTF-16 without a mark is read', async () => {
  for (const bytes of [wide(CSV), wide(CSV).swap16()]) {
    const seen = await tableOf(bytes);
    assert.deepEqual([seen.rows, seen.codes], [ROWS, ['ENCODING_DETECTED']]);
  }
});

test('a header with brackets, braces or angle brackets is a header', async () => {
  for (const header of ['[Loan ID],[State],[Balance]', '{loan},{state},{balance}', '<loan>,<state>,<balance>', '["a],b,c']) {
    assert.doesNotThrow(() => refuseMarkup(`${header}\nA1,NY,100\n`), header);
  }
  assert.deepEqual((await tableOf('[Loan ID],[State],[Balance]\nA1,NY,100\nA2,TX,200\n')).rows, ROWS);
});

test('an archive that was split or is empty is still an archive', async () => {
  for (const magic of ['PK\x03\x04', 'PK\x05\x06', 'PK\x07\x08']) assert.equal(await fileKind(await fileOf(magic)), 'xlsx');
  assert.equal(await fileKind(await fileOf('PK,loan\n')), 'text');
});

test('a name says its format, and CSV where it says none', () => {
  const names = ['a.xlsx', 'a.XLSX', 'a.parquet', 'a.pq', 'a.csv', 'a.csv.gz', 'a.txt', 'a'];
  assert.deepEqual(names.map(formatOfName), ['xlsx', 'xlsx', 'parquet', 'parquet', 'csv', 'csv', 'csv', 'csv']);
});
