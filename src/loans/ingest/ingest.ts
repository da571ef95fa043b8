import { roles } from '../dictionary/dictionary.ts';
import type { IngestInput, IngestResult, InlineInput, MergeTapeInput, RemapInput } from './ingest-types.ts';
import { wholeTapeNotice } from './choose-base.ts';
import { inlineTable, namesOfFields } from './inline-table.ts';
import { mergeRaw } from './merge-raw.ts';
import { readRawManifest, writeRawFile } from '../reading/raw-file.ts';
import { matchAgainstTape } from './plan-tape.ts';
import { runIngest } from './run-ingest.ts';

/** Ingests a raw table: writes raw.parquet, loans.parquet and issues.parquet and returns their figures. */
export async function ingestRawTable(input: IngestInput): Promise<IngestResult> {
  const { raw, remembered = [], overrides = [], ...context } = input;
  const rawPath = `${input.outDir}/raw.parquet`;
  const notice = wholeTapeNotice(raw);
  const told = notice ? { ...raw, notices: [...raw.notices, notice] } : raw;
  const manifest = await writeRawFile(input.engine, told, rawPath, input.signal);
  return await runIngest({ ...context, rawPath, manifest, requests: [...remembered, ...overrides], canonical: false });
}

/**
 * Merges a tape into the previous version: a corrected issues file by the rows that it names, any other by loan id, whose loans replace
 * older ones or are appended; the others stay. Throws when a tape that names no rows shares no id column with the version.
 */
export async function ingestMerged(input: MergeTapeInput): Promise<IngestResult> {
  const { raw, remembered = [], overrides = [], previousRawPath, previousVersion, ...context } = input;
  const requests = [...remembered, ...overrides];
  const nextPath = `${input.outDir}/next.parquet`;
  const next = await writeRawFile(input.engine, raw, nextPath, input.signal);
  const { matches } = await matchAgainstTape({ ...context, rawPath: nextPath, manifest: next, requests, canonical: false });
  const id = matches.find((match) => match.target === roles(input.loanType).id) ?? null;
  const rawPath = `${input.outDir}/raw.parquet`;
  const { engine, signal } = input;
  const files = { previousPath: previousRawPath, nextPath, path: rawPath };
  const manifest = await mergeRaw({ engine, ...files, id, version: previousVersion, signal });
  return await runIngest({ ...context, rawPath, manifest, requests, canonical: false });
}

/** Ingests the same tape under another mapping: reads raw.parquet again and rewrites the other two files. */
export async function remapTape(input: RemapInput): Promise<IngestResult> {
  const { remembered = [], overrides = [], inline = false, ...context } = input;
  const manifest = await readRawManifest(input.engine, input.rawPath);
  const before = inline ? namesOfFields(manifest.columns, input.loanType) : remembered;
  return await runIngest({ ...context, manifest, requests: [...before, ...overrides], canonical: inline });
}

/** Ingests loans sent as JSON: the same checks, no unit detection, headers matched by canonical name only. */
export async function ingestInline(input: InlineInput): Promise<IngestResult> {
  const { loans, ...context } = input;
  const { raw, requests } = await inlineTable(loans, input.loanType, input.outDir);
  const rawPath = `${input.outDir}/raw.parquet`;
  const manifest = await writeRawFile(input.engine, raw, rawPath, input.signal);
  return await runIngest({ ...context, rawPath, manifest, requests, canonical: true });
}
