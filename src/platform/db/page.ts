import type { Reader } from './database.ts';

/** A condition with `?` for its value; left out where the value is null or undefined. */
export type Filter = readonly [condition: string, value: unknown];

export type PageRequest = { page: number; limit: number };

/**
 * One page of rows and how many there are in all. `filters` are joined by `and`; conditions and order are SQL of the caller,
 * values are always bound.
 */
export async function selectPage<Row>(
  tx: Reader,
  query: { select: string; from: string; filters: readonly Filter[]; order: string },
  { page, limit }: PageRequest,
): Promise<{ rows: Row[]; total: number }> {
  const values: unknown[] = [];
  const conditions = query.filters
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([condition, value]) => {
      values.push(value);
      return condition.replaceAll('?', `$${values.length}`);
    });
  const from = `from ${query.from} where ${conditions.join(' and ') || 'true'}`;
  const [rows, count] = await Promise.all([
    tx.rows<Row>(
      `select ${query.select} ${from} order by ${query.order} limit $${values.length + 1} offset $${values.length + 2}`,
      [...values, limit, (page - 1) * limit],
    ),
    tx.one<{ total: number }>(`select count(*)::int as total ${from}`, values),
  ]);
  return { rows, total: count?.total ?? 0 };
}
