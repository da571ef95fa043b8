import type { Engine } from './engine.ts';

export type PageOfRows<Row> = { rows: Row[]; total: number };

type PageQuery = {
  columns: string;
  /** SQL relation. */
  source: string;
  conditions?: readonly string[];
  order: string;
};

/** One page of the rows of a relation, and how many there are in all. */
export async function selectRows<Row extends object>(
  engine: Engine,
  { columns, source, conditions = [], order }: PageQuery,
  { page, limit }: { page: number; limit: number },
): Promise<PageOfRows<Row>> {
  const from = `from ${source} ${conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''}`;
  const [rows, counted] = await Promise.all([
    engine.rows<Row>(`select ${columns} ${from} order by ${order} limit ${limit} offset ${(page - 1) * limit}`),
    engine.first<{ total: number }>(`select count(*)::integer as total ${from}`),
  ]);
  return { rows, total: counted?.total ?? 0 };
}
