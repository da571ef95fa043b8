import { Readable } from 'node:stream';
import { CORRECTION_COLUMNS } from '../reading/correction.ts';
import { readRawManifest } from '../reading/raw-file.ts';
import type { RawColumn } from '../reading/raw-table.ts';
import { csvLine, neutraliseFormula } from '../export/spreadsheet-text.ts';
import { jsonList, parquet, rowGroupRows, sourceCell } from '../engine/sql.ts';
import { writeWorkbook } from '../export/workbook-writer.ts';
import { BIT_SETS, wordColumns } from './bits.ts';
import { compiling } from './compile.ts';
import { explainer, type RuleFailure, showValue } from './explain.ts';
import { criteriaFields } from './fields.ts';
import type { CriteriaSet } from './language.ts';
import { failedRulesOf } from './outcomes.ts';
import { loanRelation, type TapeFiles } from './relation.ts';
import { ahead } from '../../platform/ahead.ts';

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
  /** Texts of the source columns. */
  source: (string | null)[];
  failures: RuleFailure[];
}

/** Batches of the engine, some two thousand rows each, that are read while rows are written; of a wider tape fewer, as large together. */
const [BATCHES_AHEAD, USUAL_COLUMNS] = [16, 30];

const BYTE_ORDER_MARK = '\ufeff';

async function* csvText(input: ExceptionsInput): AsyncGenerator<string> {
  const columns = await sourceColumns(input);
  // Without the mark a spreadsheet reads the file in the code page of the machine.
  yield `${BYTE_ORDER_MARK}${csvLine([...columns.map(({ name }) => name), ...CORRECTION_COLUMNS])}`;
  for await (const rows of exceptionRows(input, columns)) yield rows.map((row) => csvLine(rowCells(row))).join('');
}

async function* workbook(input: ExceptionsInput): AsyncGenerator<Buffer> {
  const columns = await sourceColumns(input);
  const header = [...columns.map(({ name }) => name), ...CORRECTION_COLUMNS];
  yield* writeWorkbook({ sheetName: 'Exceptions', header, rows: neutralCells(input, columns) });
}

async function* neutralCells(input: ExceptionsInput, columns: readonly SourceColumn[]): AsyncGenerator<(string | null)[]> {
  for await (const rows of exceptionRows(input, columns)) {
    for (const row of rows) yield rowCells(row).map((cell) => (cell === null ? null : neutraliseFormula(cell)));
  }
}

