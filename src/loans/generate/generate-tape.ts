import type { LoanType } from '../types.ts';
import { type Cell, writeWorkbook } from '../export/workbook-writer.ts';
import { amountField, type Defect, defectsFor, type DraftRow, type PlantedFinding } from './defects.ts';
import { drawTerms, type LoanTerms, REPORTING_DATE } from './loan-terms.ts';
import { cellText, type GeneratedCell, monthText, type TapeProfile } from './profile.ts';
import { AUTO, CREDIT_CARD, PERSONAL, STUDENT } from './profiles-consumer.ts';
import { BUSINESS, MORTGAGE } from './profiles-property.ts';
import { Random } from './random.ts';

/** How an originator of each loan type writes a tape. */
export const PROFILES: Record<LoanType, TapeProfile> = {
  Auto: AUTO,
  Personal: PERSONAL,
  Mortgage: MORTGAGE,
  Student: STUDENT,
  Business: BUSINESS,
  'Credit Card': CREDIT_CARD,
};

export interface GenerateOptions {
  type: LoanType;
  rows: number;
  /** Plants defects into some rows, a line above the header and a line of totals. */
  defects?: boolean;
  seed: number;
  /** Day of the tape, YYYY-MM-DD; the dates of its loans lie around it. */
  reportingDate?: string;
}

export interface GeneratedTape {
  /** Headers as the originator writes them. */
  header: readonly string[];
  /** The tape as CSV in pieces of some 64 KiB: memory does not grow with the rows. */
  csv(): AsyncGenerator<string>;
  /** The tape as a workbook, with dates, percents and amounts as formatted numbers. */
  xlsx(): AsyncGenerator<Buffer>;
  /** The findings that a check must report, in the order of the rows; findings about the whole tape first. */
  findings(format?: 'csv' | 'xlsx'): PlantedFinding[];
}

/** A realistic tape of one loan type: the same options give the same bytes. A clean tape has no findings on any row. */
export function generateTape(options: GenerateOptions): GeneratedTape {
  const profile = PROFILES[options.type];
  const { defects = false, reportingDate = REPORTING_DATE } = options;
  const plan = { ...options, profile, defects, reportingDate };
  return {
    header: profile.columns.map((column) => column.header),
    csv: () => csvOf(plan),
    xlsx: () => xlsxOf(plan),
    findings: (format = 'csv') => findingsOf(plan, format),
  };
}

export interface GenerationPlan {
  profile: TapeProfile;
  rows: number;
  defects: boolean;
  seed: number;
  reportingDate: string;
}

/** Least number of loans between two planted defects, so that no tape is rejected for them. */
const SPACING = 8;
const PIECE_CHARS = 64 * 1024;
const BANNER = ['Harbor Servicing Platform - loan tape', ''];

interface FinishedRow extends DraftRow {
  findings: PlantedFinding[];
}

function* rowsOf(
  { profile, rows, defects, seed, reportingDate }: GenerationPlan,
  format: 'csv' | 'xlsx',
): Generator<FinishedRow> {
  const random = new Random(seed);
  const planned = defects ? plannedDefects(profile, rows, format) : new Map<number, Defect>();
  const firstLine = lineOfFirstRow(defects, format);
  const place = (field: string) => profile.columns.findIndex((column) => column.field === field);
  let previous: readonly (GeneratedCell | null)[] = [];
  for (let rowNumber = 1; rowNumber <= rows; rowNumber += 1) {
    const row: DraftRow = { rowNumber, cells: drawLoan(profile, rowNumber, random, reportingDate).cells, previous, surplus: [] };
    const found = planned.get(rowNumber)?.plant(row, place) ?? [];
    const findings = found.map(({ rowsBack = 0, ...finding }) => ({
      row_number: rowNumber - rowsBack,
      line: firstLine + rowNumber - 1 - rowsBack,
      ...finding,
    }));
    yield { ...row, findings };
    previous = row.cells;
  }
}

/** A loan of a clean tape: its terms, and its cells in the order of the profile's columns. */
export type DrawnLoan = { terms: LoanTerms; cells: (GeneratedCell | null)[] };

/** The loans of a clean tape, in its order. */
export function* drawLoans({ profile, rows, seed, reportingDate }: Omit<GenerationPlan, 'defects'>): Generator<DrawnLoan> {
  const random = new Random(seed);
  for (let number = 1; number <= rows; number += 1) yield drawLoan(profile, number, random, reportingDate);
}

function drawLoan(profile: TapeProfile, number: number, random: Random, reportingDate: string): DrawnLoan {
  const terms = drawTerms(random, number, profile.terms, reportingDate);
  const cells = profile.columns.map((column) => {
    const value = column.value(terms, random);
    return value === null ? null : { kind: column.kind, value };
  });
  return { terms, cells };
}

