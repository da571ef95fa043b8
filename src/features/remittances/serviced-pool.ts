import { isResidual, type Structure } from '../../finance/structure/structure.ts';
import type { Remittance } from '../../finance/structure/remittance.ts';
import type { Verification } from '../../finance/structure/verify-report.ts';
import type { RemittanceFinding } from '../../finance/structure/tie-remittance.ts';
import { toCents } from '../../finance/money.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, type FieldProblem, orNotFound } from '../../platform/http/errors.ts';
import type { Id } from '../../platform/ids.ts';
import { loadFixings } from '../fixings/queries.ts';
import { NOTHING, type PaidAmounts } from '../payments/allot.ts';
import { isServiced } from '../pools/pool.ts';
import { findPool, lockPool, type Pool } from '../pools/queries.ts';
import { lockSecuritization } from '../securitizations/queries.ts';
import { type Opening, openingOf, type VerifiedTerms } from './derive.ts';
import { findRemittanceBefore } from './queries.ts';

/** A pool whose deal was issued, and has reports. */
export type ServicedPool = Pool & { structure: Structure; deal_id: Id<'deal'> };

/**
 * The pool under its lock, with its deal: everything that reports, applies, restates or removes runs one after the other. The deal is locked
 * first, in the order of its withdrawal and its close, and so that no trade settles in between: the holders of record are then complete.
 */
export async function lockServicedPool(tx: Tx, organizationId: Id<'org'>, poolId: Id<'pool'>): Promise<ServicedPool> {
  const { deal_id } = orNotFound(await findPool(tx, organizationId, poolId), 'pool');
  if (deal_id) await lockSecuritization(tx, deal_id);
  return asServiced(orNotFound(await lockPool(tx, organizationId, poolId), 'pool'));
}

/** The pool as one that has reports; 409 before its issue. */
export function asServiced(pool: Pool): ServicedPool {
  const { structure, deal_id, status } = pool;
  if (structure && deal_id && isServiced(pool)) return { ...pool, structure, deal_id };
  throw new ApiError('CONFLICT', `The pool is ${status}; servicer reports begin with its issue.`, {
    extra: { current_status: status },
  });
}

/** The pool with the recorded fixings of the indices that its floaters follow. */
export async function withFixings(tx: Tx, pool: ServicedPool): Promise<ServicedPool & VerifiedTerms> {
  const indices = pool.structure.tranches.flatMap(({ coupon }) => (coupon?.type === 'FLOATING' ? [coupon.index] : []));
  return { ...pool, fixings: indices.length === 0 ? {} : await loadFixings(tx, [...new Set(indices)]) };
}

/** The state that the report of a period starts from: after the report before it, or of the deal at closing. */
export async function loadOpening(tx: Tx, pool: ServicedPool, period: number): Promise<Opening> {
  return (await findRemittanceBefore(tx, pool, period)) ?? openingOf(pool);
}

/** What a report pays on each tranche that it names, in cents. */
export function amountsOf(structure: Structure, { tranches, residual }: Remittance): Map<string, PaidAmounts> {
  const cents = (amount: number | undefined): bigint => BigInt(toCents(amount ?? 0));
  const paid = new Map(
    tranches.map(({ tranche, interest_paid, carry_over_paid, principal_paid, write_down, accreted }) => [
      tranche,
      {
        // What a cap had cut is interest of its holder of record too.
        interest: cents(interest_paid) + cents(carry_over_paid),
        principal: cents(principal_paid),
        writedown: cents(write_down),
        accreted: cents(accreted),
      },
    ]),
  );
  // What is left is said in one figure where it has no row of its own; of several tranches that it is left for that says nothing.
  const [rest, ...others] = structure.tranches.filter((each) => isResidual(structure, each));
  if (rest && others.length === 0 && residual !== undefined && !paid.has(rest.tranche))
    paid.set(rest.tranche, { ...NOTHING, interest: cents(residual) });
  return paid;
}

/** 422 with every finding, and with the lines that verifying the report gives. */
export function untied(findings: readonly RemittanceFinding[], { lines }: Verification): ApiError {
  const [first] = findings;
  const message = `The report does not tie: ${first?.path} ${first?.message}.`;
  return new ApiError('REMITTANCE_DOES_NOT_TIE', message, {
    errors: findings.map(problemOf),
    extra: { lines },
  });
}

/** 409: the figures would leave a later report without the balances that it begins with. */
export function laterUntied(later: { period: number; status: string }, findings: readonly RemittanceFinding[]): ApiError {
  const [first] = findings;
  const remedy =
    later.status === 'APPLIED'
      ? `only figures after which it still ties can be restated here: bring the rest into the latest applied period`
      : `delete it, and send it again afterwards`;
  return new ApiError(
    'CONFLICT',
    `The report of period ${later.period} would no longer tie: ${first?.path} ${first?.message}. It is ${later.status}: ${remedy}.`,
    { errors: findings.map(problemOf), extra: { period: later.period } },
  );
}

function problemOf({ path, code, message, expected, actual }: RemittanceFinding): FieldProblem {
  return {
    field: path,
    code,
    message,
    ...(expected === undefined ? {} : { expected }),
    ...(actual === undefined ? {} : { actual }),
  };
}
