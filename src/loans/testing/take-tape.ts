import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Engine, openEngine } from '../engine/engine.ts';
import type { IngestResult } from '../ingest/ingest-types.ts';
import { ingestMerged, ingestRawTable, remapTape } from '../ingest/ingest.ts';
import type { TapeFormat } from '../reading/raw-table.ts';
import { readTape } from '../reading/read-tape.ts';
import type { LoanType, MappingRequest } from '../types.ts';

export type TapeRequest = {
  loanType: LoanType;
  /** Text of a CSV tape, or the path of a file. */
  csv?: string;
  path?: string;
  format?: TapeFormat;
  remembered?: readonly MappingRequest[];
  overrides?: readonly MappingRequest[];
  asOf?: string;
  /** raw.parquet of the version that the tape is merged into. */
  mergeInto?: string;
  /** Its sealed values. */
  mergeSealed?: string | null;
};

export type Issue = {
  row_number: number | null;
  line: number | null;
  column_name: string | null;
  field: string | null;
  rule_id: string;
  severity: string;
  message: string;
  actual: string | null;
  expected: string | null;
};

/** A room with an engine in which tapes are taken in; everything in it goes when it is disposed of. */
export async function openRoom() {
  const dir = await mkdtemp(join(tmpdir(), 'sluice-tape-'));
  const engine = await openEngine({ workDir: dir, allowedDirectories: [dir], rows: 0 });
  let count = 0;
  const newDir = async () => {
    count += 1;
    const path = join(dir, `tape-${count}`);
    await mkdir(path);
    return path;
  };
  return {
    dir,
    engine,
    newDir,
    take: async (request: TapeRequest) => takeTape(engine, await newDir(), request),
    async [Symbol.asyncDispose]() {
      await engine.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** One key for all tapes: equal ids of several tapes have equal tokens. */
export const TOKEN_KEY = '5a'.repeat(32);

async function takeTape(engine: Engine, outDir: string, request: TapeRequest) {
  const path = request.path ?? join(outDir, 'tape.csv');
  if (request.csv !== undefined) await writeFile(path, request.csv);
  const read = await readTape({ path, format: request.format ?? 'csv', workDir: outDir });
  if (!read.ok) throw new Error(read.problem.message);
  const { loanType, remembered = [], overrides = [], asOf = '2026-11-20' } = request;
  const context = { engine, loanType, outDir, asOf, tokenKey: TOKEN_KEY };
  const input = { ...context, raw: read.table, remembered, overrides };
  const result = request.mergeInto
    ? await ingestMerged({ ...input, previousRawPath: request.mergeInto, previousSealedPath: request.mergeSealed ?? null })
    : await ingestRawTable(input);
  return taken(engine, result, async (more: readonly MappingRequest[]) =>
    remapTape({
      ...context,
      outDir: await mkdtemp(join(outDir, 'mapped-')),
      rawPath: result.files.raw,
      sealedPath: result.files.sealed,
      remembered,
      overrides: [...overrides, ...more],
    }),
  );
}

function taken(engine: Engine, result: IngestResult, remap: (overrides: readonly MappingRequest[]) => Promise<IngestResult>) {
  return {
    ...result,
    result,
    remap,
    /** Accepted loans in the order of the tape. */
    loans: (columns = '*') =>
      engine.rows<Record<string, string | number | boolean | null>>(
        `SELECT ${columns} FROM read_parquet('${result.files.loans}')`,
      ),
    issues: (rule?: string) =>
      engine.rows<Issue>(`SELECT * FROM read_parquet('${result.files.issues}')${rule ? ` WHERE rule_id = '${rule}'` : ''}`),
  };
}
