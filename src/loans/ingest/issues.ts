import { writeFile } from 'node:fs/promises';
import { type RowCheck, hasFinding, maskNames, positionsIn, sourceTextColumn } from '../checks/check.ts';
import type { Engine } from '../engine/engine.ts';
import { copyToParquet, copyToWorkFile, parquet, ROW_GROUP_ROWS, sqlText, textOrNull } from '../engine/sql.ts';
import type { RuleCount, Severity } from '../types.ts';
import type { ColumnReading } from './column-readings.ts';

/** A finding made outside the engine: by the reader, or about the whole tape (no row). */
export type PlainIssue = {
  row_number: number | null;
  line: number | null;
  column_name: string | null;
  field: string | null;
  rule_id: string;
  severity: Severity;
  message: string;
  actual: string | null;
  expected: string | null;
};

export type IssueSources = {
  rawPath: string;
  rowCount: number;
  /** Null when the rows were not read. */
  typedPath: string | null;
  duplicatesPath: string | null;
  /** Null when no two rows share an id. */
  sharedIds: { path: string; field: string } | null;
  readings: readonly ColumnReading[];
  checks: readonly RowCheck[];
  /** Rows with the finding of each check, by `countHits`. */
  hits: readonly number[];
  plain: readonly PlainIssue[];
  /** Directory for temporary files of the ingest. */
  workDir: string;
  /** Called with the number of rows whose findings are written. */
  onRows?: (done: number) => void;
};

/** The columns of issues.parquet without a row. */
const NO_ISSUES =
  'SELECT CAST(NULL AS INTEGER) AS row_number, CAST(NULL AS INTEGER) AS line, ' +
  ['column_name', 'field', 'rule_id', 'severity', 'message', 'actual', 'expected']
    .map((name) => `CAST(NULL AS VARCHAR) AS ${name}`)
    .join(', ') +
  ' WHERE false';

/** Rows whose findings are sorted together: memory does not grow with the tape. They are whole groups of the typed file, so that none is read twice. */
const CHUNK_ROWS = 3 * ROW_GROUP_ROWS;

/**
 * Writes issues.parquet: `row_number, line, column_name, field, rule_id, severity, message, actual, expected` by row and rule,
 * findings about the whole tape (no row number) first. Returns their number by rule.
 */
export async function writeIssues(
  engine: Engine,
  sources: IssueSources,
  path: string,
  signal?: AbortSignal,
): Promise<RuleCount[]> {
  const findings = findingsPart(sources);
  const extras = [...(await plainParts(sources)), ...duplicateParts(sources), ...sharedIdParts(sources)];
  const ranges = rowRanges(sources.rowCount);
  const chunks: string[] = [];
  let only: string | null = null;
  for (const [index, rows] of ranges.entries()) {
    sources.onRows?.(Math.min(Math.max(0, index - 1) * CHUNK_ROWS, sources.rowCount));
    const query = await chunkQuery(engine, findings, extras, rows);
    if (query === null) continue;
    // A single stretch needs no file of its own.
    if (chunks.length === 0 && index === ranges.length - 1) only = query;
    else chunks.push(await writeChunk(engine, query, `${sources.workDir}/issues-${index}.parquet`, signal));
  }
  const joined = chunks.length > 0 ? `SELECT * FROM read_parquet([${chunks.join(', ')}])` : NO_ISSUES;
  await engine.run(copyToParquet(only ?? joined, path), [], signal);
  return await ruleCounts(engine, path);
}

async function writeChunk(engine: Engine, query: string, path: string, signal: AbortSignal | undefined): Promise<string> {
  await engine.run(copyToWorkFile(query, path), [], signal);
  return sqlText(path);
}

/** The tape itself, then rowRanges of its rows: each in order, so together in order. */
function rowRanges(rowCount: number): string[] {
  const filters = ['row_number IS NULL'];
  for (let first = 1; first <= rowCount; first += CHUNK_ROWS)
    filters.push(`row_number BETWEEN ${first} AND ${first + CHUNK_ROWS - 1}`);
  return filters;
}

/** SQL of the findings of one kind in a stretch of rows. */
type Part = (rows: string) => string;

/** The checks' findings come in order by themselves; only where others meet them must a stretch be sorted. */
async function chunkQuery(engine: Engine, findings: Part | null, extras: readonly Part[], rows: string): Promise<string | null> {
  const meeting: Part[] = [];
  for (const part of extras) {
    const found = await engine.first<{ found: boolean }>(`SELECT EXISTS (${part(rows)}) AS found`);
    if (found?.found) meeting.push(part);
  }
  const parts = [...(findings && rows !== 'row_number IS NULL' ? [findings] : []), ...meeting];
  if (parts.length === 0) return null;
  const query = parts.map((part) => `SELECT * FROM (${part(rows)})`).join(' UNION ALL ');
  return meeting.length === 0 ? query : `${query} ORDER BY row_number, rule_id, field, message`;
}

type Hit = { check: RowCheck; index: number; reading: ColumnReading | undefined };

