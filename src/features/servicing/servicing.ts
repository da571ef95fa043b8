import { monthsPaid } from '../../finance/structure/opening.ts';
import { datesOf } from '../../finance/structure/periods.ts';
import type { Structure } from '../../finance/structure/structure.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import { Mover } from '../../platform/moves.ts';
import type { Id } from '../../platform/ids.ts';
import { isServiced } from '../pools/pool.ts';
import { findPool, lockPool, type Pool } from '../pools/queries.ts';
import type { PoolTape, PoolTapeState } from './queries.ts';

/** The states of a monthly tape. After it has ended it may be read, or compared, again under the next run number. */
export const POOL_TAPE_MOVES = new Mover<PoolTape, 'state', PoolTapeState>({
  noun: 'tape',
  table: 'pool_tapes',
  key: ['organization_id', 'pool_id', 'period'],
  // Runs are counted from 1 again after a tape was taken away: its upload tells it from the next one.
  fence: ['run', 'upload_id'],
  column: 'state',
  touches: 'updated_at',
  json: ['overrides', 'mapping', 'by_rule', 'findings'],
  moves: {
    RUNNING: ['NEEDS_MAPPING', 'NEEDS_CONFIRMATION', 'DONE', 'FAILED', 'RUNNING'],
    NEEDS_MAPPING: ['RUNNING'],
    NEEDS_CONFIRMATION: ['RUNNING'],
    DONE: ['RUNNING'],
    FAILED: ['RUNNING'],
  },
});

/** A pool whose loans are serviced for a deal. */
export type IssuedPool = Pool & { structure: Structure; deal_id: Id<'deal'>; loans_key: string };

/** The pool, when tapes of it can be sent; null before its issue and after its cancellation. */
export function ifIssued(pool: Pool): IssuedPool | null {
  const { structure, deal_id, loans_key } = pool;
  return structure && deal_id && loans_key && isServiced(pool) ? { ...pool, structure, deal_id, loans_key } : null;
}

/** The pool, when tapes of it can be sent; 409 before its issue and after its cancellation. */
export function asIssued(pool: Pool): IssuedPool {
  const issued = ifIssued(pool);
  if (issued) return issued;
  const { status } = pool;
  throw new ApiError('INVALID_TRANSITION', `The pool is ${status}; monthly tapes begin with its issue.`, {
    extra: { current_status: status, allowed: ['ISSUED', 'CLOSED'] },
  });
}

export const findOwn = async (tx: Tx, organizationId: Id<'org'>, poolId: Id<'pool'>): Promise<Pool> =>
  orNotFound(await findPool(tx, organizationId, poolId), 'pool');

/** The issued pool under its lock: everything that changes its months runs one after the other. */
export const lockIssued = async (tx: Tx, organizationId: Id<'org'>, poolId: Id<'pool'>): Promise<IssuedPool> =>
  asIssued(orNotFound(await lockPool(tx, organizationId, poolId), 'pool'));

/** Months of collateral from the cut-off to the end of a payment period; 0 at closing. */
export const monthsTo = ({ structure, ...pool }: IssuedPool, period: number): number =>
  period === 0 ? 0 : monthsPaid(structure, datesOf(pool), period);

export type RunFile = 'raw' | 'read-issues' | 'loans' | 'issues' | 'month';

/** The result of an earlier run that a new file or a new mapping replaces. */
export const NOTHING_READ = {
  confirmed_at: null,
  mapping: null,
  rows: 0,
  accepted: 0,
  rejected: 0,
  errors: 0,
  warnings: 0,
  by_rule: null,
  findings: {},
  as_of_date: null,
  raw_key: null,
  read_issues_key: null,
  loans_key: null,
  issues_key: null,
} satisfies Partial<PoolTape>;
