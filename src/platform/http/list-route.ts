import type { Static, TObject, TSchema } from 'typebox';
import type { Tx } from '../db/database.ts';
import type { Id } from '../ids.ts';
import { orNotFound } from './errors.ts';
import type { RecordOfPath } from './stored-record.ts';
import type { Operation } from './operation.ts';
import type { Page } from '../pages.ts';
import { type Route, route } from './route.ts';
import type { Access } from './caller.ts';
import { type CreatedBetween, pageQuery, type Paging } from './schemas.ts';

/** The filters of a list: `CreatedBetween` and others, in the order in which they are documented. */
type Filters = Record<string, TSchema> & typeof CreatedBetween;

/** The filters of a request, with the bounds of creation as instants. */
type ListQuery<F extends Filters> = Static<TObject<F & typeof Paging>>;

type List<F extends Filters, R extends TSchema> = {
  operation: Operation;
  path: string;
  summary: string;
  description?: string;
  filters: F;
  reply: R;
};

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
    handler: ({ read, caller, query }) => read((tx) => list(tx, caller.organization_id, query as ListQuery<F>)),
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
    handler: ({ read, query }) => read((tx) => list(tx, query as ListQuery<F>)),
  });
}

/** One record of any organization by its id, for the operator: the twin of an `operatorList`, in the same shape. */
export function operatorRecord<P extends TObject, R extends TSchema>({
  find,
  what,
  tag = 'Operator',
  ...about
}: {
  operation: Operation;
  path: string;
  summary: string;
  params: P;
  reply: R;
  record: RecordOfPath;
  /** The noun, for the 404. */
  what: string;
  tag?: string;
  find: (tx: Tx, params: Static<P>) => Promise<Static<R> | null>;
}): Route {
  return route({
    ...about,
    method: 'GET',
    access: 'operator',
    tag,
    errors: ['NOT_FOUND'],
    handler: async ({ read, params }) => orNotFound(await read((tx) => find(tx, params)), what),
  });
}
