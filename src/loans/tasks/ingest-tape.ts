import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { task } from '../../platform/compute/task.ts';
import { openEngine } from '../engine/engine.ts';
import { ingestInline, ingestMerged, ingestRawTable, remapTape } from '../ingest/ingest.ts';
import { chooseBase, type MergeBase, otherVersionNotice } from '../ingest/choose-base.ts';
import type { IngestResult, InlineValue, ReportProgress } from '../ingest/ingest-types.ts';
import { MergeRefused } from '../ingest/merge-raw.ts';
import { sourceFinder } from '../mapping/source-finder.ts';
import { canApply } from '../mapping/transform-inputs.ts';
import { readRawManifest } from '../reading/raw-file.ts';
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
  /** The versions that a MERGE may extend, the one in force first; a corrected issues file may be of any of them. */
  bases: readonly MergeBase[];
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
      /** The version that the tape was merged into; null for a tape of its own. */
      merged_into: number | null;
    }
  | { problem: string };

/** Ingests a tape from the uploaded file, from its raw table when only the mapping changed, or from a JSON list of inline loans. */
export async function runIngestTask(input: IngestTask, report: ReportProgress = () => {}): Promise<IngestReply> {
  const { path, format, mode, loanType, rawPath, bases, asOf, overrides, remembered, outDir } = input;
  const files = [rawPath, ...bases.flatMap((base) => [base.rawPath, base.issuesPath])];
  const allowedDirectories = files.flatMap((each) => (each ? [dirname(each)] : []));
  await using engine = await openEngine({ workDir: outDir, allowedDirectories });
  const context = { engine, loanType, outDir, asOf, overrides, remembered, report };
  const reply = async (ingested: IngestResult, merged_into: number | null = null): Promise<IngestReply> => {
    const { columns } = await readRawManifest(engine, ingested.files.raw);
    const find = sourceFinder(columns);
    const applies = format !== 'inline' && remembered.some((request) => canApply(request, find));
    return { ingested, columns, remembered: applies, merged_into };
  };
  if (rawPath) return await reply(await remapTape({ ...context, rawPath, inline: format === 'inline' }));
  if (format === 'inline') {
    const loans = JSON.parse(await readFile(path, 'utf8')) as Record<string, InlineValue>[];
    return await reply(await ingestInline({ ...context, loans }));
  }
  const onBytes = (done: number, total: number) => report({ stage: 'READING', done, total });
  const read = await readTape({ path, format, workDir: outDir, onBytes });
  if (!read.ok) return { problem: read.problem.message };
  if (mode === 'REPLACE') return await reply(await ingestRawTable({ ...context, raw: read.table }));
  const base = await chooseBase(engine, read.table, bases);
  const [inForce] = bases;
  if (!base || !inForce) return { problem: 'There is no earlier version to merge into: send the whole tape.' };
  const notices = base === inForce ? [] : [otherVersionNotice(base, inForce)];
  const raw = { ...read.table, notices: [...read.table.notices, ...notices] };
  try {
    const merged = await ingestMerged({ ...context, raw, previousRawPath: base.rawPath, previousVersion: base.version });
    return await reply(merged, base.version);
  } catch (error) {
    if (error instanceof MergeRefused) return { problem: error.message };
    throw error;
  }
}

export const ingestTask = task('ingest-tape', runIngestTask);
