import { NO_ROWS, type Page, type PageRequest } from '../../platform/pages.ts';
import { selectRows } from '../engine/select-page.ts';
import { parquet, sqlText, textList } from '../engine/sql.ts';
import { BIT_SETS, hasBit, rulesIn, wordColumns } from './bits.ts';
import { compiling } from './compile.ts';
import { moneyText, toMicro } from './decimal.ts';
import { explainer, type RuleFailure } from './explain.ts';
import { criteriaFields } from './fields.ts';
import type { CriteriaSet } from './language.ts';
import { loanRelation, type TapeFiles } from './relation.ts';

export type CriteriaOutcome = 'PASSED' | 'FAILED' | 'WAIVED';

/** CriteriaOutcome of one loan with every rule that it does not pass, including waived failures and warnings. */
export interface LoanOutcome {
  loan_id: string;
  row_number: number;
  outcome: CriteriaOutcome;
  /** Exact decimal text. */
  balance: string;
  failures: RuleFailure[];
}

export interface OutcomesInput extends TapeFiles, PageRequest {
  outcomesPath: string;
  /** The set of the run. */
  set: CriteriaSet;
  /** How many loans the run counted of each outcome; without, they are counted again. Waived ones are among `passed`. */
  counts?: Record<'passed' | 'failed' | 'waived' | 'total', number>;
  outcome?: CriteriaOutcome | undefined;
  /** Only loans that do not pass this rule, for whatever reason, waived ones included. An unknown rule has none. */
  rule?: string | undefined;
  /** Only the loan of this row. */
  row?: number | undefined;
}

/** One page of outcomes in the order of the tape, and the total number. Values are read for the loans of the page only. */
export async function readOutcomes(input: OutcomesInput): Promise<Page<LoanOutcome>> {
  const { engine, outcomesPath, set } = input;
  const where = filters(input);
  if (where === null) return NO_ROWS;
  const words = BIT_SETS.flatMap((bits) => wordColumns(bits, set.loan_rules.length));
  const found = await selectRows<StoredOutcome>(
    engine,
    {
      columns: `row_number, CAST(balance AS VARCHAR) AS balance, outcome, ${words.join(', ')}`,
      source: parquet(outcomesPath),
      conditions: [where],
      order: [{ by: 'row_number', as: 'bigint' }],
      isSorted: true,
      total: knownTotal(input),
    },
    input,
  );
  return { ...found, rows: await explained(input, found.rows) };
}

/** A row of outcomes.parquet. */
type StoredOutcome = { row_number: number; balance: string; outcome: CriteriaOutcome } & Record<string, string | number>;

function filters({ outcome, rule, row, set }: OutcomesInput): string | null {
  const parts = outcome === undefined ? [] : [`outcome = ${sqlText(outcome)}`];
  if (row !== undefined) parts.push(`row_number = ${row}`);
  if (rule !== undefined) {
    const index = set.loan_rules.findIndex(({ id }) => id === rule);
    if (index < 0) return null;
    parts.push(`(${(['fail', 'warn', 'waived'] as const).map((bits) => hasBit(bits, index)).join(' OR ')})`);
  }
  return parts.length === 0 ? 'true' : parts.join(' AND ');
}

function knownTotal({ counts, outcome, rule, row }: OutcomesInput): number | undefined {
  if (!counts || rule !== undefined || row !== undefined) return undefined;
  const { passed, failed, waived, total } = counts;
  return outcome === undefined ? total : { PASSED: passed - waived, FAILED: failed, WAIVED: waived }[outcome];
}

/** The ids that no failed loan of the run has, in their order. */
export async function idsWithoutFailure(
  { engine, loansPath, outcomesPath }: Pick<OutcomesInput, 'engine' | 'loansPath' | 'outcomesPath'>,
  loanIds: readonly string[],
): Promise<string[]> {
  const failed = `SELECT loan_id FROM ${parquet(loansPath)} SEMI JOIN (SELECT row_number FROM ${parquet(outcomesPath)} WHERE outcome = 'FAILED') USING (row_number)`;
  const rows = await engine.rows<{ loan_id: string }>(
    `SELECT DISTINCT requested.loan_id FROM (SELECT unnest(${textList(loanIds)}) AS loan_id) requested ANTI JOIN (${failed}) USING (loan_id)`,
  );
  const unknown = new Set(rows.map(({ loan_id }) => loan_id));
  return loanIds.filter((loanId) => unknown.has(loanId));
}

type FailedRule = { index: number; missing: boolean; waived: boolean };

/** For a set of so many rules: those that a loan does not pass, and whether each was waived or had a missing value. */
export function failedRulesOf(rules: number): (stored: Record<string, unknown>) => FailedRule[] {
  const [fail = [], warn = [], miss = [], waive = []] = BIT_SETS.map((bits) => wordColumns(bits, rules));
  return (stored) => {
    const indices = (words: readonly string[]) => rulesIn(words.map((column) => stored[column] as string | number));
    const missing = indices(miss);
    const waived = indices(waive);
    return [...indices(fail), ...indices(warn), ...waived]
      .sort((a, b) => a - b)
      .map((index) => ({ index, missing: missing.includes(index), waived: waived.includes(index) }));
  };
}

async function explained(input: OutcomesInput, found: readonly StoredOutcome[]): Promise<LoanOutcome[]> {
  const failed = found.map(failedRulesOf(input.set.loan_rules.length));
  const loans = await loansOf(
    input,
    found.map(({ row_number }) => row_number),
    new Set(failed.flat().map(({ index }) => index)),
  );
  return found.map(({ row_number, outcome, balance }, position) => ({
    loan_id: loans.id(row_number),
    row_number,
    outcome,
    balance: moneyText(toMicro(balance)),
    failures: (failed[position] ?? []).map(({ index, missing, waived }) => {
      const failure = loans.explain(row_number, index, missing);
      return waived ? { ...failure, waived: true } : failure;
    }),
  }));
}

/** Ids of some loans, and the values that the rules read. */
async function loansOf(input: OutcomesInput, rowNumbers: readonly number[], rules: ReadonlySet<number>) {
  const { engine, set } = input;
  const context = compiling(set, criteriaFields(set), { few: true });
  const prepared = explainer(set, rules, context);
  // Rules share fields: what several show is read once.
  const shared = new Map<string, string>();
  for (const [name, { sql }] of prepared.columns) if (!shared.has(sql)) shared.set(sql, name);
  const columnOf = (name: string): string => shared.get(prepared.columns.get(name)?.sql ?? '') ?? name;
  const rows = new Map<number, { loan_id: string }>();
  if (rowNumbers.length > 0) {
    const relation = await loanRelation(input, context);
    // The bounds let the engine skip whole row groups.
    const span = `row_number BETWEEN ${Math.min(...rowNumbers)} AND ${Math.max(...rowNumbers)} AND row_number IN (${rowNumbers.join(', ')})`;
    const columns = ['row_number', 'loan_id', ...[...shared].map(([sql, name]) => `${sql} AS ${name}`)];
    const query = `SELECT ${columns.join(', ')} FROM (${relation.sql}) WHERE ${span}`;
    for (const row of await engine.rows<{ row_number: number; loan_id: string }>(query)) rows.set(row.row_number, row);
  }
  return {
    id: (rowNumber: number) => rows.get(rowNumber)?.loan_id ?? '',
    explain: (rowNumber: number, rule: number, missing: boolean) => {
      const row: Record<string, unknown> = rows.get(rowNumber) ?? {};
      return prepared.explain((name) => row[columnOf(name)], rule, missing);
    },
  };
}
