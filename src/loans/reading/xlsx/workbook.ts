import { damagedWorkbook, TapeProblem } from '../read-problem.ts';
import { UNIT_FORMATS_MAX } from './cell-numbers.ts';
import {
  builtInKind,
  formatKind,
  GENERAL,
  type NumberKind,
  showsUnit,
  type ZeroFormat,
  ZEROS,
  zeroFormat,
} from './number-format.ts';
import { xmlTags } from './xml-scanner.ts';
import type { ZipArchive } from './zip.ts';

export interface SheetPart {
  name: string;
  /** Position in the workbook, from 0. */
  index: number;
  hidden: boolean;
  /** Name of the part in the archive. */
  part: string;
}

export interface Workbook {
  sheets: SheetPart[];
  dateSystem: 1900 | 1904;
  /** Name of the part with the shared strings, or null. */
  sharedStrings: string | null;
  /** Kind of number by the cell's style. */
  numberKinds: NumberKind[];
  /** Formats of the styles of kind ZEROS. */
  zeroFormats: ReadonlyMap<number, ZeroFormat>;
  /** Codes of number formats that show a unit, such as `#,##0" bps"`. */
  unitFormats: readonly string[];
  /** Place of the style's format in `unitFormats` from 1, by the cell's style; 0 for all others. */
  unitStyles: readonly number[];
}

const SMALL_PART_BYTES = 4 * 1024 * 1024;
const STYLES_BYTES = 32 * 1024 * 1024;
/** A spreadsheet keeps no longer code. */
const CODE_LENGTH = 255;

/** Reads the directory of a workbook; refuses archives that are not plain workbooks. */
export async function openWorkbook(zip: ZipArchive): Promise<Workbook> {
  await refuseOthers(zip);
  const part = await workbookPart(zip);
  const text = await required(zip, part);
  const relations = await relationsOf(zip, part);
  const byType = (suffix: string) => [...relations.values()].find((relation) => relation.type.endsWith(suffix))?.target ?? null;
  const styles = byType('/styles');
  return {
    ...readWorkbook(text, part, relations, zip),
    sharedStrings: byType('/sharedStrings'),
    ...readStyles(styles ? ((await zip.text(styles, STYLES_BYTES)) ?? '') : '', styles ?? ''),
  };
}

async function refuseOthers(zip: ZipArchive): Promise<void> {
  const names = zip.names;
  const types = (await zip.text('[Content_Types].xml', SMALL_PART_BYTES)) ?? '';
  // Every workbook of that form is declared as one that may hold macros.
  if (names.some((name) => /workbook\.bin$/i.test(name)))
    throw refused('The workbook is in the binary form .xlsb. Save it as .xlsx and upload it again.');
  if (/macroEnabled/i.test(types) || names.some((name) => /vbaProject\.bin$/i.test(name)))
    throw refused('The workbook holds macros. Save it as .xlsx, without macros, and upload it again.');
  if (zip.has('mimetype')) throw refused('The file is an OpenDocument file. Save it as .xlsx and upload it again.');
  if (types === '' && !zip.has('xl/workbook.xml'))
    throw refused('The file is a zip archive, not a workbook. Unpack it and upload the tape itself.');
}

function refused(message: string): TapeProblem {
  return new TapeProblem('UNREADABLE_FILE', message);
}

async function workbookPart(zip: ZipArchive): Promise<string> {
  for (const relation of (await relationsOf(zip, '')).values())
    if (relation.type.endsWith('/officeDocument') && zip.has(relation.target)) return relation.target;
  if (zip.has('xl/workbook.xml')) return 'xl/workbook.xml';
  throw refused('The file is an Office document, not a workbook. Upload an .xlsx workbook.');
}

async function required(zip: ZipArchive, part: string): Promise<string> {
  const text = await zip.text(part, SMALL_PART_BYTES);
  if (text === null) throw damagedWorkbook(`the part "${part}" is missing`);
  return text;
}

interface Relation {
  type: string;
  target: string;
}

