import { isDeepStrictEqual } from 'node:util';
import { disclosureFault } from '../../loans/dictionary/disclosure.ts';
import { isPersonalHeader } from '../../loans/mapping/personal-data.ts';
import type { LoanType } from '../../loans/types.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import type { Id } from '../../platform/ids.ts';
import { POOL_MOVES } from './pool.ts';
import { type DisclosureLevel, lockPool, type Pool, updateDisclosure } from './queries.ts';

type DisclosureRequest = { poolId: Id<'pool'>; level: DisclosureLevel; fields: readonly string[] };

/** Sets what investors see of the loans of a pool, at once for a deal that is on the market. 422 with every field that cannot be disclosed. */
export async function setDisclosure(tx: Tx, actor: Actor, { poolId, level, fields }: DisclosureRequest): Promise<Pool> {
  const pool = orNotFound(await lockPool(tx, actor.organization_id, poolId), 'pool');
  if (pool.status === 'CANCELLED')
    throw new ApiError('INVALID_TRANSITION', 'The pool is CANCELLED: it has no loans to disclose any more.', {
      extra: { current_status: pool.status, allowed: POOL_MOVES.allowed(pool.status) },
    });
  refuseFields(pool.loan_type, fields);
  if (level === 'LOAN_LEVEL' && fields.length === 0)
    throw new ApiError('UNPROCESSABLE', 'LOAN_LEVEL without a field discloses nothing: name the fields, or set AGGREGATE.', {
      errors: [{ field: 'fields', code: 'FIELDS_MISSING', message: 'expected at least one field at LOAN_LEVEL' }],
    });
  tx.unchanged = isDeepStrictEqual([pool.disclosure_level, pool.disclosed_fields], [level, fields]);
  if (tx.unchanged) return pool;
  return orNotFound(await updateDisclosure(tx, pool, level, fields), 'pool');
}

/** 422 with every field that loans of the type do not have, or that is never disclosed. */
export function refuseFields(loanType: LoanType, fields: readonly string[], path = 'fields'): void {
  const errors = fields.flatMap((field, index) => {
    const fault = disclosureFault(loanType, field, isPersonalHeader);
    return fault ? [{ field: `${path}.${index}`, ...fault }] : [];
  });
  const [first] = errors;
  if (!first) return;
  const code = first.code === 'IDENTIFIES_LOAN' ? 'UNPROCESSABLE' : first.code;
  throw new ApiError(code, `${errors.length} of ${fields.length} fields cannot be disclosed: ${first.message}.`, { errors });
}
