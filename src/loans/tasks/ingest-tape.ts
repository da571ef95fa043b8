import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Engine, type EngineOptions, openEngine } from '../engine/engine.ts';
import { ingestInline, ingestMerged, ingestRawTable, remapTape } from '../ingest/ingest.ts';
import { chooseBase, type MergeBase, otherVersionNotice } from '../ingest/choose-base.ts';
import type { IngestResult, InlineValue, LoansBefore, ReportProgress } from '../ingest/ingest-types.ts';
import { MergeRefused } from '../ingest/merge-raw.ts';
import { sourceFinder } from '../mapping/source-finder.ts';
import { canApply } from '../mapping/transform-inputs.ts';
import { readRawManifest } from '../reading/raw-file.ts';
import { type RawColumn, type RawTable, type TapeFormat } from '../reading/raw-table.ts';
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
  /** Whether that raw table has loans that were sent inline, also where the format is that of a file of findings that corrected them. */
  inline?: boolean;
  /** The sealed values of that raw table, in the clear; null where it has none, or none any more. */
  sealedPath?: string | null;
  /** The versions that a MERGE may extend, the one in force first; a corrected issues file may be of any of them. */
  bases: readonly MergeBase[];
  asOf: string;
  overrides: readonly MappingRequest[];
  remembered: readonly MappingRequest[];
  /** The loans of the version before, with which these are compared; null or absent for the first one. */
  replaces?: LoansBefore | null;
  /** Key of the organization's tokens, as hex. */
  tokenKey?: string;
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
  const { path, format, rawPath, outDir } = input;
  if (rawPath || format === 'inline') return await ingestKnown(input, report);
  const onBytes = (done: number, total: number) => report({ stage: 'READING', done, total });
  const read = await readTape({ path, format, workDir: outDir, onBytes });
  return read.ok ? await ingestRead(input, read.table, report) : { problem: read.problem.message };
}

async function ingestKnown(input: IngestTask, report: ReportProgress): Promise<IngestReply> {
  const { path, rawPath } = input;
  if (rawPath) {
    await using engine = await engineFor(input);
    const known = { rawPath, sealedPath: input.sealedPath ?? null, inline: isInline(input) };
    return await replyOf(engine, input, await remapTape({ ...contextOf(input), engine, report, ...known }));
  }
  const loans = JSON.parse(await readFile(path, 'utf8')) as Record<string, InlineValue>[];
  await using engine = await engineFor(input, { rows: loans.length });
  return await replyOf(engine, input, await ingestInline({ ...contextOf(input), engine, report, loans }));
}

function isInline({ format, inline = format === 'inline' }: IngestTask): boolean {
  return inline;
}

async function ingestRead(input: IngestTask, table: RawTable, report: ReportProgress): Promise<IngestReply> {
  await using engine = await engineFor(input, {
    columns: table.columns.length,
    // What a merge reads has the rows of the version before too.
    ...(input.mode === 'REPLACE' && { rows: table.rowCount }),
  });
  const context = { ...contextOf(input), engine, report };
  if (input.mode === 'REPLACE') return await replyOf(engine, input, await ingestRawTable({ ...context, raw: table }));
  const base = await chooseBase(engine, table, input.bases);
  const [inForce] = input.bases;
  if (!base || !inForce) return { problem: 'There is no earlier version to merge into: send the whole tape.' };
  const notices = base === inForce ? [] : [otherVersionNotice(base, inForce)];
  const raw = { ...table, notices: [...table.notices, ...notices] };
  try {
    const merged = await ingestMerged({
      ...context,
      raw,
      previousRawPath: base.rawPath,
      previousSealedPath: base.sealedPath ?? null,
      previousVersion: base.version,
      ...(base.inline && { inline: true }),
    });
    return await replyOf(engine, { ...input, ...(base.inline && { inline: true }) }, merged, base.version);
  } catch (error) {
    if (error instanceof MergeRefused) return { problem: error.message };
    throw error;
  }
}

async function engineFor(
  { outDir, rawPath, sealedPath, bases, replaces }: IngestTask,
  sizes: Pick<EngineOptions, 'columns' | 'rows'> = {},
): Promise<Engine> {
  const files = [
    rawPath,
    sealedPath,
    replaces?.loansPath,
    ...bases.flatMap((base) => [base.rawPath, base.issuesPath, base.sealedPath]),
  ];
  const allowedDirectories = files.flatMap((each) => (each ? [dirname(each)] : []));
  return await openEngine({ workDir: outDir, allowedDirectories, ...sizes });
}

function contextOf({ loanType, outDir, asOf, overrides, remembered, replaces = null, tokenKey }: IngestTask) {
  return { loanType, outDir, asOf, overrides, remembered, replaces, ...(tokenKey !== undefined && { tokenKey }) };
}

async function replyOf(
  engine: Engine,
  input: IngestTask,
  ingested: IngestResult,
  merged_into: number | null = null,
): Promise<IngestReply> {
  const { columns } = await readRawManifest(engine, ingested.files.raw);
  const find = sourceFinder(columns);
  const applies = !isInline(input) && input.remembered.some((request) => canApply(request, find));
  return { ingested, columns, remembered: applies, merged_into };
}
