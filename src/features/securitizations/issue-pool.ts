import type { Amount } from '../../finance/structure/amount.ts';
import { couponVaries } from '../../finance/structure/accrual-coupons.ts';
import { couponText } from '../../finance/structure/explain.ts';
import { balanceOf, isResidual, type Structure, type Tranche } from '../../finance/structure/structure.ts';
import { emit, fanOut } from '../../events/emit.ts';
import type { EventData } from '../../events/events.ts';
import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import { type Decider, refuseOwnOrganization } from '../../platform/http/own-organization.ts';
import type { Id, IdGenerator } from '../../platform/ids.ts';
import { insertIssue, type NewTranche } from './queries.ts';
import { listedEvent } from './securitization.ts';
import { setCoupons } from '../coupons/coupon.ts';
import { lockFixings } from '../coupons/queries.ts';
import { listOpenConflictIds } from '../pledges/conflict-queries.ts';
import { holderOf, POOL_MOVES } from '../pools/pool.ts';
import { findPoolOwner, isCompared, lockPool, type Pool } from '../pools/queries.ts';

/**
 * The operator's confirmation: the securitization deal with its tranches appears to investors, in MARKETING. Its owner is told at once, and
 * by a job the investors to whom it may be sold.
 */
export async function issuePool(
  tx: Tx,
  decider: Decider,
  poolId: Id<'pool'>,
  { jobs }: Pick<Deps, 'jobs'>,
): Promise<{ pool: Pool; deal_id: Id<'deal'> }> {
  const owner = orNotFound(await findPoolOwner(tx, poolId), 'pool');
  const pool = orNotFound(await lockPool(tx, owner, poolId), 'pool');
  refuseOwnOrganization(decider, owner);
  POOL_MOVES.check(pool.status, 'ISSUED');
  if (!pool.issue_requested_at) {
    throw new ApiError('CONFLICT', 'The originator has not requested the issue of this pool.', {
      extra: { current_status: pool.status },
    });
  }
  await refuseConflicts(tx, pool);
  const structure = pool.structure as Structure;
  const tranches = tranchesOf(structure, pool.closing_date, tx.newId);
  const size = tranches.reduce((cents, tranche) => cents + (tranche.offered ? Math.round(tranche.balance * 100) : 0), 0) / 100;
  const dealId = tx.newId('deal');
  await insertIssue(tx, pool, dealId, size, tranches);
  // A fixing that is recorded at this moment is seen here, or sees this deal.
  await lockFixings(tx);
  await setCoupons(tx, { ...pool, structure, deal_id: dealId });
  const issued = await POOL_MOVES.move(tx, pool, 'ISSUED', { deal_id: dealId });
  audit(tx, {
    organization_id: owner,
    actor: decider.actor_id,
    action: 'pool.issued',
    entity_type: 'pool',
    entity_id: poolId,
    before: { status: pool.status },
    after: { status: 'ISSUED', deal_id: dealId, deal_size: size },
  });
  await tellListing(tx, owner, {
    deal_id: dealId,
    name: pool.name,
    asset_type: pool.loan_type,
    deal_size: size,
    previous_market_status: null,
    current_market_status: 'MARKETING',
  });
  await jobs.enqueue(tx, 'notices', {});
  return { pool: issued, deal_id: dealId };
}

/** 409 while loans of the pool are pledged elsewhere too, or nobody has looked yet. */
async function refuseConflicts(tx: Tx, pool: Pool): Promise<void> {
  if (!(await isCompared(tx, pool)))
    throw new ApiError(
      'CONFLICT',
      'The loans of this pool are being compared with those of other holders. Try again in a minute.',
    );
  const conflictIds = await listOpenConflictIds(tx, holderOf(pool));
  if (conflictIds.length === 0) return;
  const message = `Loans of this pool are pledged elsewhere too: ${conflictIds.join(', ')}. It can be issued when each conflict is resolved.`;
  throw new ApiError('PLEDGE_CONFLICT', message, { extra: { conflict_ids: conflictIds } });
}

async function tellListing(tx: Tx, owner: Id<'org'>, data: EventData<'deal.listed'>): Promise<void> {
  await emit(tx, [listedEvent(owner, data)]);
  await fanOut(tx, { organization_id: owner, event: 'deal.listed', deal_id: data.deal_id, data });
}

const MIN_HOLDING = 1_000;

/** Tranches as the market knows them; residuals and empty ones are not offered. */
function tranchesOf(structure: Structure, closingDate: string, newId: IdGenerator): NewTranche[] {
  return structure.tranches.map((tranche, place) => ({
    ...couponOf(structure, tranche),
    tranche_id: newId('trn'),
    tranche: tranche.tranche,
    class: tranche.class ?? tranche.tranche,
    offered: isOffered(structure, tranche),
    balance: balanceOf(tranche),
    day_count: tranche.day_count ?? '30/360',
    rating: tranche.rating ?? null,
    seniority: tranche.seniority ?? place + 1,
    // A structure that was saved earlier may say 0.
    denomination: tranche.denomination || MIN_HOLDING,
    increment: tranche.increment || MIN_HOLDING,
    erisa_eligible: tranche.erisa_eligible ?? true,
    offered_yield: tranche.offered_yield ?? null,
    dated_date: structure.payment?.dated_date ?? closingDate,
    final_maturity: tranche.final_maturity ?? null,
  }));
}

const isOffered = (structure: Structure, tranche: Tranche): boolean => balanceOf(tranche) > 0 && !isResidual(structure, tranche);

/** One number for every accrual; null where the terms have another. */
const numberOf = (amount: Amount | undefined): number | null => (typeof amount === 'number' ? amount : null);

type CouponTerms = Pick<
  NewTranche,
  'coupon_type' | 'coupon' | 'index' | 'margin_bp' | 'multiplier' | 'cap' | 'floor' | 'coupon_terms'
>;

/** A coupon that varies is set for each accrual; one without a number that is not offered has none. */
function couponOf(structure: Structure, tranche: Tranche): CouponTerms {
  const { coupon } = tranche;
  const fixed = { coupon_type: 'FIXED', index: null, margin_bp: null, multiplier: null };
  if (!coupon || coupon.type === 'EXCESS') return { ...fixed, coupon: 0, cap: null, floor: null, coupon_terms: null };
  const varies = isOffered(structure, tranche) && couponVaries(coupon);
  const terms = {
    cap: numberOf(coupon.cap),
    floor: numberOf(coupon.floor),
    coupon_terms: varies ? couponText(structure, coupon) : null,
  };
  if (coupon.type === 'FLOATING') {
    const { type, index, margin_bp, multiplier = 1 } = coupon;
    return { ...terms, coupon_type: type, coupon: null, index, margin_bp: numberOf(margin_bp), multiplier };
  }
  return { ...terms, ...fixed, coupon: varies ? null : numberOf(coupon.rate) };
}
