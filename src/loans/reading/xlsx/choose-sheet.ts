import { findHeader } from '../header.ts';
import { damagedWorkbook, TapeProblem } from '../read-problem.ts';
import { SheetScanner, type SheetContext } from './sheet-scanner.ts';
import type { SheetPart, Workbook } from './workbook.ts';
import { xmlChunks } from './xml-chunks.ts';
import type { ZipArchive } from './zip.ts';

const SHEETS_MAX = 200;
const SAMPLE_ROWS = 60;
const SAMPLE_BYTES = 4 * 1024 * 1024;
/** Usual names of the sheet with the loans, and of the others. */
const LOAN_NAME = /tape|loan|data|pool|portfolio|export|receivable|contract|asset/i;
const OTHER_NAME = /summary|cover|read ?me|notes?\b|dictionary|legend|instruction|pivot|definition|lookup|glossary|chart|total/i;

export interface SheetChoice {
  sheet: SheetPart;
  /** Names of visible sheets that were not read. */
  others: string[];
  /** Those of them with the same header. */
  alike: string[];
  hidden: string[];
}

interface Sampled {
  sheet: SheetPart;
  score: number;
  header: string;
  isEmpty: boolean;
}

/** Chooses the sheet with the loans: of the visible ones the one that looks most like a table, wide and with rows under a header. */
export async function chooseSheet(zip: ZipArchive, workbook: Workbook, context: SheetContext): Promise<SheetChoice> {
  const hidden = workbook.sheets.filter((sheet) => sheet.hidden).map((sheet) => sheet.name);
  const visible = workbook.sheets.filter((sheet) => !sheet.hidden);
  if (visible.length === 0)
    throw new TapeProblem(
      'UNREADABLE_FILE',
      `Every sheet of the workbook is hidden (${hidden.join(', ')}). Unhide the sheet with the loans and upload the workbook again.`,
    );
  if (visible.length > SHEETS_MAX) throw damagedWorkbook(`it has ${visible.length} sheets, at most ${SHEETS_MAX} are examined`);
  if (visible.length === 1) return { sheet: visible[0], others: [], alike: [], hidden };
  const sampled: Sampled[] = [];
  for (const sheet of visible) sampled.push(scored(sheet, await sampleRows(zip, sheet, context)));
  const best = sampled.reduce((a, b) => (b.score > a.score ? b : a));
  const rest = sampled.filter((one) => one !== best && !one.isEmpty);
  const alike = rest.filter((one) => one.score > 0 && one.header === best.header);
  return { sheet: best.sheet, others: rest.map((one) => one.sheet.name), alike: alike.map((one) => one.sheet.name), hidden };
}

async function sampleRows(zip: ZipArchive, sheet: SheetPart, context: SheetContext): Promise<string[][]> {
  const rows: string[][] = [];
  const scanner: SheetScanner = new SheetScanner(sheet.part, context, (row) => {
    rows.push(row.texts());
    if (rows.length >= SAMPLE_ROWS) scanner.stop();
  });
  let size = 0;
  for await (const chunk of xmlChunks(zip, sheet.part)) {
    size += chunk.length;
    scanner.feed(chunk);
    if (scanner.isStopped || size >= SAMPLE_BYTES) break;
  }
  return rows.filter((row) => row.some(Boolean));
}

function scored(sheet: SheetPart, rows: string[][]): Sampled {
  const header = findHeader(rows);
  const names = header ? rows[header.index].filter(Boolean) : [];
  const loans = header ? rows.slice(Math.max(header.index, ...header.seconds) + 1) : [];
  const hint = OTHER_NAME.test(sheet.name) ? 0.3 : LOAN_NAME.test(sheet.name) ? 1.5 : 1;
  return {
    sheet,
    score: names.length * Math.sqrt(loans.length) * hint,
    header: names.join('\n').toLowerCase(),
    isEmpty: rows.length === 0,
  };
}
