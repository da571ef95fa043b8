import { type FileHandle, open } from 'node:fs/promises';
import type { TapeFormat } from './raw-table.ts';
import { TapeProblem } from './read-problem.ts';
import { readBytes } from './xlsx/zip-directory.ts';

/** What a file is by its first bytes; `text` may still turn out to be none. */
export type FileKind = 'text' | 'gzip' | 'xlsx' | 'parquet';

const AS_TABLE = 'Save it as .xlsx or CSV and send it again.';

type Foreign = [magic: string | RegExp, what: string, remedy: string];

/** Files that are not tapes, by their first bytes in Latin-1. */
const FOREIGN: readonly Foreign[] = [
  ['PARE', 'an encrypted Parquet file', 'Write it without encryption and send it again.'],
  ['%PDF', 'a PDF document', 'Send the tape that it was printed from, as CSV or .xlsx.'],
  ['\x89PNG', 'an image', 'Send the tape as CSV or .xlsx.'],
  ['\xff\xd8\xff', 'an image', 'Send the tape as CSV or .xlsx.'],
  ['GIF8', 'an image', 'Send the tape as CSV or .xlsx.'],
  [/^BZh[1-9]1AY&SY/, 'a bzip2 archive', 'Unpack it, or pack it with gzip, and send it again.'],
  ['\xfd7zXZ\0', 'an xz archive', 'Unpack it, or pack it with gzip, and send it again.'],
  ['\x28\xb5\x2f\xfd', 'a Zstandard archive', 'Unpack it, or pack it with gzip, and send it again.'],
  ['7z\xbc\xaf\x27\x1c', 'a 7-Zip archive', 'Unpack it and send the tape itself.'],
  ['Rar!\x1a\x07', 'a RAR archive', 'Unpack it and send the tape itself.'],
  ['ARROW1\0\0', 'an Arrow (Feather) file', 'Write it as Parquet or CSV and send it again.'],
  ['Obj\x01', 'an Avro file', 'Write it as Parquet or CSV and send it again.'],
  ['SQLite format 3\0', 'an SQLite database', 'Export the table with the loans as CSV and send it.'],
  ['{\\rtf', 'a document in Rich Text Format', 'Send the tape as CSV or .xlsx.'],
];

/** Finds what a file is; throws a TapeProblem that names a file which cannot be a tape. */
export async function fileKind(path: string): Promise<FileKind> {
  await using file = await open(path);
  const head = await readBytes(file, 0, 512);
  const begins = (magic: string) => head.subarray(0, magic.length).toString('latin1') === magic;
  // The second is an archive without parts, the third one that is split.
  if (begins('PK\x03\x04') || begins('PK\x05\x06') || begins('PK\x07\x08')) return 'xlsx';
  if (begins('\x1f\x8b')) return 'gzip';
  if (begins('PAR1')) return 'parquet';
  if (begins('\xd0\xcf\x11\xe0')) throw notATape(...(await compoundContent(file, head)));
  refuseForeign(head);
  return 'text';
}

/** The format that a file has by its name; CSV without a known one. */
export function formatOfName(name: string): TapeFormat {
  if (/\.xlsx$/i.test(name)) return 'xlsx';
  return /\.(parquet|pq)$/i.test(name) ? 'parquet' : 'csv';
}

/** Whether a file begins as one of text does, packed or not; a workbook and Parquet do not. */
export async function isOfText(path: string): Promise<boolean> {
  await using file = await open(path);
  return !/^(?:PK|PAR1)/.test((await readBytes(file, 0, 4)).toString('latin1'));
}

/** Throws for bytes that are known not to be text. */
export function refuseForeign(head: Buffer): void {
  const text = head.toString('latin1', 0, 512);
  for (const [magic, what, remedy] of FOREIGN)
    if (typeof magic === 'string' ? text.startsWith(magic) : magic.test(text)) throw notATape(what, remedy);
  if (text.startsWith('ustar', 257)) throw notATape('a tar archive', 'Unpack it and send the tape itself.');
}

/** The content of a gzip file: CSV text, or a problem that names what it is in the archive. */
export function refusePacked(head: Buffer): void {
  const text = head.toString('latin1', 0, 512);
  const found =
    PACKED.find(([magic]) => text.startsWith(magic)) ?? (text.startsWith('ustar', 257) ? ['', 'a tar archive'] : null);
  if (found)
    throw notATape(`a gzip archive of ${found[1]}`, 'Only CSV text may be packed with gzip: unpack it and send the tape itself.');
}

