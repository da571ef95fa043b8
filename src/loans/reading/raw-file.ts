import { correctedRow, splitCorrection, withoutApostrophe } from './correction.ts';
import type { Engine } from '../engine/engine.ts';
import {
  type MalformedRow,
  type RawColumn,
  type RawTable,
  rawTableSource,
  type ReadNotice,
  type StatedTotals,
  type TapeFormat,
} from './raw-table.ts';
import { copyToParquet, rowGroupRows, sqlText } from '../engine/sql.ts';

/** Metadata of raw.parquet: enough to ingest the tape again without the uploaded file. */
export type RawManifest = {
  columns: RawColumn[];
  rowCount: number;
  format: TapeFormat;
  notices: ReadNotice[];
  noticeCounts: Record<string, number>;
  malformedRows: MalformedRow[];
  /** Of a tape that came as one file. */
  statedTotals?: readonly StatedTotals[];
};

/**
 * Writes raw.parquet: `row_number INTEGER, line INTEGER, c0 … VARCHAR` in the order of the tape, and `row_hash UBIGINT` over all
 * source columns. The manifest is stored in the metadata of the file. For a corrected issues file the added columns are omitted and
 * `corrects_row` has the row of the tape that each row corrects, null where `corrects_text` does not name one.
 */
export async function writeRawFile(engine: Engine, raw: RawTable, path: string, signal?: AbortSignal): Promise<RawManifest> {
  const { rows, manifest } = rawRows(raw);
  await copyRaw(engine, rows, manifest, path, signal);
  return manifest;
}

/** The rows of a tape as it was read, as SQL of what `copyRaw` writes, and their manifest. */
export function rawRows(raw: RawTable): { rows: string; manifest: RawManifest } {
  const { own, row } = splitCorrection(raw.columns);
  const manifest = manifestOf(raw, own);
  const names = own.map((column) => `c${column.index}`);
  const values = row === null ? names : names.map((name) => `${withoutApostrophe(name)} AS ${name}`);
  const named = `c${row?.index}`;
  const corrected = row === null ? '' : `, ${correctedRow(named)} AS corrects_row, ${named} AS corrects_text`;
  return { rows: `SELECT row_number, line, ${values.join(', ')}${corrected} FROM ${rawTableSource(raw)}`, manifest };
}

/**
 * Writes rows of `row_number, line, c…` with their hash and their manifest. Rows with sealed values have `mix` too, a text that differs
 * where those differ: it goes into the hash and not into the file.
 */
export async function copyRaw(
  engine: Engine,
  rows: string,
  manifest: RawManifest,
  path: string,
  signal?: AbortSignal,
): Promise<void> {
  const names = manifest.columns.map((column) => `c${column.index}`);
  const isSealed = manifest.columns.some((column) => column.sealed);
  const hash = `hash(${[...names, ...(isSealed ? ['mix'] : [])].join(', ')}) AS row_hash`;
  const query = `SELECT *${isSealed ? ' EXCLUDE (mix)' : ''}, ${hash} FROM (${rows})`;
  const more = `, KV_METADATA {sluice: ${sqlText(JSON.stringify(manifest))}}`;
  await engine.run(copyToParquet(query, path, more, rowGroupRows(names.length, manifest.rowCount)), [], signal);
}

/** The manifest inside a raw.parquet. */
export async function readRawManifest(engine: Engine, path: string): Promise<RawManifest> {
  const row = await engine.first<{ manifest: string }>(
    `SELECT decode(value) AS manifest FROM parquet_kv_metadata(${sqlText(path)}) WHERE decode(key) = 'sluice'`,
  );
  if (!row) throw new Error(`${path} has no manifest: it was not written by an ingest`);
  return JSON.parse(row.manifest) as RawManifest;
}

/** Fewer rows are read in less time than it takes to ask which of their texts repeat. */
const FEW_ROWS = 10_000;

/** Share of the rows in groups with a dictionary from which a column repeats: the last group may be too short for one. */
const REPEATING_SHARE = 0.9;

/** The columns of a raw.parquet, by their indices, whose texts repeat so often that its groups have dictionaries of them. */
export async function repeatingColumns(engine: Engine, path: string, rowCount: number): Promise<ReadonlySet<number>> {
  if (rowCount < FEW_ROWS) return new Set();
  const rows = await engine.rows<{ index: number }>(
    `SELECT TRY_CAST(path_in_schema[2:] AS INTEGER) AS index FROM parquet_metadata(${sqlText(path)}) ` +
      "WHERE regexp_full_match(path_in_schema, 'c[0-9]+') GROUP BY ALL " +
      `HAVING sum(CASE WHEN contains(encodings, 'DICTIONARY') THEN num_values ELSE 0 END) >= ${REPEATING_SHARE} * sum(num_values)`,
  );
  return new Set(rows.map(({ index }) => index));
}

function manifestOf(raw: RawTable, columns: RawColumn[]): RawManifest {
  const { rowCount, format, notices, noticeCounts, malformedRows, statedTotals } = raw;
  return { columns, rowCount, format, notices, noticeCounts, malformedRows, ...(statedTotals && { statedTotals }) };
}
