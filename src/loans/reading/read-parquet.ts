import { addedColumns } from './correction.ts';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { ComputeExhausted } from '../../platform/compute/failures.ts';
import type { Engine } from '../engine/engine.ts';
import { sqlText } from '../engine/sql.ts';
import { CanonicalWriter } from './canonical-writer.ts';
import { CsvScanner } from './csv-scanner.ts';
import { columnType, doubtfulCountsSql, parquetLines, type ParquetColumn, topLevelNames } from './parquet-columns.ts';
import type { RawTable, ReadLimits } from './raw-table.ts';
import { TapeProblem } from './read-problem.ts';
import { type RowSink, TableBuilder } from './table-builder.ts';
import { tooManyRows } from './table-report.ts';
import { readBytes } from './xlsx/zip-directory.ts';

/** A footer describes columns and row groups; that of 2,000 columns in 100 row groups has some 30 MiB. */
const FOOTER_BYTES_MAX = 64 * 1024 * 1024;
/** Bytes of one row: the engine holds some thousand rows at a time. */
const ROW_BYTES_MAX = 128 * 1024;
const PROBE_ROWS = 200;

/** Reads a Parquet file into a raw table, every value as a CSV file would carry it; throws a TapeProblem if it cannot be read. */
export async function readParquet(
  path: string,
  workDir: string,
  limits: ReadLimits,
  signal?: AbortSignal,
  totals?: ReadonlySet<number>,
): Promise<RawTable> {
  await using opened = await openParquet(path, workDir, limits);
  await using writer = await CanonicalWriter.create(join(workDir, 'canonical.csv'));
  const builder = parquetBuilder(writer, opened, limits, totals);
  await addRows(opened, builder, limits, { signal, flush: () => writer.flush() });
  const { formats: _, unitCounts: __, ...built } = await builder.finish(() => writer.flushed());
  await writer.flush(true);
  const doubtful = await doubtfulCounts(opened);
  for (const [index, column] of opened.columns.entries())
    if (column.kind === 'AS_TEXT' || (column.kind === 'BYTES' && doubtful(index) > 0)) builder.notices.add(asText(column));
  for (const [index, column] of opened.columns.entries())
    if (column.isNarrow && doubtful(index) > 0) builder.notices.add(narrowFloats(column, doubtful(index)));
  const { list, counts } = builder.notices;
  return {
    csvPaths: writer.paths,
    ...built,
    format: 'parquet',
    encoding: 'utf-8',
    delimiter: '',
    notices: list,
    noticeCounts: counts,
  };
}

/** Reads only the first rows of a Parquet file into `sink`. */
export async function probeParquet(path: string, sink: RowSink, limits: ReadLimits): Promise<TableBuilder> {
  await using opened = await openParquet(path, tmpdir(), limits);
  const builder = parquetBuilder(sink, opened, limits);
  await addRows(opened, builder, limits, { most: PROBE_ROWS });
  if (opened.rows > PROBE_ROWS) builder.decideHeader();
  else await builder.finish(async () => null);
  return builder;
}

interface OpenedParquet extends AsyncDisposable {
  engine: Engine;
  path: string;
  columns: ParquetColumn[];
  rows: number;
}