const PACKED: readonly [string, string][] = [
  ['PK\x03\x04', 'an Excel workbook or a zip archive'],
  ['\x1f\x8b', 'another gzip archive'],
  ['PAR1', 'a Parquet file'],
  ['\xd0\xcf\x11\xe0', 'a legacy Office file'],
];

/** Throws for text that is markup or JSON. `sample` is the beginning of the text. */
export function refuseMarkup(sample: string): void {
  const text = sample.replace(/^\ufeff/, '').trimStart();
  if (text.startsWith('<')) {
    if (/urn:schemas-microsoft-com:office:spreadsheet|progid="Excel\.Sheet"/.test(text))
      throw notATape('an XML Spreadsheet 2003, as Excel saved it', `Open it in a spreadsheet program. ${AS_TABLE}`);
    if (/^<(!doctype html|html|head|body|table|meta|style|div|script)\b/i.test(text) || /<table\b/i.test(text))
      throw notATape(
        'an HTML page, as some systems export it under the name .xls',
        `Open it in a spreadsheet program. ${AS_TABLE}`,
      );
    if (/^<(\?xml|!doctype)/i.test(text) || /^<[a-z][\s\S]*<\/[a-z]/i.test(text))
      throw notATape('an XML document', 'Send the loans as CSV or .xlsx.');
  }
  const json = jsonForm(text);
  if (json)
    throw notATape(json, 'Send the loans as CSV with a row for each loan, or as `loans` of POST /v1/api/originator/loans/bulk.');
}

/** The name of JSON text, or null. A header may begin with a bracket too (`[Loan ID],[Balance]`), so its structure is compared. */
function jsonForm(text: string): string | null {
  if (!/^[[{]/.test(text)) return null;
  const [first, second] = text.split(/\r?\n/, 2).map((line) => line.trim());
  if (isJsonValue(first)) return second && /^[[{]/.test(second) ? 'a file of JSON lines' : 'a JSON document';
  const begins = /^\{\s*"(?:[^"\\]|\\.)*"\s*:/.test(text) || /^\[\s*[[{]\s*["\]}[{\d-]/.test(text) || isJsonValue(text);
  return begins ? 'a JSON document' : null;
}

function isJsonValue(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const FREE_SECTORS = 0xfffffffa;

/** What an OLE compound file is by the names of its streams ([MS-CFB] 2.6): a legacy workbook, one with a password, or another document. */
async function compoundContent(file: FileHandle, header: Buffer): Promise<[string, string]> {
  const names = await streamNames(file, header);
  if (names.has('EncryptedPackage'))
    return ['a workbook with a password', 'Save it without the password, as .xlsx or CSV, and send it again.'];
  if (names.has('Workbook') || names.has('Book')) return ['a legacy Excel workbook (.xls)', AS_TABLE];
  if (names.has('WordDocument')) return ['a Word document', 'Send the tape as CSV or .xlsx.'];
  if (names.has('__properties_version1.0'))
    return ['an e-mail message', 'Send the tape that is attached to it, as CSV or .xlsx.'];
  return [
    'a legacy Office file, such as an Excel workbook (.xls), or one with a password',
    `${AS_TABLE} A password must be removed first.`,
  ];
}

async function streamNames(file: FileHandle, header: Buffer): Promise<Set<string>> {
  const names = new Set<string>();
  const shift = header.length < 512 ? 0 : header.readUInt16LE(30);
  if (shift !== 9 && shift !== 12) return names;
  const size = 1 << shift;
  const perSector = size / 4;
  let sector = header.readUInt32LE(48);
  for (let count = 0; count < 64 && sector < FREE_SECTORS; count += 1) {
    const entries = await readBytes(file, (sector + 1) * size, size);
    for (let at = 0; at + 128 <= entries.length; at += 128) {
      const length = Math.min(64, entries.readUInt16LE(at + 64));
      if (length > 2) names.add(entries.toString('utf16le', at, at + length - 2));
    }
    // The header lists the first 109 sectors of the allocation table, enough for any directory that matters here.
    const table = Math.floor(sector / perSector);
    if (table >= 109) break;
    const position = (header.readUInt32LE(76 + 4 * table) + 1) * size + 4 * (sector % perSector);
    const next = await readBytes(file, position, 4);
    if (next.length < 4) break;
    sector = next.readUInt32LE(0);
  }
  return names;
}

function notATape(what: string, remedy: string): TapeProblem {
  return new TapeProblem('UNREADABLE_FILE', `This is ${what}. ${remedy}`);
}
