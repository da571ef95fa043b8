import { crc32, deflateRawSync } from 'node:zlib';

/** A part of an archive; the options are the ways in which real and hostile archives differ. */
export interface Part {
  name: string;
  data: string | Uint8Array;
  stored?: boolean;
  /** Sizes stand after the data instead of before it. */
  descriptor?: boolean;
  zip64?: boolean;
  encrypted?: boolean;
  method?: number;
  /** What the directory states instead of the truth. */
  statedSize?: number;
  statedCrc?: number;
  /** Packed bytes to use instead of packing `data`. */
  packed?: Buffer;
  /** The directory points at the bytes of this part. */
  sharesBytesOf?: string;
}

/** An archive of parts as written. */
export function zipOf(parts: readonly Part[]): Buffer {
  const chunks: Buffer[] = [];
  const offsets = new Map<string, number>();
  const directory: Buffer[] = [];
  let at = 0;
  for (const part of parts) {
    const entry = entryOf(part);
    const shared = part.sharesBytesOf === undefined ? undefined : offsets.get(part.sharesBytesOf);
    const offset = shared ?? at;
    offsets.set(part.name, offset);
    directory.push(directoryRecord(part, entry, offset));
    if (shared !== undefined) continue;
    chunks.push(entry.bytes);
    at += entry.bytes.length;
  }
  const records = Buffer.concat(directory);
  return Buffer.concat([...chunks, records, endOf(parts, records.length, at)]);
}

interface Entry {
  name: Buffer;
  packed: Buffer;
  size: number;
  crc: number;
  bytes: Buffer;
}

function entryOf(part: Part): Entry {
  const name = Buffer.from(part.name);
  const data = Buffer.from(part.data as string);
  const packed = part.packed ?? (part.stored ? data : deflateRawSync(data));
  const crc = part.statedCrc ?? crc32(data);
  const size = part.statedSize ?? data.length;
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE((part.encrypted ? 1 : 0) | (part.descriptor ? 8 : 0), 6);
  header.writeUInt16LE(part.method ?? (part.stored ? 0 : 8), 8);
  if (!part.descriptor) {
    header.writeUInt32LE(crc, 14);
    header.writeUInt32LE(part.zip64 ? 0xffffffff : packed.length, 18);
    header.writeUInt32LE(part.zip64 ? 0xffffffff : size, 22);
  }
  header.writeUInt16LE(name.length, 26);
  const extra = part.zip64 ? zip64Field(size, packed.length) : Buffer.alloc(0);
  header.writeUInt16LE(extra.length, 28);
  const tail = part.descriptor ? descriptorOf(crc, packed.length, size) : Buffer.alloc(0);
  return { name, packed, size, crc, bytes: Buffer.concat([header, name, extra, packed, tail]) };
}

function descriptorOf(crc: number, packed: number, size: number): Buffer {
  const record = Buffer.alloc(16);
  record.writeUInt32LE(0x08074b50, 0);
  record.writeUInt32LE(crc, 4);
  record.writeUInt32LE(packed, 8);
  record.writeUInt32LE(size, 12);
  return record;
}

function zip64Field(...values: number[]): Buffer {
  const field = Buffer.alloc(4 + values.length * 8);
  field.writeUInt16LE(1, 0);
  field.writeUInt16LE(values.length * 8, 2);
  values.forEach((value, index) => field.writeBigUInt64LE(BigInt(value), 4 + index * 8));
  return field;
}

function directoryRecord(part: Part, entry: Entry, offset: number): Buffer {
  const record = Buffer.alloc(46);
  const extra = part.zip64 ? zip64Field(entry.size, entry.packed.length, offset) : Buffer.alloc(0);
  record.writeUInt32LE(0x02014b50, 0);
  record.writeUInt16LE((part.encrypted ? 1 : 0) | (part.descriptor ? 8 : 0), 8);
  record.writeUInt16LE(part.method ?? (part.stored ? 0 : 8), 10);
  record.writeUInt32LE(entry.crc, 16);
  record.writeUInt32LE(part.zip64 ? 0xffffffff : entry.packed.length, 20);
  record.writeUInt32LE(part.zip64 ? 0xffffffff : entry.size, 24);
  record.writeUInt16LE(entry.name.length, 28);
  record.writeUInt16LE(extra.length, 30);
  record.writeUInt32LE(part.zip64 ? 0xffffffff : offset, 42);
  return Buffer.concat([record, entry.name, extra]);
}

function endOf(parts: readonly Part[], bytes: number, start: number): Buffer {
  const end = Buffer.alloc(22);
  const large = parts.some((part) => part.zip64);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(large ? 0xffff : parts.length, 10);
  end.writeUInt32LE(large ? 0xffffffff : bytes, 12);
  end.writeUInt32LE(large ? 0xffffffff : start, 16);
  if (!large) return end;
  const record = Buffer.alloc(76);
  record.writeUInt32LE(0x06064b50, 0);
  record.writeBigUInt64LE(44n, 4);
  record.writeBigUInt64LE(BigInt(parts.length), 32);
  record.writeBigUInt64LE(BigInt(bytes), 40);
  record.writeBigUInt64LE(BigInt(start), 48);
  record.writeUInt32LE(0x07064b50, 56);
  record.writeBigUInt64LE(BigInt(start + bytes), 64);
  return Buffer.concat([record, end]);
}

