import { correctedRow, splitCorrection, withoutApostrophe } from './correction.ts';
import type { Engine } from '../engine/engine.ts';
import {
  type MalformedRow,
  type RawColumn,
  type RawTable,
  rawTableSource,
  type ReadNotice,
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
  await engine.run(copyToParquet(query, path, more, rowGroupRows(names.length)), [], signal);
}

/** The manifest inside a raw.parquet. */
export async function readRawManifest(engine: Engine, path: string): Promise<RawManifest> {
  const row = await engine.first<{ manifest: string }>(
    `SELECT decode(value) AS manifest FROM parquet_kv_metadata(${sqlText(path)}) WHERE decode(key) = 'sluice'`,
  );
  if (!row) throw new Error(`${path} has no manifest: it was not written by an ingest`);
  return JSON.parse(row.manifest) as RawManifest;
}

function manifestOf(raw: RawTable, columns: RawColumn[]): RawManifest {
  const { rowCount, format, notices, malformedRows } = raw;
  return { columns, rowCount, format, notices, noticeCounts: raw.noticeCounts, malformedRows };
}
