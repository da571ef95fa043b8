import type { Field, Operation } from './operation.ts';

const PLACE = ['page', 'limit'];

/** The fields that are options of their own: the place in a list is the command's to ask. */
export const fieldsOf = (operation: Operation): Field[] => [
  ...operation.query.filter(({ name }) => !PLACE.includes(name)),
  ...bodyFieldsOf(operation),
];

/** Every field of the query and of the body. */
export const allFieldsOf = (operation: Operation): Field[] => [...operation.query, ...bodyFieldsOf(operation)];

const bodyFieldsOf = ({ body }: Operation): Field[] => (body?.kind === 'json' ? body.fields : []);

/** Whether an operation reads a list of which a part is asked for. */
export const takesPlace = ({ method, reply, query }: Operation): boolean =>
  method === 'get' && reply.kind === 'list' && (reply.paged || query.some(({ name }) => name === 'limit'));
