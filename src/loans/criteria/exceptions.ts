import { Readable } from 'node:stream';
import { CORRECTION_COLUMNS } from '../reading/correction.ts';
import { readRawManifest } from '../reading/raw-file.ts';
import type { RawColumn } from '../reading/raw-table.ts';
import { csvCells, csvField, csvLine, neutraliseFormula } from '../export/spreadsheet-text.ts';
import { AS_LIST, AS_MARKED, type Gathering, parquet, rowGroupRows, sourceCell } from '../engine/sql.ts';
import { writeWorkbook } from '../export/workbook-writer.ts';
import { BIT_SETS, hasBit, rulesIn, wordColumns } from './bits.ts';
import { compiling } from './compile.ts';
import { type Explainer, explainer, type RuleFailure, type ShownFailure, shownFailure } from './explain.ts';
import { criteriaFields } from './fields.ts';
import type { CriteriaSet, LoanRule } from './language.ts';
import { failedRulesOf } from './outcomes.ts';
import { loanRelation, type TapeFiles } from './relation.ts';
import { overlapping } from '../../platform/ahead.ts';

export interface ExceptionsInput extends TapeFiles {
  outcomesPath: string;
  set: CriteriaSet;
  format: 'csv' | 'xlsx' | 'json';
}

/**
 * The failed loans of a run, one row each: the source columns in their order and `_row,_rule,_reason,_actual,_expected`, where several rules
 * are joined by `; ` in the order of the set. Text that a spreadsheet would run as a formula gets a leading apostrophe, ids stay text. A
 * corrected CSV or XLSX comes back as a tape. JSON is an array of objects with the same keys (a repeated header by its numbered form), values as they are on
 * the tape, and `_failures` with every failure in full. Rows come in the order of the tape; memory does not grow with them.
 */
export function writeExceptions(input: ExceptionsInput): Readable {
  const bytes = { csv: csvText, xlsx: workbook, json: jsonText }[input.format](input);
  return Readable.from(bytes, { objectMode: false });
}

interface ExceptionRow {
  rowNumber: number;
  /** The texts of the source columns, as the query gathered them. */
  cells: string;
  failed: Failed;
  /** What the rules compared, by name. */
  value: (name: string) => string | null;
}

/** What rows that fail the same rules have in common. */
interface Failed {
  rules: readonly FailedRule[];
  /** Where the values of the rules stand among those that are written out. */
  places: ReadonlyMap<string, number>;
  /** Names of the rules, and reasons, as a cell shows them. */
  ids: string;
  reasons: string;
  /** Both as a CSV record has them. */
  record: string;
}

interface FailedRule {
  shown: ReturnType<Explainer['shown']>;
  explain(value: ExceptionRow['value']): RuleFailure;
}

const BYTE_ORDER_MARK = '\ufeff';

async function* csvText(input: ExceptionsInput): AsyncGenerator<string> {
  const columns = await sourceColumns(input);
  // Without the mark a spreadsheet reads the file in the code page of the machine.
  yield `${BYTE_ORDER_MARK}${csvLine([...columns.map(({ name }) => name), ...CORRECTION_COLUMNS])}`;
  for await (const rows of exceptionRows(input, columns, AS_MARKED)) {
    yield rows
      .map((row) => `${csvCells(row.cells)},${row.rowNumber},${row.failed.record},${csvLine(compared(shownOf(row)))}`)
      .join('');
  }
}

async function* workbook(input: ExceptionsInput): AsyncGenerator<Buffer> {
  const columns = await sourceColumns(input);
  const header = [...columns.map(({ name }) => name), ...CORRECTION_COLUMNS];
  yield* writeWorkbook({ sheetName: 'Exceptions', header, rows: neutralCells(input, columns) });
}

async function* neutralCells(input: ExceptionsInput, columns: readonly SourceColumn[]): AsyncGenerator<(string | null)[]> {
  for await (const rows of exceptionRows(input, columns, AS_LIST)) {
    for (const row of rows) {
      yield [...source(row), ...added(row, shownOf(row))].map((cell) => (cell === null ? null : neutraliseFormula(cell)));
    }
  }
}