async function* jsonText(input: ExceptionsInput): AsyncGenerator<string> {
  const columns = await sourceColumns(input);
  const names = uniqueNames(columns).map((name) => JSON.stringify(name));
  let separator = '[\n';
  for await (const rows of exceptionRows(input, columns)) {
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
  const source = names.map((name, index) => `${name}:${JSON.stringify(row.source[index] ?? null)}`);
  const [, ...explanation] = added(row);
  const ours = CORRECTION_COLUMNS.map(
    (name, index) => `"${name}":${index === 0 ? row.rowNumber : JSON.stringify(explanation[index - 1])}`,
  );
  return `{${[...source, ...ours, `"_failures":${JSON.stringify(row.failures)}`].join(',')}}`;
}

function rowCells(row: ExceptionRow): (string | null)[] {
  return [...row.source, ...added(row)];
}

function added({ rowNumber, failures }: ExceptionRow): string[] {
  const each = (pick: (failure: RuleFailure) => string) => failures.map(pick).join('; ');
  return [
    String(rowNumber),
    each(({ rule_id }) => rule_id),
    each(({ reason, name, rule_id }) => (name === rule_id ? reason : `${reason}: ${name}`)),
    each(({ actual }) => showValue(actual)),
    each(({ field, operator, expected }) => `${field} ${operator}${expected === null ? '' : ` ${showValue(expected)}`}`),
  ];
}

type SourceColumn = Pick<RawColumn, 'index' | 'name' | 'normalized'>;

async function sourceColumns({ engine, raw }: ExceptionsInput): Promise<readonly SourceColumn[]> {
  return raw.columns && raw.columns.length > 0 ? raw.columns : (await readRawManifest(engine, raw.path)).columns;
}

async function* exceptionRows(input: ExceptionsInput, columns: readonly SourceColumn[]): AsyncGenerator<ExceptionRow[]> {
  const { engine, set } = input;
  const rules = set.loan_rules.length;
  const context = compiling(set, criteriaFields(set));
  const prepared = explainer(set, set.loan_rules.keys(), context);
  // What rules compare is computed for the failed loans alone.
  const relation = await loanRelation(input, context, 'l.row_number IN (SELECT row_number FROM failed)');
  const words = BIT_SETS.flatMap((bits) => wordColumns(bits, rules));
  const values = [...prepared.columns.values()].map((sql) => `CAST(${sql} AS VARCHAR)`);
  const places = new Map([...prepared.columns.keys()].map((name, place) => [name, place]));
  const cells = columns.map(({ index }) => `${sourceCell(`s.c${index}`, input.raw.isDestroyed ?? false)} AS "cell ${index}"`);
  const queries = async function* (): AsyncGenerator<StoredRow[]> {
    for await (const [from, to] of stretches(input, columns.length)) {
      // One range of rows at a time: sorting and joining the whole tape would hold it in memory. The cells of a row cross as one text.
      const span = `row_number BETWEEN ${from} AND ${to}`;
      // The cells are gathered after the join, so only for the failed loans.
      yield* engine.stream<StoredRow>(
        `WITH failed AS MATERIALIZED (SELECT * FROM ${parquet(input.outcomesPath)} WHERE ${span} AND outcome = 'FAILED')
         SELECT row_number, ${words.join(', ')}, ${jsonList(values)} AS vals, ${jsonList(columns.map(({ index }) => `"cell ${index}"`))} AS cells
         FROM (SELECT v.*, ${[...words.map((word) => `o.${word}`), ...cells].join(', ')}
           FROM failed o
           JOIN (SELECT * FROM (${relation.sql}) WHERE ${span}) v ON v.row_number = o.row_number
           JOIN (SELECT * FROM ${parquet(input.raw.path)} WHERE ${span}) s ON s.row_number = o.row_number)
         ORDER BY row_number`,
      );
    }
  };
  const failed = failedRulesOf(rules);
  const most = Math.max(1, Math.floor(BATCHES_AHEAD * Math.min(1, USUAL_COLUMNS / Math.max(1, columns.length))));
  for await (const batch of ahead(queries(), most)) {
    yield batch.map((row) => {
      const list = JSON.parse(row.vals) as (string | null)[];
      const value = (name: string): string | null => list[places.get(name) ?? -1] ?? null;
      return {
        rowNumber: row.row_number,
        source: JSON.parse(row.cells) as (string | null)[],
        failures: failed(row)
          .filter(({ waived, index }) => !waived && set.loan_rules[index].severity !== 'warn')
          .map(({ index, missing }) => prepared.explain(value, index, missing)),
      };
    });
  }
}

type StoredRow = { row_number: number; cells: string; vals: string } & Record<string, string | number>;

/** Ranges of whole row groups of the tape's files, so that each group is read once. */
async function* stretches({ engine, outcomesPath }: ExceptionsInput, columns: number): AsyncGenerator<[number, number]> {
  const rows = rowGroupRows(columns);
  const bounds = await engine.first<{ first: number | null; last: number | null }>(
    `SELECT min(row_number) AS first, max(row_number) AS last FROM ${parquet(outcomesPath)} WHERE outcome = 'FAILED'`,
  );
  if (typeof bounds?.first !== 'number' || typeof bounds.last !== 'number') return;
  for (let from = bounds.first; from <= bounds.last; from += rows) yield [from, Math.min(from + rows - 1, bounds.last)];
}
