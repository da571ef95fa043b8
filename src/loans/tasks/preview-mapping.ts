import { dirname } from 'node:path';
import { openEngine } from '../engine/engine.ts';
import { namesOfFields } from '../ingest/inline-table.ts';
import { type MappingPreview, previewMapping } from '../ingest/preview-mapping.ts';
import { readRawManifest } from '../reading/raw-file.ts';
import type { LoanType, MappingRequest } from '../types.ts';

export type PreviewTask = {
  rawPath: string;
  workDir: string;
  loanType: LoanType;
  asOf: string;
  /** The mapping in force, every column named. */
  before: readonly MappingRequest[];
  remembered: readonly MappingRequest[];
  overrides: readonly MappingRequest[];
  inline: boolean;
  tokenKey: string;
  /** The sealed values of the tape, in the clear; null where it has none, or none any more. */
  sealedPath: string | null;
};

/** Reads the raw table of a tape under the mapping in force and under a requested one. */
export const runMappingPreview = async (input: PreviewTask): Promise<MappingPreview> => {
  const { rawPath, workDir, loanType, asOf, before, remembered, overrides, inline, tokenKey, sealedPath } = input;
  await using engine = await openEngine({
    workDir,
    allowedDirectories: [dirname(rawPath), ...(sealedPath ? [dirname(sealedPath)] : [])],
  });
  const { columns } = await readRawManifest(engine, rawPath);
  const first = inline ? namesOfFields(columns, loanType) : remembered;
  const after = [...first, ...overrides];
  return await previewMapping({
    engine,
    rawPath,
    loanType,
    outDir: workDir,
    asOf,
    before,
    after,
    canonical: inline,
    tokenKey,
    sealedPath,
  });
};