/** Each defect in turn, evenly over the tape and never two in neighbouring rows. */
function plannedDefects(profile: TapeProfile, rows: number, format: 'csv' | 'xlsx'): Map<number, Defect> {
  const defects = defectsFor(profile).filter((defect) => format === 'csv' || !defect.csvOnly);
  const count = Math.min(defects.length * Math.max(1, Math.floor(rows / 400)), Math.floor(rows / SPACING));
  const step = Math.floor(rows / (count + 1));
  return new Map(Array.from({ length: count }, (_, index) => [step * (index + 1), defects[index % defects.length]]));
}

function lineOfFirstRow(defects: boolean, format: 'csv' | 'xlsx'): number {
  return defects && format === 'csv' ? BANNER.length + 2 : 2;
}

async function* csvOf(plan: GenerationPlan): AsyncGenerator<string> {
  const { profile, defects } = plan;
  let piece = defects ? `${BANNER.map((line) => `${line}\r\n`).join('')}` : '';
  piece += csvLine(profile.columns.map((column) => column.header));
  let total = 0;
  for (const row of rowsOf(plan, 'csv')) {
    piece += csvLine([...row.cells.map((cell) => cellText(cell, profile)), ...row.surplus]);
    total += amountOf(row, profile);
    if (piece.length < PIECE_CHARS) continue;
    yield piece;
    piece = '';
  }
  if (defects) piece += csvLine(totalsCells(profile, total).map((cell) => cellText(cell, profile)));
  yield piece;
}

async function* xlsxOf(plan: GenerationPlan): AsyncGenerator<Buffer> {
  const { profile } = plan;
  yield* writeWorkbook({ sheetName: 'Loan Tape', header: profile.columns.map((column) => column.header), rows: sheetRows(plan) });
}

function* sheetRows(plan: GenerationPlan): Generator<Cell[]> {
  let total = 0;
  for (const row of rowsOf(plan, 'xlsx')) {
    total += amountOf(row, plan.profile);
    yield row.cells.map((cell) => sheetCell(cell, plan.profile));
  }
  if (plan.defects) yield totalsCells(plan.profile, total).map((cell) => sheetCell(cell, plan.profile));
}

function findingsOf(plan: GenerationPlan, format: 'csv' | 'xlsx'): PlantedFinding[] {
  if (!plan.defects) return [];
  const found = [...rowsOf(plan, format)].flatMap((row) => row.findings);
  const firstLine = lineOfFirstRow(true, format);
  const about = (rule_id: string, line: number | null, field: string | null = null): PlantedFinding => ({
    row_number: null,
    line,
    rule_id,
    severity: 'WARNING',
    field,
  });
  const shared = found.find((finding) => finding.rule_id === 'DUPLICATE_LOAN_ID');
  return [
    ...(format === 'csv' ? [about('BANNER_LINES', 1)] : []),
    about('TOTALS_ROW', firstLine + plan.rows),
    ...(shared ? [about('DUPLICATE_LOAN_IDS', null, shared.field)] : []),
    ...found.sort((a, b) => (a.row_number ?? 0) - (b.row_number ?? 0)),
  ];
}

function totalsCells(profile: TapeProfile, cents: number): (GeneratedCell | null)[] {
  const amount = amountField(profile);
  return profile.columns.map((column, index) => {
    if (index === 0) return { kind: 'text', value: 'Total' };
    return column.field === amount ? { kind: 'money', value: cents } : null;
  });
}

function amountOf(row: DraftRow, profile: TapeProfile): number {
  const cell = row.cells[profile.columns.findIndex((column) => column.field === amountField(profile))];
  return cell?.kind === 'money' ? Number(cell.value) : 0;
}

export function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\r\n`;
}

function sheetCell(cell: GeneratedCell | null, profile: TapeProfile): Cell {
  if (cell === null) return null;
  switch (cell.kind) {
    case 'date':
      return { number: String(serialDay(String(cell.value))), format: 'date' };
    case 'month':
      return monthText(String(cell.value), profile.monthStyle);
    case 'money':
      return { number: String(Number(cell.value) / 100), format: 'amount' };
    case 'percent':
      return profile.percentStyle === 'SIGN'
        ? { number: String(Number(cell.value) / 100), format: 'percent' }
        : Number(cell.value);
    default:
      return cell.value;
  }
}

/** Days since 1899-12-30: the serial of a date in the 1900 system, from March 1900 on. */
function serialDay(date: string): number {
  return Date.parse(date) / 86_400_000 + 25_569;
}
