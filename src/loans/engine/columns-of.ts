import type { Engine } from './engine.ts';
import { parquet } from './sql.ts';

/** The columns of a Parquet file, in its order. */
export async function columnsOf(engine: Engine, path: string): Promise<ReadonlySet<string>> {
  const rows = await engine.rows<{ column_name: string }>(`DESCRIBE SELECT * FROM ${parquet(path)}`);
  return new Set(rows.map((row) => row.column_name));
}
