import { randomBytes } from 'node:crypto';
import { roles } from '../dictionary/dictionary.ts';
import type {
  IngestContext,
  IngestInput,
  IngestResult,
  InlineInput,
  MergeTapeInput,
  RemapInput,
  RunIngestInput,
} from './ingest-types.ts';
import { wholeTapeNotice } from './choose-base.ts';
import { inlineTable, namesOfFields } from './inline-table.ts';
import { namesRows } from './correct-rows.ts';
import { mergeRaw, MergeRefused } from './merge-raw.ts';
import type { RawColumn } from '../reading/raw-table.ts';
import { copyRaw, rawRows, readRawManifest, writeRawFile } from '../reading/raw-file.ts';
import { setTokenKey } from '../values/token.ts';
import { matchAgainstTape } from './plan-tape.ts';
import { runIngest } from './run-ingest.ts';
import { openTape, type Resealed, resealTape, rowsOf, type SealInput, sealTape } from './seal-columns.ts';

/** Ingests a raw table: writes raw.parquet, loans.parquet and issues.parquet, and what it seals, and returns their figures. */
export async function ingestRawTable(input: IngestInput): Promise<IngestResult> {
  const { raw, remembered = [], overrides = [], ...context } = input;
  const notice = wholeTapeNotice(raw);
  const told = notice ? { ...raw, notices: [...raw.notices, notice] } : raw;
  return await ingestRows(context, { ...rawRows(told), requests: [...remembered, ...overrides] });
}

/**
 * Merges a tape into the previous version: a corrected issues file by the rows that it names, any other by loan id, whose loans replace
 * older ones or are appended; the others stay. Throws when a tape that names no rows shares no id column with the version, and when its loans
 * were sent inline: a file has units of its own, and a value of one column can be read in one unit only.
 */
export async function ingestMerged(input: MergeTapeInput): Promise<IngestResult> {
  const { raw, remembered = [], overrides = [], previousRawPath, previousSealedPath = null, previousVersion, ...context } = input;
  const { inline = false } = input;
  const nextPath = `${input.outDir}/next.parquet`;
  const next = await writeRawFile(input.engine, raw, nextPath, input.signal);
  if (inline && !(await namesRows(input.engine, nextPath))) throw new MergeRefused(OF_INLINE_LOANS);
  const named = (columns: readonly RawColumn[]) => (inline ? namesOfFields(columns, input.loanType) : remembered);
  const requests = [...named(next.columns), ...overrides];
  await setKey(context);
  const { matches } = await matchAgainstTape({ ...context, rawPath: nextPath, manifest: next, requests, canonical: inline });
  const id = matches.find((match) => match.target === roles(input.loanType).id) ?? null;
  const path = `${input.outDir}/merged.parquet`;
  const { engine, signal } = input;
  const previous = await openPrevious(input, previousRawPath, previousSealedPath);
  const sealedBefore = previous.sealed;
  const files = { previousPath: previous.path, nextPath, path };
  const manifest = await mergeRaw({ engine, ...files, id, version: previousVersion, signal, sealed: sealedBefore });
  const merged = { rows: rowsOf(path, manifest), manifest, sealedBefore };
  return await ingestRows(context, { ...merged, requests: [...named(manifest.columns), ...overrides], canonical: inline });
}

const OF_INLINE_LOANS =
  'The loans of this version were sent inline, in canonical units, and only its file of findings can be merged into it: send the loans of the file as a new deal, or a whole tape as the next version.';

/** The raw table of the previous version with its sealed values in it, and the names of the columns that have them. */
async function openPrevious(
  { engine, outDir, signal }: IngestContext,
  rawPath: string,
  sealedPath: string | null,
): Promise<{ path: string; sealed: ReadonlySet<string> }> {
  const stored = await readRawManifest(engine, rawPath);
  const sealed = new Set(stored.columns.flatMap((column) => (column.sealed ? [column.normalized] : [])));
  if (sealed.size === 0) return { path: rawPath, sealed };
  const { rows, manifest } = await openTape(engine, rawPath, stored, sealedPath);
  const path = `${outDir}/previous.parquet`;
  await copyRaw(engine, rows, manifest, path, signal);
  return { path, sealed };
}

/** Ingests the same tape under another mapping: reads raw.parquet again and rewrites the others, and itself where other columns are sealed. */
export async function remapTape(input: RemapInput): Promise<IngestResult> {
  const { remembered = [], overrides = [], inline = false, rawPath, sealedPath = null, ...context } = input;
  const { columns } = await readRawManifest(input.engine, rawPath);
  const before = inline ? namesOfFields(columns, input.loanType) : remembered;
  await setKey(context);
  const resealed = await resealTape(context, { rawPath, sealedPath }, [...before, ...overrides]);
  return await ingestSealed(context, resealed, inline);
}

/** Ingests loans sent as JSON: the same checks, no unit detection, headers matched by canonical name only. */
export async function ingestInline(input: InlineInput): Promise<IngestResult> {
  const { loans, ...context } = input;
  const { raw, requests } = await inlineTable(loans, input.loanType, input.outDir);
  return await ingestRows(context, { ...rawRows(raw), requests, canonical: true });
}

type Rows = Pick<SealInput, 'rows' | 'manifest' | 'requests' | 'sealedBefore' | 'storedAt'> & { canonical?: boolean };

/** Seals the rows of a tape, and reads what is left. */
async function ingestRows(context: IngestContext, { canonical = false, ...rows }: Rows): Promise<IngestResult> {
  await setKey(context);
  return await ingestSealed(context, await sealTape({ ...context, ...rows }), canonical);
}

async function ingestSealed(context: IngestContext, sealed: Resealed, canonical: boolean): Promise<IngestResult> {
  const { rawPath, sealedPath, manifest, requests, ...sealing } = sealed;
  const run: RunIngestInput = { ...context, rawPath, manifest, requests, canonical, sealing };
  const result = await runIngest(run);
  return { ...result, files: { ...result.files, sealed: sealedPath } };
}

function setKey({ engine, tokenKey }: IngestContext): Promise<void> {
  return setTokenKey(engine, tokenKey ?? randomBytes(32).toString('hex'));
}
