import { roles } from '../dictionary/dictionary.ts';
import type { IngestInput, IngestResult, InlineInput, MergeTapeInput, RemapInput } from './ingest-types.ts';
import { inlineTable, namesOfFields } from './inline-table.ts';
import { mergeRaw } from './merge-raw.ts';
import { readRawManifest, writeRawFile } from '../reading/raw-file.ts';
import { matchAgainstTape } from './plan-tape.ts';
import { runIngest } from './run-ingest.ts';

/** Ingests a raw table: writes raw.parquet, loans.parquet and issues.parquet and returns their figures. */
export async function ingestRawTable(input: IngestInput): Promise<IngestResult> {
  const { raw, remembered = [], overrides = [], ...context } = input;
  const rawPath = `${input.outDir}/raw.parquet`;
  const manifest = await writeRawFile(input.engine, raw, rawPath, input.signal);
  return await runIngest({ ...context, rawPath, manifest, requests: [...remembered, ...overrides], canonical: false });
}

/**
 * Merges a tape by loan id into the previous version: its loans replace older ones or are appended, the others stay. Throws when the two
 * versions share no id column (a corrected issues file needs none: it names its rows).
 */
export async function ingestMerged(input: MergeTapeInput): Promise<IngestResult> {
  const { raw, remembered = [], overrides = [], previousRawPath, ...context } = input;
  const requests = [...remembered, ...overrides];
  const nextPath = `${input.outDir}/next.parquet`;
  const next = await writeRawFile(input.engine, raw, nextPath, input.signal);
  const { matches } = await matchAgainstTape({ ...context, rawPath: nextPath, manifest: next, requests, canonical: false });
  const idColumn = matches.find((match) => match.target === roles(input.loanType).id)?.column ?? null;
  const rawPath = `${input.outDir}/raw.parquet`;
  const { engine, signal } = input;
  const manifest = await mergeRaw({ engine, previousPath: previousRawPath, nextPath, path: rawPath, idColumn, signal });
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