/** Findings of the checks: one row per finding; texts are built for rows with findings only. */
function findingsPart({ typedPath, checks, hits: counts, readings }: IssueSources): Part | null {
  if (typedPath === null) return null;
  const hits = checks
    .map((check, index) => ({ check, index, reading: readings.find(({ match }) => match.target === check.field) }))
    .filter(({ index }) => (counts[index] ?? 0) > 0)
    .sort((a, b) => compareText(a.check.rule_id, b.check.rule_id) || compareText(a.check.field, b.check.field));
  if (hits.length === 0) return null;
  const flags = hits.map(({ index }, position) => `CASE WHEN ${hasFinding(index)} THEN ${position} END`);
  const each = `unnest(list_filter([${flags.join(', ')}], lambda finding: finding IS NOT NULL)) AS finding`;
  const any = maskNames(checks)
    .map((mask) => `${mask} <> 0`)
    .join(' OR ');
  return (rows) =>
    `SELECT row_number, line, ${findingColumns(hits).join(', ')} ` +
    `FROM (SELECT *, ${each} FROM ${parquet(typedPath)} WHERE ${rows} AND (${any}))`;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function findingColumns(hits: readonly Hit[]): string[] {
  const pick = (value: (hit: Hit) => string, name: string) =>
    `CASE finding ${hits.map((hit, position) => `WHEN ${position} THEN ${value(hit)}`).join(' ')} END AS ${name}`;
  return [
    pick(({ reading }) => textOrNull(reading?.match.source), 'column_name'),
    pick(({ check }) => sqlText(check.field), 'field'),
    pick(({ check }) => sqlText(check.rule_id), 'rule_id'),
    pick(({ check }) => sqlText(check.severity), 'severity'),
    pick(({ check }) => check.message, 'message'),
    pick(
      ({ check, reading }) => check.actual ?? (reading ? sourceTextColumn(check.field) : `CAST(${check.field} AS VARCHAR)`),
      'actual',
    ),
    pick(({ check }) => check.expected, 'expected'),
  ];
}

/** How many rows have the finding of each check. Few sets of findings occur, so that they are counted first. */
export async function countHits(engine: Engine, typedPath: string, checks: readonly RowCheck[]): Promise<number[]> {
  if (checks.length === 0) return [];
  const names = maskNames(checks);
  const hits = checks.map(() => 0);
  // The bits are counted here: a sum for each check is planned for longer than the rest takes.
  const sets = `SELECT ${names.join(', ')}, count(*) FROM ${parquet(typedPath)} GROUP BY ALL`;
  for await (const columns of engine.columns(sets)) {
    const found = columns[names.length];
    for (let word = 0; word < names.length; word += 1)
      columns[word].forEach((mask, at) => {
        for (const position of positionsIn(mask ?? 0n, word)) hits[position] += Number(found[at]);
      });
  }
  return hits;
}

function duplicateParts({ duplicatesPath, rawPath }: IssueSources): Part[] {
  if (duplicatesPath === null) return [];
  return [
    (rows) =>
      "SELECT row_number, line, CAST(NULL AS VARCHAR) AS column_name, CAST(NULL AS VARCHAR) AS field, 'DUPLICATE_ROW' AS rule_id, " +
      "'ERROR' AS severity, concat('the row equals row ', first_row, ' in every column and is rejected') AS message, " +
      "concat('same as row ', first_row) AS actual, 'each loan once' AS expected " +
      `FROM ${rowsOf(duplicatesPath, rows)} JOIN (SELECT row_number, line FROM ${rowsOf(rawPath, rows)}) USING (row_number)`,
  ];
}

function sharedIdParts({ sharedIds, rawPath, readings }: IssueSources): Part[] {
  if (sharedIds === null) return [];
  const column = readings.find(({ match }) => match.target === sharedIds.field)?.match.source ?? null;
  return [
    (rows) =>
      `SELECT row_number, line, ${textOrNull(column)} AS column_name, ${sqlText(sharedIds.field)} AS field, ` +
      "'DUPLICATE_LOAN_ID' AS rule_id, 'WARNING' AS severity, " +
      `concat('row ', other_row, ' has the same ${sharedIds.field} with other content; both rows are kept') AS message, ` +
      `id AS actual, 'one row for each loan' AS expected ` +
      `FROM ${rowsOf(sharedIds.path, rows)} JOIN (SELECT row_number, line FROM ${rowsOf(rawPath, rows)}) USING (row_number)`,
  ];
}

/** SQL of the rows of a file that lie in a range of rows. */
function rowsOf(path: string, rows: string): string {
  return `(SELECT * FROM ${parquet(path)} WHERE ${rows})`;
}

const PLAIN_COLUMNS = [
  'row_number',
  'line',
  'column_name',
  'field',
  'rule_id',
  'severity',
  'message',
  'actual',
  'expected',
] as const;

/** Findings made outside the engine are passed through a file: there may be as many as there are rows. */
async function plainParts({ plain, workDir }: IssueSources): Promise<Part[]> {
  if (plain.length === 0) return [];
  const path = `${workDir}/plain-issues.csv`;
  await writeFile(path, plain.map((issue) => PLAIN_COLUMNS.map((name) => csvField(issue[name])).join(',')).join('\n'));
  const columns = PLAIN_COLUMNS.map((name) => `'${name}': '${name === 'row_number' || name === 'line' ? 'INTEGER' : 'VARCHAR'}'`);
  const source = `read_csv(${sqlText(path)}, auto_detect=false, header=false, delim=',', quote='"', escape='"', new_line='\\n', parallel=false, columns={${columns.join(', ')}})`;
  return [(rows) => `SELECT ${PLAIN_COLUMNS.join(', ')} FROM ${source} WHERE ${rows}`];
}

function csvField(value: string | number | null): string {
  return value === null ? '' : `"${String(value).replaceAll('"', '""')}"`;
}

function ruleCounts(engine: Engine, path: string): Promise<RuleCount[]> {
  return engine.rows<RuleCount>(
    `SELECT rule_id, severity, CAST(count(*) AS INTEGER) AS count FROM ${parquet(path)} GROUP BY ALL ORDER BY severity, count DESC, rule_id`,
  );
}
