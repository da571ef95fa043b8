import type { TSchema } from 'typebox';
import { ApiError, type FieldProblem } from './errors.ts';
import { findUnknownFields } from './unknown-fields.ts';

/** 422 with the path of every field that the schema does not have: an ignored word would change numbers without a sign. */
export function refuseUnknownFields(schema: TSchema, body: unknown): void {
  const found = findUnknownFields(schema, body);
  const [first] = found;
  if (!first) return;
  const errors = found.map(
    ({ path, nearest, message }): FieldProblem => ({ field: path, code: 'UNKNOWN_FIELD', message, nearest }),
  );
  throw new ApiError('UNKNOWN_FIELD', `The body has a field that is not known: ${first.path}: ${first.message}.`, { errors });
}
