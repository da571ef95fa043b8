import type { Remittance } from '../../finance/structure/remittance.ts';
import { asPlatform } from '../../platform/db/as-platform.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import type { Id } from '../../platform/ids.ts';
import { setCoupons } from '../coupons/coupon.ts';
import { applyDue } from './apply-remittances.ts';
import { derive, deriveAgain, verify } from './derive.ts';
import { differencesOf, tellDiffers, tellLaterDiffers } from './differences.ts';
import {
  deleteUnapplied,
  findHeld,
  findLastApplied,
  findRemittanceOfPeriod,
  insertRemittance,
  listRemittancesAfter,
  type StoredRemittance,
  updateDerived,
} from './queries.ts';
import { laterUntied, loadOpening, lockServicedPool, type ServicedPool, untied, withFixings } from './serviced-pool.ts';

/**
 * Stores a servicer report that ties to itself and to the report before it, applied or not (422 with every finding), and applies it where its
 * payment date has come. Until then it is SCHEDULED, and another report of its period replaces it; later reports must still tie (409).
 */
export async function reportRemittance(tx: Tx, actor: Actor, poolId: Id<'pool'>, report: Remittance): Promise<StoredRemittance> {
  const pool = await withFixings(tx, await lockServicedPool(tx, actor.organization_id, poolId));
  const replaced = await findReplaceable(tx, pool, report.period);
  await refuseAfterHeld(tx, pool, report.period);
  const opening = await loadOpening(tx, pool, report.period);
  const { findings, derived } = derive(pool, opening, report);
  if (!derived) throw untied(findings, verify(pool, opening.state, report));
  const differences = differencesOf(derived.verification);
  const later = deriveAgain(pool, derived, await listRemittancesAfter(tx, pool, report.period));
  if (later.untied) throw laterUntied(later.untied.row, later.untied.findings);
  if (replaced) await deleteUnapplied(tx, pool, replaced.remittance_id);
  // One period is one record: whoever knows its id finds the report that is in force.
  await insertRemittance(tx, pool, { remittance_id: replaced?.remittance_id ?? tx.newId('rem'), report, ...derived });
  await updateDerived(
    tx,
    pool,
    later.rows.map((each) => ({ period: each.row.period, ...each.derived })),
  );
  // A report ahead may say the coupons of the accrual that it ends.
  await setCoupons(tx, pool);
  // Holders and operators are other organizations than the owner, whose scope this is.
  await asPlatform(tx, async () => {
    if (differences.length > 0) await tellDiffers(tx, pool, report, { differences, isApplied: false });
    await tellLaterDiffers(tx, pool, later.rows);
    await applyDue(tx, pool);
  });
  return orNotFound(await findRemittanceOfPeriod(tx, pool, report.period), 'report');
}

/** 409 while an earlier report waits to be accepted: what it pays is not decided. */
async function refuseAfterHeld(tx: Tx, pool: ServicedPool, period: number): Promise<void> {
  const held = await findHeld(tx, pool);
  if (!held || held.period >= period) return;
  throw new ApiError(
    'REMITTANCE_HELD',
    `The report of period ${held.period} differs from its structure and waits for the operator: send it again, or have it accepted.`,
    { extra: { remittance_id: held.remittance_id, current_status: held.status } },
  );
}

/** The stored report of a period that may still be replaced; 409 where it was applied. */
async function findReplaceable(tx: Tx, pool: ServicedPool, period: number): Promise<StoredRemittance | null> {
  const stored = await findRemittanceOfPeriod(tx, pool, period);
  if (stored?.status !== 'APPLIED') return stored;
  const last = await findLastApplied(tx, pool.organization_id, pool.pool_id);
  throw new ApiError(
    'CONFLICT',
    `Period ${period} has been reported and applied: restate it, or report period ${(last?.period ?? period) + 1}, which is the next.`,
    { extra: { remittance_id: stored.remittance_id, current_status: stored.status } },
  );
}
