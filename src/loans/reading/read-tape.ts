import { stat } from 'node:fs/promises';
import { type FileKind, fileKind } from './file-kind.ts';
import { type RawTable, type ReadInput, type ReadNotice, type ReadOutcome, type TapeFormat, tapeLimits } from './raw-table.ts';
import { readCsv } from './read-csv.ts';
import { readParquet } from './read-parquet.ts';
import { asOutcome, TapeProblem } from './read-problem.ts';
import { readXlsx } from './read-xlsx.ts';
import { TotalsAmongLoans } from './table-builder.ts';

/**
 * Reads a tape file into a raw table: a canonical CSV in `workDir` and its description. The file is read as what it is; a notice says so
 * when another format was named. A file that cannot be read as a tape gives a problem; a fault of the disk throws.
 */
export async function readTape(input: ReadInput): Promise<ReadOutcome> {
  return await asOutcome(async () => {
    const kind = await tapeKind(input.path);
    const table = await read(input, kind);
    const notice = formatNotice(input.format, table.format);
    if (notice) {
      table.notices.unshift(notice);
      table.noticeCounts[notice.code] = 1;
    }
    return { ok: true as const, table };
  });
}

/** What a file is; throws a TapeProblem for a file that is empty or cannot be a tape. */
export async function tapeKind(path: string): Promise<FileKind> {
  const { size } = await stat(path);
  if (size === 0) throw new TapeProblem('EMPTY_FILE', 'The file has 0 bytes. Upload the tape again.');
  return await fileKind(path);
}

async function read(input: ReadInput, kind: FileKind): Promise<RawTable> {
  try {
    return await readOnce(input, kind);
  } catch (error) {
    // Progress never goes back: the second reading has none.
    if (error instanceof TotalsAmongLoans) return await readOnce({ ...input, onBytes: undefined }, kind, error.lines);
    throw error;
  }
}

async function readOnce(input: ReadInput, kind: FileKind, totals?: ReadonlySet<number>): Promise<RawTable> {
  const { path, workDir, signal, onBytes } = input;
  const limits = { ...tapeLimits(formatOf(kind)), ...input.limits };
  if (kind === 'xlsx') return await readXlsx(path, workDir, limits, signal, onBytes, totals);
  if (kind === 'parquet') return await readParquet(path, workDir, limits, signal, totals);
  return await readCsv({ path, isGzip: kind === 'gzip' }, workDir, limits, signal, onBytes, totals);
}

export function formatOf(kind: FileKind): TapeFormat {
  return kind === 'xlsx' || kind === 'parquet' ? kind : 'csv';
}

const NAMES: Record<TapeFormat, string> = { csv: 'CSV text', xlsx: 'an Excel workbook', parquet: 'a Parquet file' };

function formatNotice(named: TapeFormat, found: TapeFormat): ReadNotice | null {
  if (named === found) return null;
  const message = `The file is ${NAMES[found]}, although another format was named for it; it was read as what it is. Name its format when sending it.`;
  return { code: 'FORMAT_DIFFERS', severity: 'WARNING', message, actual: found, expected: named };
}
