import { roles } from '../dictionary/dictionary.ts';
import type { IngestInput, IngestResult, InlineInput, MergeTapeInput, RemapInput } from './ingest-types.ts';
import { inlineTable, namesOfFields } from './inline-table.ts';
import { mergeRaw } from './merge-raw.ts';
import { readRawManifest, writeRawFile } from '../reading/raw-file.ts';
import { matchAgainstTape } from './plan-tape.ts';
import { takeIn } from './run-ingest.ts';

/** Raw table → raw.parquet, loans.parquet, issues.parquet and the figures about them. */
export async function ingestTape(input: IngestInput): Promise<IngestResult> {
  const { raw, remembered = [], overrides = [], ...context } = input;
  const rawPath = `${input.outDir}/raw.parquet`;
  const manifest = await writeRawFile(input.engine, raw, rawPath, input.signal);
  return await takeIn({ ...context, rawPath, manifest, requests: [...remembered, ...overrides], canonical: false });
}

/**
 * A tape merged by loan id into the version before: its loans replace or follow the older ones, the rest stays. Throws where the
 * two have no id column in common (a corrected file of issues needs none: it names its rows).
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
  return await takeIn({ ...context, rawPath, manifest, requests, canonical: false });
}

/** The same tape under another mapping: raw.parquet is read again, the other two files are written anew. */
export async function remapTape(input: RemapInput): Promise<IngestResult> {
  const { remembered = [], overrides = [], inline = false, ...context } = input;
  const manifest = await readRawManifest(input.engine, input.rawPath);
  const before = inline ? namesOfFields(manifest.columns, input.loanType) : remembered;
  return await takeIn({ ...context, manifest, requests: [...before, ...overrides], canonical: inline });
}

/** Loans sent as JSON: the same checks, no unit detection, no header matching but by canonical name. */
export async function ingestInline(input: InlineInput): Promise<IngestResult> {
  const { loans, ...context } = input;
  const { raw, requests } = await inlineTable(loans, input.loanType, input.outDir);
  const rawPath = `${input.outDir}/raw.parquet`;
  const manifest = await writeRawFile(input.engine, raw, rawPath, input.signal);
  return await takeIn({ ...context, rawPath, manifest, requests, canonical: true });
}
