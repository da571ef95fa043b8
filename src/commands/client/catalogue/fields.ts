import type { Field, Operation } from './operation.ts';

const PLACE = ['page', 'limit'];

/** The fields that are options of their own: the place in a list is the command's to ask. */
export const fieldsOf = ({ query, body }: Operation): Field[] => [
  ...query.filter(({ name }) => !PLACE.includes(name)),
  ...(body?.kind === 'json' ? body.fields : []),
];
