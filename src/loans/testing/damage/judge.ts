import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findField, roles } from '../../dictionary/dictionary.ts';
import { readTape } from '../../reading/read-tape.ts';
import type { LoanType } from '../../types.ts';
import { ingestRawTable } from '../../ingest/ingest.ts';
import { TOKEN_KEY } from '../take-tape.ts';
import type { IngestResult } from '../../ingest/ingest-types.ts';
import type { openRoom } from '../take-tape.ts';
import type { Damaged, Table } from './table.ts';

type Room = Awaited<ReturnType<typeof openRoom>>;
type Loan = Record<string, string | null>;
type Issue = { row_number: number | null; field: string | null; column_name: string | null; rule_id: string };

/** What a tape gave: its loans by field, or why it was refused. */
export type Reading =
  | { ok: true; result: IngestResult; loans: Loan[]; issues: Issue[]; notices: string[] }
  | { ok: false; message: string };

/**
 * RIGHT: every value as in the undamaged tape. TOLD: every other value is missing or named by a finding. REFUSED: no loans, with a reason.
 * SILENT: a loan or a value that differs without a word; `faults` says which.
 */
export type Verdict = { verdict: 'RIGHT' | 'TOLD' | 'REFUSED' | 'SILENT'; faults: string[] };

export async function read(room: Room, loanType: LoanType, bytes: Buffer): Promise<Reading> {
  const dir = await mkdtemp(join(room.dir, 'damaged-'));
  try {
    const path = join(dir, 'tape.csv');
    await writeFile(path, bytes);
    const tape = await readTape({ path, format: 'csv', workDir: dir });
    if (!tape.ok) return { ok: false, message: tape.problem.message };
    const result = await ingestRawTable({
      engine: room.engine,
      loanType,
      outDir: dir,
      asOf: '2026-11-20',
      tokenKey: TOKEN_KEY,
      raw: tape.table,
      remembered: [],
      overrides: [],
    });
    const issues = await room.engine.rows<Issue>(
      `SELECT row_number, field, column_name, rule_id FROM read_parquet('${result.files.issues}')`,
    );
    const fields = result.mapping.mappings.map(({ target }) => target);
    const columns = ['row_number', ...fields].map((field) => `CAST(${field} AS VARCHAR) AS ${field}`);
    const loans = result.files.loans
      ? await room.engine.rows<Loan>(
          `SELECT ${columns.join(', ')} FROM read_parquet('${result.files.loans}') ORDER BY row_number`,
        )
      : [];
    return { ok: true, result, loans, issues, notices: tape.table.notices.map(({ code }) => code) };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Compares the reading of a damaged tape with that of the undamaged one. */
export function judge(table: Table, truth: Extract<Reading, { ok: true }>, damaged: Damaged, seen: Reading): Verdict {
  if (!seen.ok) return { verdict: 'REFUSED', faults: [seen.message] };
  if (seen.result.needs_mapping) return { verdict: 'REFUSED', faults: ['no column gives an amount'] };
  const faults: string[] = [];
  const id = roles(table.loanType).id;
  const kept = damaged.kept ?? truth.loans.map((_, row) => row);
  const expected = kept.map((row) => truth.loans[row]).filter((loan) => loan !== undefined);
  const pairs = pairsOf(expected, seen.loans, id, damaged.byOrder === true);
  const told = (rule: string) =>
    seen.notices.length > 0 || seen.issues.some((issue) => issue.rule_id === rule || issue.row_number !== null);
  if (pairs.extra.length > 0 && !damagedRows(damaged, truth, pairs.extra, id) && !told('EXTRA'))
    faults.push(`${pairs.extra.length} loans too many`);
  if (pairs.missing > 0 && !told('MISSING')) faults.push(`${pairs.missing} loans are missing`);
  const different = new Map<string, { silent: number; example: string }>();
  let exact = pairs.missing === 0 && pairs.extra.length === 0;
  for (const [one, other] of pairs.matched)
    for (const field of new Set([...Object.keys(one), ...Object.keys(other)])) {
      if (field === 'row_number' || (field === id && damaged.byOrder)) continue;
      // A column that was added may be a field of its own, such as the floor of a rate.
      if (!findField(table.loanType, field) || !(field in one)) continue;
      const should = damaged.gone?.includes(field) ? null : (one[field] ?? null);
      const is = other[field] ?? null;
      if (same(should, is)) continue;
      exact = false;
      if (is === null || isTold(seen, field, other.row_number ?? null)) continue;
      const fault = different.get(field) ?? { silent: 0, example: `${should} read as ${is}` };
      different.set(field, { ...fault, silent: fault.silent + 1 });
    }
  for (const [field, { silent, example }] of different) faults.push(`${field}: ${silent} values, ${example}`);
  return { verdict: faults.length > 0 ? 'SILENT' : exact ? 'RIGHT' : 'TOLD', faults };
}

/** Loans of rows that the damage left half legible are no new ones. */
function damagedRows(damaged: Damaged, truth: Extract<Reading, { ok: true }>, extra: readonly Loan[], id: string): boolean {
  if (!damaged.kept) return false;
  return extra.every((loan) => truth.loans.some((each) => each[id] === loan[id] || loan[id] === null));
}

function same(one: string | null, other: string | null): boolean {
  if (one === other) return true;
  if (one === null || other === null) return false;
  const [a, b] = [Number(one), Number(other)];
  return Number.isFinite(a) && Number.isFinite(b) && Math.abs(a - b) <= 0.000001 * Math.max(1, Math.abs(a));
}

/** Whether a finding names the field, or the row and the field. */
function isTold(seen: Extract<Reading, { ok: true }>, field: string, row: string | null): boolean {
  const source = seen.result.mapping.mappings.find(({ target }) => target === field)?.source;
  return seen.issues.some(
    (issue) =>
      (issue.field === field || (source !== undefined && issue.column_name === source)) &&
      (issue.row_number === null || String(issue.row_number) === row),
  );
}

function pairsOf(expected: readonly Loan[], seen: readonly Loan[], id: string, byOrder: boolean) {
  if (byOrder || !expected.every((loan) => loan[id])) {
    const matched = expected.flatMap((loan, index) => (seen[index] ? [[loan, seen[index]] as const] : []));
    return { matched, missing: expected.length - matched.length, extra: seen.slice(expected.length) };
  }
  const left = new Map(seen.map((loan) => [loan[id] ?? '', loan]));
  const matched: (readonly [Loan, Loan])[] = [];
  for (const loan of expected) {
    const other = left.get(loan[id] ?? '');
    if (other === undefined) continue;
    matched.push([loan, other]);
    left.delete(loan[id] ?? '');
  }
  return { matched, missing: expected.length - matched.length, extra: [...left.values()] };
}
