import { overAbsences } from './absence.ts';
import type { CallOptions, ItemOf, PagedPath } from './calls.ts';
import { growingInterval } from './clock.ts';
import type { Connection, Init } from './connection.ts';
import { OTHER_PAGES } from './generated/paths.ts';

const LARGEST_PAGE = 100;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 10_000;

/** What a list is filtered with; the place in it is the iteration's. */
export type PageOptions<P extends PagedPath> = WithoutPlace<CallOptions<P, 'get'>> & {
  /** Told each time that a further page could not be read; it is asked for again for two minutes. */
  onLost?: (error: unknown) => void;
};

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

/**
 * Every record of a list, read page by page as the loop goes. It follows cursors, so that records that come or go meanwhile shift nothing, and
 * a restart of the gateway is waited out: who has read half of a long list would have to begin anew.
 */
export async function* pagesOf<P extends PagedPath>(
  connection: Connection,
  path: P,
  { onLost, ...init }: Init & { onLost?: (error: unknown) => void },
): AsyncGenerator<ItemOf<P>, void, void> {
  const read = overAbsences(connection.settings, { signal: init.signal, onLost });
  const wait = growingInterval(FIRST_WAIT_MS, LONGEST_WAIT_MS);
  const size = OTHER_PAGES[path] ?? LARGEST_PAGE;
  let cursor: string | null = null;
  for (;;) {
    const query: object = { limit: size, ...init.params?.query, ...(cursor === null ? {} : { cursor }) };
    const received = await read(() =>
      connection.request('get', path, { ...init, params: { ...init.params, query }, parseAs: 'json' }),
    );
    if (received === null) {
      await connection.settings.clock.sleep(wait.next(), init.signal);
      continue;
    }
    wait.reset();
    const { data, pagination, meta } = received.body as Page;
    for (const item of data) yield item as ItemOf<P>;
    cursor = (pagination ?? meta)?.next_cursor ?? null;
    if (cursor === null) return;
  }
}
