import { createHash } from 'node:crypto';
import { emit } from '../../events/emit.ts';
import type { Emission } from '../../events/events.ts';
import type { LoanType } from '../../loans/types.ts';
import { type Tx, violatedConstraint } from '../../platform/db/database.ts';
import { inSavepoint } from '../../platform/db/savepoint.ts';
import { ApiError } from '../../platform/http/errors.ts';
import type { Id } from '../../platform/ids.ts';
import { listOperators } from '../../events/queries.ts';
import { CONFLICT_MOVES, type ConflictSide, isPledgeId, isPoolId } from './conflict.ts';
import {
  hasOpenConflict,
  insertConflict,
  lockHolders,
  lockOpenConflicts,
  matchClaims,
  matchLoans,
  wasResolved,
} from './conflict-queries.ts';
import {
  type ClaimedElsewhere,
  countSameLoans,
  deleteEncumbrances,
  deleteFingerprints,
  type Holder,
  insertClaims,
  insertFingerprints,
  insertPledged,
  insertReused,
  listClaimants,
  listClaimedElsewhere,
  lockClaims,
} from './encumbrance-queries.ts';
import { type Batch, readFingerprints, readIdentities } from './read-identities.ts';

/** Loans that a refusal names. */
const NAMED = 100;
/** Others may release or claim loans between the look at their claims and the own ones. */
const ATTEMPTS = 3;

/**
 * Claims the loans of a file of identities for a pool. 409 LOAN_ALREADY_POOLED when another live pool of the organization has one of them,
 * by whatever tape it came. Returns how many have the id of another loan of a live pool, by amount and date.
 */
