import type { ColumnEngine } from '../../platform/column-engine.ts';
import { typedColumnsOf } from '../engine/columns-of.ts';
import { copyToParquet, parquet, sqlName } from '../engine/sql.ts';
import { OBLIGOR_FIELDS } from '../ingest/seal-columns.ts';

/** Writes a table of loans anew without what names their obligors; false, and nothing is written, when it has no such field. */
export async function writeWithoutObligors(engine: ColumnEngine, loansPath: string, path: string): Promise<boolean> {
  const fields = (await typedColumnsOf(engine, loansPath)).filter(({ name }) => OBLIGOR_FIELDS.has(name));
  if (fields.length === 0) return false;
  const empty = fields.map(({ name, type }) => `CAST(NULL AS ${type}) AS ${sqlName(name)}`);
  await engine.run(copyToParquet(`SELECT * REPLACE (${empty.join(', ')}) FROM ${parquet(loansPath)}`, path));
  return true;
}