export interface SheetSpec {
  name: string;
  /** XML of the rows. */
  rows: string;
  state?: 'hidden' | 'veryHidden';
  /** XML after the rows. */
  after?: string;
}

export interface WorkbookSpec {
  sheets: SheetSpec[];
  /** XML of each `si`. */
  strings?: string[];
  /** Format codes of styles 1, 2, … */
  formats?: string[];
  date1904?: boolean;
  /** Prefix of every element. */
  prefix?: string;
  /** Replaces or adds parts, by name. */
  parts?: Part[];
  /** Applied to every part. */
  options?: Partial<Part>;
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
export const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** A workbook with exactly the XML that the test wants to see read. */
export function workbookOf(spec: WorkbookSpec): Buffer {
  const p = spec.prefix ?? '';
  const ns = p === '' ? `xmlns="${MAIN}"` : `xmlns:${p.slice(0, -1)}="${MAIN}"`;
  const sheets = spec.sheets.map((sheet, index) => ({
    name: `xl/worksheets/sheet${index + 1}.xml`,
    data: `${XML}<${p}worksheet ${ns}><${p}sheetData>${sheet.rows}</${p}sheetData>${sheet.after ?? ''}</${p}worksheet>`,
  }));
  const parts: Part[] = [
    { name: '[Content_Types].xml', data: contentTypes(spec.sheets.length) },
    { name: '_rels/.rels', data: relations([['officeDocument', 'xl/workbook.xml']]) },
    { name: 'xl/workbook.xml', data: workbookXml(spec, p, ns) },
    { name: 'xl/_rels/workbook.xml.rels', data: workbookRelations(spec) },
    { name: 'xl/styles.xml', data: stylesXml(spec.formats ?? [], p, ns) },
    ...sheets,
  ];
  if (spec.strings) parts.push({ name: 'xl/sharedStrings.xml', data: stringsXml(spec.strings, p, ns) });
  const replaced = new Map(parts.map((part) => [part.name, { ...part, ...spec.options }]));
  for (const part of spec.parts ?? []) replaced.set(part.name, { ...spec.options, ...part });
  return zipOf([...replaced.values()]);
}

/** XML of rows of plain cells: numbers as numbers, text as inline strings; a cell that begins with `<` is its own XML. */
export function rowsXml(rows: readonly (readonly (string | number | null)[])[], first = 1): string {
  return rows
    .map(
      (row, index) =>
        `<row r="${first + index}">${row.map((cell, column) => cellXml(cell, column, first + index)).join('')}</row>`,
    )
    .join('');
}

function cellXml(cell: string | number | null, column: number, row: number): string {
  const at = `${String.fromCharCode(65 + column)}${row}`;
  if (cell === null) return '';
  if (typeof cell === 'number') return `<c r="${at}"><v>${cell}</v></c>`;
  if (cell.startsWith('<')) return cell;
  return `<c r="${at}" t="inlineStr"><is><t>${cell}</t></is></c>`;
}

function workbookXml(spec: WorkbookSpec, p: string, ns: string): string {
  const sheets = spec.sheets.map(
    (sheet, index) =>
      `<${p}sheet name="${sheet.name}" sheetId="${index + 1}"${sheet.state ? ` state="${sheet.state}"` : ''} r:id="rId${index + 1}"/>`,
  );
  const system = spec.date1904 ? `<${p}workbookPr date1904="1"/>` : '';
  return `${XML}<${p}workbook ${ns} xmlns:r="${OFFICE}">${system}<${p}sheets>${sheets.join('')}</${p}sheets></${p}workbook>`;
}

function workbookRelations(spec: WorkbookSpec): string {
  const sheets = spec.sheets.map((_, index): [string, string] => ['worksheet', `worksheets/sheet${index + 1}.xml`]);
  return relations([...sheets, ['styles', '/xl/styles.xml'], ['sharedStrings', 'sharedStrings.xml']]);
}

function relations(targets: [string, string][]): string {
  const list = targets.map(
    ([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  );
  return `${XML}<Relationships xmlns="${PACKAGE}/relationships">${list.join('')}</Relationships>`;
}

function stylesXml(formats: string[], p: string, ns: string): string {
  const codes = formats.map(
    (code, index) => `<${p}numFmt numFmtId="${164 + index}" formatCode="${code.replaceAll('"', '&quot;')}"/>`,
  );
  const styles = formats.map((_, index) => `<${p}xf numFmtId="${164 + index}" applyNumberFormat="1"/>`);
  return `${XML}<${p}styleSheet ${ns}><${p}numFmts>${codes.join('')}</${p}numFmts><${p}cellStyleXfs><${p}xf numFmtId="9"/></${p}cellStyleXfs><${p}cellXfs><${p}xf numFmtId="0"/>${styles.join('')}</${p}cellXfs></${p}styleSheet>`;
}

function stringsXml(strings: string[], p: string, ns: string): string {
  return `${XML}<${p}sst ${ns}>${strings.map((text) => `<${p}si>${text}</${p}si>`).join('')}</${p}sst>`;
}

function contentTypes(sheets: number): string {
  const kind = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
  const list = Array.from(
    { length: sheets },
    (_, index) => `<Override PartName="/xl/worksheets/sheet${index + 1}.xml" ContentType="${kind}.worksheet+xml"/>`,
  );
  return `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${kind}.sheet.main+xml"/><Override PartName="/xl/sharedStrings.xml" ContentType="${kind}.sharedStrings+xml"/>${list.join('')}</Types>`;
}
