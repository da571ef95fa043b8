import type { ColumnEngine } from '../../platform/column-engine.ts';
import { parquet } from './sql.ts';

/** A column of a Parquet file: its name and its type in the words of the engine, such as `DECIMAL(18,6)`. */
export type TypedColumn = { name: string; type: string };

/** The columns of a Parquet file with their types, in its order. */
export function typedColumnsOf(engine: ColumnEngine, path: string): Promise<TypedColumn[]> {
  return engine.rows<TypedColumn>(
    `SELECT column_name AS name, column_type AS type FROM (DESCRIBE SELECT * FROM ${parquet(path)})`,
  );
}

/** The columns of a Parquet file, in its order. */
export async function columnsOf(engine: ColumnEngine, path: string): Promise<ReadonlySet<string>> {
  return new Set((await typedColumnsOf(engine, path)).map(({ name }) => name));
}