async function* jsonText(input: ExceptionsInput): AsyncGenerator<string> {
  const columns = await sourceColumns(input);
  const names = uniqueNames(columns).map((name) => JSON.stringify(name));
  let separator = '[\n';
  for await (const rows of exceptionRows(input, columns, AS_LIST)) {
    for (const row of rows) {
      yield `${separator}${jsonRow(names, row)}`;
      separator = ',\n';
    }
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n';
}

/** Each column's own name; a repeated or empty one, and one of our own keys, is numbered until no other column has it. */
function uniqueNames(columns: readonly SourceColumn[]): string[] {
  const taken = new Set<string>([...CORRECTION_COLUMNS, '_failures', '']);
  const own = columns.map(({ name }) => {
    if (taken.has(name)) return null;
    taken.add(name);
    return name;
  });
  return columns.map(({ normalized }, index) => {
    let name = own[index] ?? normalized;
    for (let nth = 2; own[index] === null && taken.has(name); nth += 1) name = `${normalized}_${nth}`;
    taken.add(name);
    return name;
  });
}

function jsonRow(names: readonly string[], row: ExceptionRow): string {
  const texts = source(row);
  const own = names.map((name, index) => `${name}:${JSON.stringify(texts[index] ?? null)}`);
  const failures = row.failed.rules.map((rule) => rule.explain(row.value));
  const [, ...explanation] = added(row, failures.map(shownFailure));
  const ours = CORRECTION_COLUMNS.map(
    (name, index) => `"${name}":${index === 0 ? row.rowNumber : JSON.stringify(explanation[index - 1])}`,
  );
  return `{${[...own, ...ours, `"_failures":${JSON.stringify(failures)}`].join(',')}}`;
}

/** The source columns of a row whose cells are a list in JSON. */
function source({ cells }: ExceptionRow): (string | null)[] {
  return JSON.parse(cells) as (string | null)[];
}

const shownOf = ({ failed, value }: ExceptionRow): ShownFailure[] => failed.rules.map((rule) => rule.shown(value));

function added({ rowNumber, failed }: ExceptionRow, failures: readonly ShownFailure[]): string[] {
  return [String(rowNumber), failed.ids, failed.reasons, ...compared(failures)];
}

/** The values of the failures, and what was expected of them, in a text each. */
function compared(failures: readonly ShownFailure[]): [actual: string, expected: string] {
  const each = (field: keyof ShownFailure) => failures.map((failure) => failure[field]).join('; ');
  return [each('actual'), each('expected')];
}

type SourceColumn = Pick<RawColumn, 'index' | 'name' | 'normalized'>;

async function sourceColumns({ engine, raw }: ExceptionsInput): Promise<readonly SourceColumn[]> {
  return raw.columns && raw.columns.length > 0 ? raw.columns : (await readRawManifest(engine, raw.path)).columns;
}

/** The cells of a row cross as one text. */
async function* exceptionRows(
  input: ExceptionsInput,
  columns: readonly SourceColumn[],
  gathering: Gathering,
): AsyncGenerator<ExceptionRow[]> {
  const { engine, set } = input;
  const extent = await extentOf(input);
  if (extent === null) return;
  const context = compiling(set, criteriaFields(set));
  const prepared = explainer(set, extent.rules, context);
  // What rules compare is computed for the failed loans alone.
  const relation = await loanRelation(input, context, 'l.row_number IN (SELECT row_number FROM failed)');
  const words = BIT_SETS.flatMap((bits) => wordColumns(bits, set.loan_rules.length));
  // Most loans fail few rules: only what explains these is written out, behind a zero that makes every list begin alike.
  const values = [...prepared.columns.values()].map(
    ({ sql, rule }) =>
      `CASE WHEN ${hasBit('fail', rule)} THEN ',' || coalesce(CAST(to_json(CAST(${sql} AS VARCHAR)) AS VARCHAR), 'null') END`,
  );
  const names = columns.map(({ index }) => `"cell ${index}"`);
  const cells = columns.map(
    ({ index }, place) => `${sourceCell(`s.c${index}`, input.raw.isDestroyed ?? false)} AS ${names[place]}`,
  );
  const queries = async function* (): AsyncGenerator<AsyncGenerator<StoredRow[]>> {
    for (const [from, to] of stretches(extent.first, extent.last, columns.length)) {
      // One range of rows at a time: sorting and joining the whole tape would hold it in memory. The cells of a row cross as one text.
      const span = `row_number BETWEEN ${from} AND ${to}`;
      // The cells are gathered before the join, which then carries one text in the place of a column each.
      yield engine.stream<StoredRow>(
        `WITH failed AS MATERIALIZED (SELECT row_number, ${words.join(', ')} FROM ${parquet(input.outcomesPath)} WHERE ${span} AND outcome = 'FAILED')
         SELECT row_number, ${words.join(', ')}, concat(vals, chr(10), cells) AS texts
         FROM (SELECT row_number, ${words.join(', ')}, concat('[0', ${[...values, "']'"].join(', ')}) AS vals
           FROM failed JOIN (SELECT * FROM (${relation.sql}) WHERE ${span}) USING (row_number))
         JOIN (SELECT row_number, ${gathering.kept('gathered', names)} AS cells
           FROM (SELECT *, ${gathering.text(names)} AS gathered
             FROM (SELECT row_number, ${cells.join(', ')} FROM ${parquet(input.raw.path)} s
               WHERE ${span} AND row_number IN (SELECT row_number FROM failed)))) USING (row_number)
         ORDER BY row_number`,
      );
    }
  };
  const failedOf = failedRules(set, words, prepared);
  const explained = (row: StoredRow): ExceptionRow => {
    const failed = failedOf(row);
    // JSON has no line end of its own.
    const end = row.texts.indexOf('\n');
    const list = JSON.parse(row.texts.slice(0, end)) as (string | null)[];
    const value = (name: string): string | null => list[failed.places.get(name) ?? -1] ?? null;
    return { rowNumber: row.row_number, cells: row.texts.slice(end + 1), failed, value };
  };
  for await (const batch of overlapping(queries())) yield batch.map(explained);
}

/** Sets of failed rules that are remembered: a tape has few, and most of its loans fail one of them. */
const REMEMBERED_MAX = 10_000;

function failedRules(set: CriteriaSet, words: readonly string[], { columns, shown, explain }: Explainer) {
  const columnsOf = Map.groupBy(columns.keys(), (name) => columns.get(name)?.rule);
  const failedOf = failedRulesOf(set.loan_rules.length);
  const known = new Map<string, Failed>();
  return (row: StoredRow): Failed => {
    const key = words.map((word) => row[word]).join();
    const before = known.get(key);
    if (before) return before;
    const rules = failedOf(row).filter(({ waived, index }) => !waived && set.loan_rules[index].severity !== 'warn');
    const written = rules.flatMap(({ index }) => columnsOf.get(index) ?? []);
    const ids = rules.map(({ index }) => set.loan_rules[index].id).join('; ');
    const reasons = rules.map(({ index, missing }) => reasonOf(set.loan_rules[index], missing)).join('; ');
    const failed: Failed = {
      rules: rules.map(({ index, missing }) => ({
        shown: shown(index, missing),
        explain: (value) => explain(value, index, missing),
      })),
      // Behind the zero that every list begins with.
      places: new Map(written.map((name, place) => [name, place + 1])),
      ids,
      reasons,
      record: `${csvField(ids)},${csvField(reasons)}`,
    };
    if (known.size < REMEMBERED_MAX) known.set(key, failed);
    return failed;
  };
}

function reasonOf({ id, description = id }: LoanRule, missing: boolean): string {
  const reason = missing ? 'MISSING' : 'BREACH';
  return description === id ? reason : `${reason}: ${description}`;
}

/** `texts`: what the rules compared, a line end and the cells; each text that crosses by itself takes as long as reading it. */
type StoredRow = { row_number: number; texts: string } & Record<string, string | number>;

/** The first and the last failed row, and the rules that fail any loan, ascending; null where no loan failed. */
async function extentOf({ engine, outcomesPath, set }: ExceptionsInput) {
  const words = wordColumns('fail', set.loan_rules.length);
  const found = await engine.first<{ first: number | null; last: number | null } & Record<string, string | number | null>>(
    `SELECT min(row_number) AS first, max(row_number) AS last, ${words.map((word) => `bit_or(${word}) AS ${word}`).join(', ')}
     FROM ${parquet(outcomesPath)} WHERE outcome = 'FAILED'`,
  );
  if (typeof found?.first !== 'number' || typeof found.last !== 'number') return null;
  return { first: found.first, last: found.last, rules: rulesIn(words.map((word) => found[word] ?? 0)) };
}

/** Preparing the statement takes as long as running it over one group. */
const GROUPS_AT_ONCE = 4;

/** Ranges of whole row groups of the tape's files, so that each group is read once. */
function* stretches(first: number, last: number, columns: number): Generator<[number, number], void> {
  const rows = GROUPS_AT_ONCE * rowGroupRows(columns);
  for (let from = first; from <= last; from += rows) yield [from, Math.min(from + rows - 1, last)];
}