async function openParquet(path: string, workDir: string, limits: ReadLimits): Promise<OpenedParquet> {
  await refuseFooter(path, limits);
  const file = resolve(path);
  // The engine of the ingest spills into the same directory.
  const engineDir = await mkdtemp(join(workDir, 'parquet-'));
  // A tenth of what a gateway reads at its start.
  const { openEngine } = await import('../engine/engine.ts');
  const engine = await openEngine({ workDir: engineDir, allowedDirectories: [dirname(file)] });
  const close = async () => {
    await engine.close();
    await rm(engineDir, { recursive: true, force: true });
  };
  try {
    const { columns, rows } = await asProblem(() => describe(engine, file));
    if (columns.length > limits.maxColumns + addedColumns(columns.map(({ name }) => name)))
      throw new TapeProblem(
        'UNREADABLE_FILE',
        `The Parquet file has ${columns.length} columns; at most ${limits.maxColumns} are read. Remove the columns that the tape does not need.`,
      );
    if (rows > limits.maxRows) throw tooManyRows(limits.maxRows);
    return { engine, path: file, columns, rows, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function refuseFooter(path: string, limits: ReadLimits): Promise<void> {
  await using file = await open(path);
  const { size } = await file.stat();
  if (size > limits.maxBytes)
    throw new TapeProblem(
      'TOO_LARGE',
      `The Parquet file has ${size} bytes; a tape may have ${limits.maxBytes}. Split it into several tapes.`,
    );
  const tail = await readBytes(file, Math.max(0, size - 8), 8);
  if (size < 12 || tail.toString('latin1', 4) !== 'PAR1')
    throw unreadable('its end is missing, so the upload may have been cut off');
  const footer = tail.readUInt32LE(0);
  if (footer > size - 12) throw unreadable('its footer is damaged');
  if (footer > FOOTER_BYTES_MAX) throw unreadable(`its footer has ${footer} bytes, at most ${FOOTER_BYTES_MAX} are read`);
}

async function describe(engine: Engine, path: string): Promise<{ columns: ParquetColumn[]; rows: number }> {
  const described = await engine.rows<{ column_name: string; column_type: string }>(`DESCRIBE SELECT * FROM ${source(path)}`);
  const schema = await engine.rows<SchemaEntry>(
    `SELECT name, num_children, precision, CAST(type_length AS DOUBLE) AS type_length FROM parquet_schema(${sqlText(path)})`,
  );
  const wide = schema.find(isMisread);
  if (wide)
    throw unreadable(
      `its column "${wide.name}" holds decimals of ${wide.precision} digits in a width that is not read; at most 38 digits are sure to be`,
    );
  const file = await engine.first<{ rows: number }>(
    `SELECT CAST(sum(num_rows) AS DOUBLE) AS rows FROM parquet_file_metadata(${sqlText(path)})`,
  );
  // The engine renames columns whose names differ in case only.
  const names = topLevelNames(schema);
  const columns = described.map(({ column_name, column_type }, index) => ({
    name: (names.length === described.length ? names[index] : column_name).trim(),
    ...columnType(column_type),
  }));
  return { columns, rows: file?.rows ?? 0 };
}

interface SchemaEntry {
  name: string;
  num_children: number | null;
  precision: number | null;
  type_length: number | null;
}

/** The engine reads decimals of more than 38 digits in steps of eight bytes, and a remainder of them as a power of 256 too much. */
function isMisread({ precision, type_length }: SchemaEntry): boolean {
  return (precision ?? 0) > 38 && (type_length ?? 1) % 8 !== 0;
}

/** Directories such as `year=2026` above the file give it no columns. */
function source(path: string): string {
  return `read_parquet(${sqlText(path)}, hive_partitioning = false)`;
}

function parquetBuilder(
  sink: RowSink,
  { columns }: OpenedParquet,
  limits: ReadLimits,
  totals?: ReadonlySet<number>,
): TableBuilder {
  const header = columns.map(({ name }) => name);
  return new TableBuilder(sink, { limits, totals, header, shortRowsAreWhole: false, lineWord: 'row' });
}

interface Reading {
  most?: number;
  signal?: AbortSignal | undefined;
  flush?: () => Promise<void>;
}

/** Passes the rows on in the order of the file. */
async function addRows(opened: OpenedParquet, builder: TableBuilder, limits: ReadLimits, reading: Reading): Promise<void> {
  const { engine, path, columns } = opened;
  const rowBytes = Math.min(ROW_BYTES_MAX, limits.maxRowBytes);
  const scanner = new CsvScanner(
    { delimiter: ',', lineEnd: 'LF' },
    { maxColumns: limits.maxColumns, maxRowBytes: 4 * ROW_BYTES_MAX, isWellFormed: true },
  );
  const limit = reading.most === undefined ? '' : ` LIMIT ${reading.most}`;
  const batches = engine.stream<{ is_long: boolean; line: string }>(parquetLines(source(path), columns, rowBytes) + limit);
  let [rowNumber, size] = [0, 0];
  try {
    for (;;) {
      const batch = await asProblem(() => batches.next());
      if (batch.done) break;
      reading.signal?.throwIfAborted();
      const bytes = Buffer.from(`${batch.value.map(({ line }) => line).join('\n')}\n`);
      size += bytes.length;
      if (size > limits.maxExpandedBytes)
        throw unreadable(`its values are more than ${limits.maxExpandedBytes} bytes, so it must be split into several tapes`);
      scanner.feed(bytes);
      for (const { is_long } of batch.value) {
        if (!scanner.next()) throw new Error('a row of the engine is not a row of text');
        rowNumber += 1;
        scanner.row.line = rowNumber;
        if (is_long) scanner.row.fault = 'ROW_TOO_LONG';
        builder.add(scanner.row);
      }
      await reading.flush?.();
    }
    if (reading.most === undefined && rowNumber < opened.rows)
      throw unreadable(`its footer counts ${opened.rows} rows, and ${rowNumber} were found`);
  } finally {
    await batches.return(undefined);
  }
}

/** The engine refuses what it cannot read in words about itself; here it becomes a problem of the file. */
async function asProblem<Result>(reading: () => Promise<Result>): Promise<Result> {
  try {
    return await reading();
  } catch (error) {
    if (error instanceof TapeProblem) throw error;
    if (error instanceof ComputeExhausted)
      throw unreadable('it needs more memory than a tape may have; write it in smaller row groups');
    throw unreadable('it is damaged, or packed or encoded in a way that is not read');
  }
}

function unreadable(why: string): TapeProblem {
  return new TapeProblem(
    'UNREADABLE_FILE',
    `The Parquet file cannot be read: ${why}. Write it again with a current library, or send the tape as CSV.`,
  );
}

/** How many values of a column, by its index, no CSV file would carry or were rounded before. One statement for all columns of the file. */
async function doubtfulCounts({ engine, path, columns }: OpenedParquet): Promise<(index: number) => number> {
  const sql = doubtfulCountsSql(source(path), columns);
  const counts = sql === null ? undefined : await asProblem(() => engine.first<Record<string, number>>(sql));
  return (index) => counts?.[`n${index}`] ?? 0;
}

function narrowFloats({ name }: ParquetColumn, count: number) {
  const message = `The column "${name}" holds numbers of 32 bits, which have some seven digits: ${count} of its values are so large that cents, or whole units, were rounded before the file was written. Write it as decimals or as numbers of 64 bits.`;
  return {
    code: 'ROUNDED_NUMBERS',
    severity: 'WARNING',
    column: name,
    message,
    actual: `${count} values`,
    expected: 'decimals, or numbers of 64 bits',
  } as const;
}

function asText({ name, type }: ParquetColumn) {
  const message = `The column "${name}" holds nested or binary values (${type}); each is read as one text.`;
  return {
    code: 'COLUMN_AS_TEXT',
    severity: 'WARNING',
    column: name,
    message,
    actual: type,
    expected: 'one value in each row',
  } as const;
}
