import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { task } from '../../platform/compute/task.ts';
import { openEngine } from '../engine/engine.ts';
import { ingestInline, ingestMerged, ingestRawTable, remapTape } from '../ingest/ingest.ts';
import type { IngestResult, InlineValue } from '../ingest/ingest-types.ts';
import { MergeRefused } from '../ingest/merge-raw.ts';
import { readRawManifest } from '../reading/raw-file.ts';
import { findSource } from '../reading/source-name.ts';
import { type RawColumn, type TapeFormat } from '../reading/raw-table.ts';
import { readTape } from '../reading/read-tape.ts';
import type { LoanType, MappingRequest } from '../types.ts';

export type IngestTask = {
  /** The uploaded file. */
  path: string;
  format: TapeFormat | 'inline';
  mode: 'REPLACE' | 'MERGE';
  loanType: LoanType;
  /** The raw table of this version if it was read before and only the mapping is new; else null. */
  rawPath: string | null;
  /** The raw table of the version that a MERGE extends. */
  previousRawPath: string | null;
  asOf: string;
  overrides: readonly MappingRequest[];
  remembered: readonly MappingRequest[];
  /** Directory for the files of the result. */
  outDir: string;
};

/** The figures and files of a tape, or the reason why the file cannot be read as one. */
export type IngestReply =
  | {
      ingested: IngestResult;
      columns: RawColumn[];
      /** Whether an entry of the remembered mapping names a column of the tape. */
      remembered: boolean;
    }
  | { problem: string };

/** Ingests a tape from the uploaded file, from its raw table when only the mapping changed, or from a JSON list of inline loans. */
export async function runIngestTask(input: IngestTask): Promise<IngestReply> {
  const { path, format, mode, loanType, rawPath, previousRawPath, asOf, overrides, remembered, outDir } = input;
  const allowedDirectories = [rawPath, previousRawPath].flatMap((each) => (each ? [dirname(each)] : []));
  await using engine = await openEngine({ workDir: outDir, allowedDirectories });
  const context = { engine, loanType, outDir, asOf, overrides, remembered };
  const reply = async (ingested: IngestResult): Promise<IngestReply> => {
    const { columns } = await readRawManifest(engine, ingested.files.raw);
    const applies = format !== 'inline' && remembered.some(({ source }) => findSource(source, columns));
    return { ingested, columns, remembered: applies };
  };
  if (rawPath) return await reply(await remapTape({ ...context, rawPath, inline: format === 'inline' }));
  if (format === 'inline') {
    const loans = JSON.parse(await readFile(path, 'utf8')) as Record<string, InlineValue>[];
    return await reply(await ingestInline({ ...context, loans }));
  }
  const read = await readTape({ path, format, workDir: outDir });
  if (!read.ok) return { problem: read.problem.message };
  if (mode === 'REPLACE') return await reply(await ingestRawTable({ ...context, raw: read.table }));
  if (!previousRawPath) return { problem: 'There is no earlier version to merge into: send the whole tape.' };
  try {
    return await reply(await ingestMerged({ ...context, raw: read.table, previousRawPath }));
  } catch (error) {
    if (error instanceof MergeRefused) return { problem: error.message };
    throw error;
  }
}

export const ingestTask = task('ingest-tape', runIngestTask);