export async function claimLoans(tx: Tx, holder: Holder, path: string): Promise<{ reused: number }> {
  try {
    await inSavepoint(tx, async () => {
      for await (const batch of readIdentities(path)) await insertClaims(tx, holder, batch);
    });
    await writeFingerprints(tx, holder, path);
    return { reused: 0 };
  } catch (error) {
    if (!isClaimed(error)) throw error;
  }
  for (let attempt = 1; ; attempt += 1) {
    await refuseClaimed(tx, holder, path);
    try {
      return await inSavepoint(tx, () => claimReused(tx, holder, path));
    } catch (error) {
      if (!isClaimed(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

const isClaimed = (error: unknown): boolean => violatedConstraint(error) === 'encumbered_loans_one_claim';

async function refuseClaimed(tx: Tx, holder: Holder, path: string): Promise<void> {
  const found: ClaimedElsewhere[] = [];
  let total = 0;
  for await (const batch of readIdentities(path)) {
    const rows = await listClaimedElsewhere(tx, holder, batch, NAMED);
    total += rows[0]?.total ?? 0;
    found.push(...rows.slice(0, NAMED - found.length).map(({ loan_id, pool_id }) => ({ loan_id, pool_id })));
  }
  if (total > 0) throw alreadyPooled(found, total);
}

function alreadyPooled(loans: readonly ClaimedElsewhere[], total: number): ApiError {
  const pools = [...new Set(loans.map((loan) => loan.pool_id))];
  const count = total === 1 ? 'A loan is' : `${total} loans are`;
  return new ApiError(
    'LOAN_ALREADY_POOLED',
    `${count} in another live pool (${pools.join(', ')}), such as ${loans[0]?.loan_id}. Leave them out, or cancel that pool.`,
    { extra: { loans, total, pool_ids: pools } },
  );
}

async function claimReused(tx: Tx, holder: Holder, path: string): Promise<{ reused: number }> {
  let reused = 0;
  for await (const batch of readIdentities(path)) reused += await claimBatch(tx, holder, batch);
  await writeFingerprints(tx, holder, path);
  return { reused };
}

async function claimBatch(tx: Tx, holder: Holder, batch: Batch): Promise<number> {
  await lockClaims(tx, holder, batch);
  return insertReused(tx, holder, batch);
}

/**
 * Writes down the claims of a pool from before loans were claimed one by one. A loan that another pool of the organization has is kept in
 * both, and the two are in conflict.
 */
export async function keepClaims(tx: Tx, holder: Compared, path: string): Promise<void> {
  const doubles = new Set<Id<'pool'>>();
  for await (const batch of readIdentities(path)) {
    for (const poolId of await listClaimants(tx, holder, batch)) doubles.add(poolId);
    await claimBatch(tx, holder, batch);
  }
  await writeFingerprints(tx, holder, path);
  for (const poolId of doubles) {
    const other = { organization_id: holder.organization_id, holder_id: poolId };
    await openConflicts(tx, holder, await matchClaims(tx, holder, other));
  }
}

async function writeFingerprints(tx: Tx, holder: Holder, path: string): Promise<void> {
  for await (const batch of readFingerprints(path)) await insertFingerprints(tx, holder, batch);
}

/** Writes the fingerprints of a holder anew, under another key. Throws when the file is of other loans than the holder has. */
export async function rewriteFingerprints(tx: Tx, holder: Holder, path: string): Promise<void> {
  for await (const batch of readIdentities(path)) {
    const [loans] = batch;
    const same = await countSameLoans(tx, holder, batch);
    if (same !== loans?.split(',').length) throw new Error(`the tapes have other loans than ${holder.holder_id} holds`);
  }
  await deleteFingerprints(tx, holder);
  await writeFingerprints(tx, holder, path);
}

/** Records the loans of a pledge outside the platform. */
export async function pledgeLoans(tx: Tx, holder: Holder, path: string): Promise<void> {
  for await (const batch of readIdentities(path)) await insertPledged(tx, holder, batch);
  await writeFingerprints(tx, holder, path);
}

/** Writes the loans of an outside pledge anew, as its owner's tapes and the key of the fingerprints are now. */
export async function rewritePledged(tx: Tx, holder: Holder, path: string): Promise<void> {
  await deleteEncumbrances(tx, holder);
  await pledgeLoans(tx, holder, path);
}

/** Releases the loans of a holder and ends the conflicts that it was in. In the platform's scope: a conflict ends for both sides. */
export async function releaseLoans(tx: Tx, holder: Holder): Promise<void> {
  await deleteEncumbrances(tx, holder);
  const sides = await lockOpenConflicts(tx, holder);
  await CONFLICT_MOVES.moveAll(
    tx,
    sides.map((row) => ({ row, to: 'CLEARED', values: { ended_at: tx.now } })),
  );
}

type Compared = Holder & { loan_type: LoanType };

/**
 * Looks for loans of a holder that another one has too, opens a conflict for each such pair, and tells the owners and the operators. In
 * the platform's scope and after the holder's loans were committed: of two that come at once, the later one sees the earlier. May run again.
 * `exempt` are holders that stand for the same pledge.
 */
export async function compareLoans(tx: Tx, holder: Compared, exempt: readonly string[] = []): Promise<void> {
  await openConflicts(tx, holder, await matchLoans(tx, holder, exempt));
}

async function openConflicts(tx: Tx, { loan_type, ...holder }: Compared, others: readonly Holder[]): Promise<void> {
  const opened: ConflictSide[] = [];
  for (const other of others) {
    const pair = pairOf(holder, other);
    // Holders are locked, so that none releases its loans, or finds the same pair, in between.
    const live = await lockHolders(tx, [holder.holder_id, other.holder_id]);
    if (live < 2 || (await hasOpenConflict(tx, pair)) || (await wasResolved(tx, pair, holder, other))) continue;
    opened.push(...(await insertConflict(tx, { conflict_id: tx.newId('plc'), loan_type, pair, holder, other })));
  }
  if (opened.length > 0) await tellConflicts(tx, opened);
}

const pairOf = (a: Holder, b: Holder): string =>
  createHash('sha256').update([a.holder_id, b.holder_id].toSorted().join(' ')).digest('hex').slice(0, 32);

async function tellConflicts(tx: Tx, sides: readonly ConflictSide[]): Promise<void> {
  const operators = await listOperators(tx);
  const emissions = [...Map.groupBy(sides, (side) => side.conflict_id).values()].flatMap((both) => {
    const owners = [...new Set(both.map((side) => side.organization_id))];
    return [
      ...owners.map((owner) =>
        emissionOf(
          owner,
          both.filter((side) => side.organization_id === owner),
        ),
      ),
      ...operators.filter((operator) => !owners.includes(operator)).map((operator) => emissionOf(operator, both)),
    ];
  });
  await emit(tx, emissions);
}

/** What a recipient is told of the sides that it may know. */
function emissionOf(recipient: ConflictSide['organization_id'], sides: readonly ConflictSide[]): Emission {
  const [first] = sides;
  if (!first) throw new Error('a conflict has sides');
  const { conflict_id, loan_type, met, first_seen } = first;
  const count = Math.max(...sides.map((side) => side.count));
  const balance = Math.max(...sides.map((side) => side.balance));
  const holders = sides.map((side) => side.holder_id);
  return {
    organization_id: recipient,
    event: 'pledge.conflict',
    data: {
      conflict_id,
      loan_type,
      count,
      balance,
      met,
      pools: holders.filter(isPoolId),
      pledges: holders.filter(isPledgeId),
      first_seen: first_seen.toISOString(),
    },
    alert: {
      category: 'pool',
      priority: 'CRITICAL',
      title: `${count} ${loan_type} loan${count === 1 ? '' : 's'} pledged twice`,
      message: `Loans of ${holders.join(' and ')} with a balance of ${balance.toFixed(2)} are held elsewhere too; they met by ${met.join(', ')}. The pool is not issued until the operator has resolved the conflict.`,
      entity_type: 'pledge_conflict',
      entity_id: conflict_id,
    },
  };
}
