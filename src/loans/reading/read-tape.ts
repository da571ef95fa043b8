import { type RawTable, type ReadInput, type ReadLimits, type ReadOutcome, tapeLimits } from './raw-table.ts';
import { readCsv } from './read-csv.ts';
import { asOutcome } from './read-problem.ts';
import { readXlsx } from './read-xlsx.ts';

/**
 * Reads a tape file into a raw table: a canonical CSV in `workDir` and its description. A file that cannot be read as a tape gives a
 * problem; a fault of the disk throws.
 */
export async function readTape(input: ReadInput): Promise<ReadOutcome> {
  const limits = { ...tapeLimits(input.format), ...input.limits };
  return await asOutcome(async () => ({ ok: true as const, table: await read(input, limits) }));
}

async function read({ path, format, workDir, signal, onBytes }: ReadInput, limits: ReadLimits): Promise<RawTable> {
  if (format === 'csv') return await readCsv(path, workDir, limits, signal, onBytes);
  return await readXlsx(path, workDir, limits, signal, onBytes);
}
