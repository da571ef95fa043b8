import type pg from 'pg';
import { type Patience, queryTimeout } from './connection.ts';

/** A statement with its values in the form of the driver, prepared once per connection under a name of its own. */
export type Statements = (sql: string, params: readonly unknown[], patience?: Patience) => Statement;

/** `query_timeout` is read by the client, though its types leave it out. */
export type Statement = pg.QueryConfig & { query_timeout?: number };

/** Every name stays in the memory of the server's sessions: texts beyond this number are sent without a name. */
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
