import type { Connection } from './connection.ts';

/** The id of the newest event of the log, behind which a tail begins; null where there is none. */
export async function endOfEvents(connection: Connection, operator: boolean): Promise<string | null> {
  const path = operator ? '/v1/operator/events' : '/v1/api/events';
  const { next_after } = (await connection.call('get', path, { query: { limit: 1, order: 'newest' } })) as {
    next_after: string | null;
  };
  return next_after;
}
