import type { Static, TObject, TSchema } from 'typebox';
import type { Tx } from '../db/database.ts';
import type { Id } from '../ids.ts';
import { type Access, type Page, type Route, route } from './route.ts';
import { type CreatedBetween, createdBetween, pageQuery, type Paging } from './schemas.ts';

/** The filters of a list: `CreatedBetween` and others, in the order in which they are documented. */
type Filters = Record<string, TSchema> & typeof CreatedBetween;

/** The filters of a request, with the bounds of creation as instants. */
type ListQuery<F extends Filters> = Omit<Static<TObject<F & typeof Paging>>, 'from' | 'to'> & {
  from: Date | null;
  to: Date | null;
};

type List<F extends Filters, R extends TSchema> = { path: string; summary: string; description?: string; filters: F; reply: R };

/** A list of the caller's own records, newest first. */
export function ownList<F extends Filters, R extends TSchema>({
  list,
  filters,
  ...about
}: List<F, R> & {
  access: Access;
  tag: string;
  list: (tx: Tx, organizationId: Id<'org'>, filters: ListQuery<F>) => Promise<Page<Static<R>>>;
}): Route {
  return route({
    ...about,
    method: 'GET',
    query: pageQuery<Filters>(filters),
    replyKind: 'page',
    errors: ['RANGE_REVERSED'],
    handler: ({ read, caller, query }) => {
      const filters = { ...query, ...createdBetween(query) } as ListQuery<F>;
      return read((tx) => list(tx, caller.organization_id, filters));
    },
  });
}

/** A list of the records of all organizations, newest first, for the operator. */
export function operatorList<F extends Filters, R extends TSchema>({
  list,
  filters,
  ...about
}: List<F, R> & { list: (tx: Tx, filters: ListQuery<F>) => Promise<Page<Static<R>>> }): Route {
  return route({
    ...about,
    method: 'GET',
    access: 'operator',
    tag: 'Operator',
    query: pageQuery<Filters>(filters),
    replyKind: 'page',
    errors: ['RANGE_REVERSED'],
    handler: ({ read, query }) => {
      const filters = { ...query, ...createdBetween(query) } as ListQuery<F>;
      return read((tx) => list(tx, filters));
    },
  });
}
