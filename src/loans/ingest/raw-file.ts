import { splitCorrection, withoutApostrophe } from './correction.ts';
import type { Engine } from '../engine/engine.ts';
import type { MalformedRow, RawColumn, RawTable, ReadNotice } from '../reading/raw-table.ts';
import { rawTableSource } from '../reading/raw-table.ts';
import { copyToParquet, sqlText } from '../engine/sql.ts';

/** What raw.parquet says about itself: enough to take the tape in again without the file it came from. */
export type RawManifest = {
  columns: RawColumn[];
  rowCount: number;
  format: 'csv' | 'xlsx';
  notices: ReadNotice[];
  noticeCounts: Record<string, number>;
  malformedRows: MalformedRow[];
};

/**
 * Writes raw.parquet: `row_number INTEGER, line INTEGER, c0 … VARCHAR` in the order of the tape, and `row_hash UBIGINT` over all
 * source columns. The manifest rides in the file's own metadata. A corrected file of issues comes without its added columns and
 * with `corrects_row`, the row of the tape that it corrects.
 */
export async function writeRawFile(engine: Engine, raw: RawTable, path: string, signal?: AbortSignal): Promise<RawManifest> {
  const { own, row } = splitCorrection(raw.columns);
  const manifest = manifestOf(raw, own);
  const names = own.map((column) => `c${column.index}`);
  const values = row === null ? names : names.map((name) => `${withoutApostrophe(name)} AS ${name}`);
  const corrected = row === null ? '' : `, TRY_CAST(c${row.index} AS INTEGER) AS corrects_row`;
  await copyRaw(
    engine,
    `SELECT row_number, line, ${values.join(', ')}${corrected} FROM ${rawTableSource(raw)}`,
    manifest,
    path,
    signal,
  );
  return manifest;
}

/** Writes rows of `row_number, line, c…` with their hash and their manifest. */
export async function copyRaw(
  engine: Engine,
  rows: string,
  manifest: RawManifest,
  path: string,
  signal?: AbortSignal,
): Promise<void> {
  const names = manifest.columns.map((column) => `c${column.index}`);
  const query = `SELECT *, hash(${names.join(', ')}) AS row_hash FROM (${rows})`;
  const more = `, KV_METADATA {sluice: ${sqlText(JSON.stringify(manifest))}}`;
  await engine.run(copyToParquet(query, path, more), [], signal);
}

/** The manifest inside a raw.parquet. */
export async function readRawManifest(engine: Engine, path: string): Promise<RawManifest> {
  const row = await engine.first<{ manifest: string }>(
    `SELECT decode(value) AS manifest FROM parquet_kv_metadata(${sqlText(path)}) WHERE decode(key) = 'sluice'`,
  );
  if (!row) throw new Error(`${path} carries no manifest: it was not written by an intake`);
  return JSON.parse(row.manifest) as RawManifest;
}

function manifestOf(raw: RawTable, columns: RawColumn[]): RawManifest {
  const { rowCount, format, notices, malformedRows } = raw;
  return { columns, rowCount, format, notices, noticeCounts: raw.noticeCounts, malformedRows };
}

/** The name by which a mapping speaks of a column: its header, or the numbered form where a header occurs twice or is empty. */
export function sourceName(column: RawColumn, columns: readonly RawColumn[]): string {
  const first = columns.find((other) => other.name === column.name);
  return column.name !== '' && first === column ? column.name : column.normalized;
}

/** The column that a mapping means: by exact header first, then by normalised header. */
export function findSource(source: string, columns: readonly RawColumn[]): RawColumn | undefined {
  return (
    columns.find((column) => sourceName(column, columns) === source) ??
    columns.find(
      (column) =>
        column.normalized ===
        source
          .toLowerCase()
          .replace(/[^a-z0-9]+/g, '_')
          .replace(/^_+|_+$/g, ''),
    )
  );
}
