import type { CallOptions, ItemOf, PagedPath } from './calls.ts';
import type { Connection, Init } from './connection.ts';

const LARGEST_PAGE = 100;

/** What a list is filtered with; the place in it is the iteration's. */
export type PageOptions<P extends PagedPath> = WithoutPlace<CallOptions<P, 'get'>>;

// oxlint-disable typescript/no-empty-object-type -- the type that every optional part fits.
type WithoutPlace<O> = O extends { params?: infer Params }
  ? Omit<O, 'params'> &
      ({} extends Pick<O, 'params' & keyof O>
        ? { params?: WithoutPlaceInQuery<NonNullable<Params>> }
        : { params: WithoutPlaceInQuery<Params> })
  : O;
type WithoutPlaceInQuery<Params> = Params extends { query?: infer Query }
  ? Omit<Params, 'query'> & { query?: Omit<NonNullable<Query>, 'page' | 'offset' | 'cursor'> }
  : Params;

export type PageArguments<P extends PagedPath> =
  {} extends PageOptions<P> ? [options?: PageOptions<P>] : [options: PageOptions<P>];
// oxlint-enable typescript/no-empty-object-type

type Page = { data: unknown[]; pagination?: Place; meta?: Place };
type Place = { next_cursor: string | null };

/** Every record of a list, read page by page as the loop goes. It follows cursors, so that records that come or go meanwhile shift nothing. */
export async function* pagesOf<P extends PagedPath>(
  connection: Connection,
  path: P,
  init: Init,
): AsyncGenerator<ItemOf<P>, void, void> {
  let cursor: string | null = null;
  do {
    const query: object = { limit: LARGEST_PAGE, ...init.params?.query, ...(cursor === null ? {} : { cursor }) };
    const { body } = await connection.request('get', path, { ...init, params: { ...init.params, query }, parseAs: 'json' });
    const { data, pagination, meta } = body as Page;
    for (const item of data) yield item as ItemOf<P>;
    cursor = (pagination ?? meta)?.next_cursor ?? null;
  } while (cursor !== null);
}
