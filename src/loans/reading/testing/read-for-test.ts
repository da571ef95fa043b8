import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { openEngine } from '../../engine/engine.ts';
import { type RawTable, rawTableSource, type ReadInput, type ReadProblem, type TapeFormat } from '../raw-table.ts';
import { readTape } from '../read-tape.ts';

const directory = await mkdtemp(join(tmpdir(), 'reading-'));
after(async () => {
  await rm(directory, { recursive: true });
});

let fileCount = 0;

/** Writes a file of this test run; gives its path. */
export async function fileOf(bytes: string | Uint8Array): Promise<string> {
  fileCount += 1;
  const path = join(directory, `tape-${fileCount}`);
  await writeFile(path, bytes);
  return path;
}

export async function read(bytes: string | Uint8Array, options: Partial<ReadInput> = {}) {
  return await readTape({ path: await fileOf(bytes), format: 'csv', workDir: directory, ...options });
}

export interface SeenTable {
  table: RawTable;
  names: string[];
  /** Values as the engine reads them from the canonical file; an empty value is null. */
  rows: (string | null)[][];
  lines: number[];
  codes: string[];
}

/** Reads bytes or a file as a tape and the canonical file through the engine, as the gateway does. */
export async function tableOf(
  input: string | Uint8Array | { path: string },
  options: Partial<ReadInput> = {},
): Promise<SeenTable> {
  const path = typeof input === 'object' && 'path' in input ? input.path : await fileOf(input);
  const outcome = await readTape({ path, format: 'csv', workDir: directory, ...options });
  if (!outcome.ok) throw new Error(`${outcome.problem.code}: ${outcome.problem.message}`);
  const { table } = outcome;
  await using engine = await openEngine({ workDir: directory, allowedDirectories: [] });
  const found = await engine.rows<Record<string, string | null>>(`select * from ${rawTableSource(table)} order by row_number`);
  return {
    table,
    names: table.columns.map((column) => column.name),
    rows: found.map((row) => table.columns.map((column) => row[`c${column.index}`])),
    lines: found.map((row) => Number(row.line)),
    codes: Object.keys(table.noticeCounts).sort(),
  };
}

export async function problemOf(bytes: string | Uint8Array, format: TapeFormat = 'csv'): Promise<ReadProblem> {
  const outcome = await read(bytes, { format });
  if (outcome.ok) throw new Error('the file was read');
  return outcome.problem;
}

/** Names of the files that readings of this run left behind. */
export async function leftBehind(): Promise<string[]> {
  return (await readdir(directory)).filter((name) => !name.startsWith('tape-'));
}
