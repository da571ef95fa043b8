import { dirname } from 'node:path';
import { task } from '../../platform/compute/task.ts';
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
};

/** Reads the raw table of a tape under the mapping in force and under a requested one. */
export const previewMappingTask = task('preview-mapping', async (input: PreviewTask): Promise<MappingPreview> => {
  const { rawPath, workDir, loanType, asOf, before, remembered, overrides, inline } = input;
  await using engine = await openEngine({ workDir, allowedDirectories: [dirname(rawPath)] });
  const { columns } = await readRawManifest(engine, rawPath);
  const first = inline ? namesOfFields(columns, loanType) : remembered;
  const after = [...first, ...overrides];
  return await previewMapping({ engine, rawPath, loanType, outDir: workDir, asOf, before, after, canonical: inline });
});
