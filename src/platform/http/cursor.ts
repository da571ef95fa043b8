import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Page, PageRequest } from '../pages.ts';
import { type ApiError, invalidField } from './errors.ts';
import type { Route } from './route.ts';
import type { CursorSigner } from './cursor-signer.ts';

/** Parameters that choose rows of a list without changing the list. */
const PAGING = ['page', 'limit', 'offset', 'cursor'];

/** The list of a request: its path, its filters and the organization that asks. */
export function listOf(request: FastifyRequest, route: Route): string {
  const filters = Object.entries((request.query ?? {}) as Record<string, unknown>).filter(([name]) => !PAGING.includes(name));
  const list = [route.path, request.params, filters.sort(([a], [b]) => (a < b ? -1 : 1)), request.caller?.organization_id];
  return hash('sha256', JSON.stringify(list), 'base64url');
}

/** The query of a request with its cursor as the position that it stands for. */
export function readCursor(cursors: CursorSigner, request: FastifyRequest, route: Route): unknown {
  const query = request.query as { cursor?: unknown } | undefined;
  if (!isPaged(route) || typeof query?.cursor !== 'string') return query;
  const position = cursors.open(listOf(request, route), query.cursor);
  if (!position) throw invalidCursor('not a cursor of this list with these filters: send a next_cursor of the same list');
  return { ...query, cursor: position };
}

/** Whether the list of a route has pages. */
export const isPaged = ({ replyKind }: Pick<Route, 'replyKind'>): boolean => replyKind === 'page' || replyKind === 'meta';

const invalidCursor = (message: string): ApiError => invalidField('cursor', 'INVALID', message);

/** Refuses two of a page number, an offset and a cursor: each says by itself where the page begins. */
export function refuseTwoBeginnings(query: Record<string, unknown>): void {
  const [first, second] = ['page', 'offset', 'cursor'].filter((name) => name in query);
  if (first === undefined || second === undefined) return;
  throw invalidField(first, 'INVALID', `${first} and ${second} exclude one another: send one of them`);
}

/**
 * A page of rows that a file holds. Its cursor also names the file: behind a cursor of an earlier version of the rows it would repeat and
 * skip some, so such a cursor is refused.
 */
export async function pageOfFile<Row, Query extends PageRequest>(
  file: string,
  query: Query,
  list: (query: Query) => Promise<Page<Row>>,
): Promise<Page<Row>> {
  const name = hash('sha256', file, 'base64url').slice(0, 12);
  const [of, ...position] = query.cursor ?? [name];
  if (of !== name) throw invalidCursor('the rows have changed since this cursor was given: start again without it');
  const found = await list(query.cursor ? { ...query, cursor: position } : query);
  return { ...found, next: found.next && [name, ...found.next] };
}
