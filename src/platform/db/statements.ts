import type pg from 'pg';
import { type Patience, queryTimeout } from './connection.ts';

/** A text with its values as the driver takes it, prepared once per connection under a name of its own. */
export type Statements = (sql: string, params: readonly unknown[], patience?: Patience) => pg.QueryConfig;

/** Every name stays in the memory of the server's sessions: texts beyond this number are sent without one. */
const MAX_NAMES = 2_000;

/** The names of the statements of one pool: a name means one text on all of its connections. */
export function createStatements(): Statements {
  const names = new Map<string, string>();
  const nameOf = (sql: string): string | undefined => {
    if (!names.has(sql) && names.size < MAX_NAMES) names.set(sql, `s${names.size}`);
    return names.get(sql);
  };
  return (text, params, patience) => {
    const name = nameOf(text);
    return {
      text,
      values: [...params],
      ...(name ? { name } : {}),
      ...(patience ? { query_timeout: queryTimeout(patience) } : {}),
    };
  };
}
