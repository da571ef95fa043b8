import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine } from '../../engine/engine.ts';
import { sqlText } from '../../engine/sql.ts';

/** The bytes of a Parquet file with the rows of a query. */
export async function parquetOf(query: string, options = ''): Promise<Buffer> {
  const dir = await mkdtemp(join(tmpdir(), 'parquet-for-test-'));
  try {
    await using engine = await openEngine({ workDir: dir, allowedDirectories: [] });
    const path = join(dir, 'file.parquet');
    await engine.run(`COPY (${query}) TO ${sqlText(path)} (FORMAT parquet${options})`);
    return await readFile(path);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
