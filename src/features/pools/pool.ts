import { LATEST_START } from '../../finance/dates.ts';
import type { Structure } from '../../finance/structure/structure.ts';
import type { StructureIssue } from '../../finance/structure/issue.ts';
import { findLeftOut, validateStructure } from '../../finance/structure/validate.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/http/errors.ts';
import { Mover } from '../../platform/moves.ts';
import { asPlatform } from '../../platform/db/as-platform.ts';
import { releaseLoans } from '../pledges/pledge.ts';
import type { Pool, PoolOwner, PoolStatus, PoolTerms } from './queries.ts';
import type { Holder } from '../pledges/encumbrance-queries.ts';

/** The moves of a pool. CLOSED, and CANCELLED after the issue, follow the securitization deal. */
export const POOL_MOVES = new Mover<Pool, 'status', PoolStatus>({
  noun: 'pool',
  table: 'pools',
  key: ['organization_id', 'pool_id'],
  column: 'status',
  touches: 'updated_at',
  json: ['structure'],
  moves: {
    DRAFT: ['STRUCTURED', 'CANCELLED'],
    STRUCTURED: ['STRUCTURED', 'LOCKED', 'CANCELLED'],
    LOCKED: ['ISSUED'],
    ISSUED: ['CLOSED', 'CANCELLED'],
    CLOSED: [],
    CANCELLED: [],
  },
});

/** Ends a pool; the loans of a cancelled one are released. */
export async function endPool(tx: Tx, pool: Pool, to: 'CLOSED' | 'CANCELLED'): Promise<Pool> {
  const ended = await POOL_MOVES.move(tx, pool, to);
  // A conflict ends for the other side too, which is another organization.
  if (to === 'CANCELLED') await asPlatform(tx, () => releaseLoans(tx, holderOf(pool)));
  return ended;
}

export const holderOf = ({ organization_id, pool_id }: PoolOwner): Holder => ({ organization_id, holder_id: pool_id });

/** Whether the loans of the pool are serviced for a deal. */
export const isServiced = ({ status }: Pick<Pool, 'status'>): boolean => status === 'ISSUED' || status === 'CLOSED';

/** 409 unless the pool may still be changed. */
export function checkOpen(pool: { status: PoolStatus }): void {
  if (pool.status === 'DRAFT' || pool.status === 'STRUCTURED') return;
  throw new ApiError('INVALID_TRANSITION', `The pool is ${pool.status}; only a DRAFT or STRUCTURED pool can be changed.`, {
    extra: { current_status: pool.status, allowed: POOL_MOVES.allowed(pool.status) },
  });
}

/** 422 with a sentence where a structure asks for what the language leaves out. */
export function refuseLeftOut(structure: Structure): void {
  refuse(findLeftOut(structure));
}

/** 422 with every issue and its path unless the structure fits these terms and this balance (decimal text). */
export function checkStructure(structure: Structure, terms: PoolTerms, balance: string): void {
  refuse(validateStructure(structure, { ...terms, balance: Number(balance) }).issues);
}

function refuse(issues: readonly StructureIssue[]): void {
  const [first] = issues;
  if (!first) return;
  // The narrower code applies only when nothing else is wrong.
  const excess = issues.every((issue) => issue.code === 'TRANCHES_EXCEED_POOL');
  throw new ApiError(
    excess ? 'TRANCHES_EXCEED_POOL' : 'WATERFALL_INVALID',
    `The structure is not valid: ${first.path}: ${first.message}.`,
    { errors: issues.map(({ path, code, message }) => ({ field: path, code, message })) },
  );
}

/** 422 when the pool closes before its cut-off, or so late that its payments have no dates. */
export function checkDates({ cut_off_date, closing_date }: { cut_off_date: string; closing_date: string }): void {
  if (closing_date > LATEST_START)
    throw badClosing('The closing date is too late.', `is ${closing_date}, expected ${LATEST_START} or earlier`);
  if (cut_off_date > closing_date)
    throw badClosing(
      'The closing date is before the cut-off date.',
      `is ${closing_date}, expected on or after the cut-off date ${cut_off_date}`,
    );
}

const badClosing = (problem: string, message: string): ApiError =>
  new ApiError('UNPROCESSABLE', problem, { errors: [{ field: 'closing_date', code: 'DATE_INVALID', message }] });