async function relationsOf(zip: ZipArchive, part: string): Promise<Map<string, Relation>> {
  const slash = part.lastIndexOf('/');
  const directory = part.slice(0, slash + 1);
  const relationsPart = `${directory}_rels/${part.slice(slash + 1)}.rels`;
  const found = new Map<string, Relation>();
  for (const { name, isClosing, attributes } of xmlTags((await zip.text(relationsPart, SMALL_PART_BYTES)) ?? '', relationsPart)) {
    if (name !== 'Relationship' || isClosing || attributes.get('TargetMode') === 'External') continue;
    found.set(attributes.get('Id') ?? '', {
      type: attributes.get('Type') ?? '',
      target: resolvePart(directory, attributes.get('Target') ?? ''),
    });
  }
  return found;
}

function resolvePart(directory: string, target: string): string {
  const path = target.startsWith('/') ? target : `${directory}${target}`;
  const steps: string[] = [];
  for (const step of path.split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return steps.join('/');
}

function readWorkbook(
  text: string,
  part: string,
  relations: Map<string, Relation>,
  zip: ZipArchive,
): Pick<Workbook, 'sheets' | 'dateSystem'> {
  const sheets: SheetPart[] = [];
  let dateSystem: 1900 | 1904 = 1900;
  let index = 0;
  for (const { name, isClosing, attributes } of xmlTags(text, part)) {
    if (isClosing) continue;
    if (name === 'workbookPr' && /^(1|true|on)$/i.test(attributes.get('date1904') ?? '')) dateSystem = 1904;
    if (name !== 'sheet') continue;
    const relation = relations.get(attributes.get('id') ?? '');
    // Chart and dialog sheets have other relations and no cells.
    if (relation?.type.endsWith('/worksheet') && zip.has(relation.target))
      sheets.push({
        name: attributes.get('name') ?? '',
        index,
        hidden: /hidden$/i.test(attributes.get('state') ?? ''),
        part: relation.target,
      });
    index += 1;
  }
  if (sheets.length === 0) throw damagedWorkbook('it has no worksheet');
  return { sheets, dateSystem };
}

type Styles = Pick<Workbook, 'numberKinds' | 'zeroFormats' | 'unitFormats' | 'unitStyles'>;

function readStyles(text: string, part: string): Styles {
  const codes = new Map<number, string>();
  const numberKinds: NumberKind[] = [];
  const zeroFormats = new Map<number, ZeroFormat>();
  const unitPlaces = new Map<string, number>();
  const unitStyles: number[] = [];
  /** Of each number format, which many styles may have. */
  const known = new Map<number, { zeros: ZeroFormat | null; kind: NumberKind; unit: number }>();
  const look = (id: number) => {
    const code = codes.get(id);
    const zeros = code === undefined ? null : zeroFormat(code);
    const kind = zeros ? ZEROS : kindOf(id, code);
    const seen = { zeros, kind, unit: code === undefined || kind !== GENERAL ? 0 : unitPlace(unitPlaces, code) };
    known.set(id, seen);
    return seen;
  };
  let inCellFormats = false;
  for (const { name, isClosing, attributes } of xmlTags(text, part)) {
    if (name === 'cellXfs') inCellFormats = !isClosing;
    else if (name === 'numFmt' && !isClosing) {
      const id = Number(attributes.get('numFmtId'));
      codes.set(id, codeOf(attributes));
      known.delete(id);
    } else if (name === 'xf' && !isClosing && inCellFormats) {
      const id = Number(attributes.get('numFmtId') ?? 0);
      const { zeros, kind, unit } = known.get(id) ?? look(id);
      if (zeros) zeroFormats.set(numberKinds.length, zeros);
      unitStyles.push(unit);
      numberKinds.push(kind);
    }
  }
  return { numberKinds, zeroFormats, unitFormats: [...unitPlaces.keys()], unitStyles };
}

/** The code of a number format; one that no spreadsheet keeps is that of a number like any other. */
function codeOf(attributes: ReadonlyMap<string, string>): string {
  const code = attributes.get('formatCode') ?? '';
  return code.length > CODE_LENGTH ? '' : code;
}

/** The place of a code among the formats that show a unit, by their codes, to which it is added; 0 when it shows none. */
function unitPlace(places: Map<string, number>, code: string): number {
  const known = places.get(code);
  if (known !== undefined) return known;
  if (places.size >= UNIT_FORMATS_MAX || !showsUnit(code)) return 0;
  places.set(code, places.size + 1);
  return places.size;
}

function kindOf(id: number, code: string | undefined): NumberKind {
  if (code !== undefined) return formatKind(code);
  return Number.isInteger(id) ? builtInKind(id) : GENERAL;
}
