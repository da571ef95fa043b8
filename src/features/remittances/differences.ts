import { isDeepStrictEqual } from 'node:util';
import { emit } from '../../events/emit.ts';
import type { Remittance } from '../../finance/structure/remittance.ts';
import type { Verification, VerificationLine } from '../../finance/structure/verify-report.ts';
import type { Tx } from '../../platform/db/database.ts';
import { orNotFound } from '../../platform/http/errors.ts';
import { listOperators } from '../../events/queries.ts';
import { findRemittanceOfPeriod, type StoredRemittance } from './queries.ts';
import type { ServicedPool } from './serviced-pool.ts';

/** The lines of a report that differs whose difference is not 0. */
export function differencesOf({ status, lines }: Verification): VerificationLine[] {
  return status === 'DIFFERS' ? lines.filter(({ difference }) => difference !== null && difference !== 0) : [];
}

const HELD = 'It is held on its payment date until the operator has accepted it, or it is sent again.';

/** Tells the owner and the operators that a report differs from the structure. */
export async function tellDiffers(
  tx: Tx,
  pool: ServicedPool,
  { period, payment_date }: Remittance,
  { differences, isApplied }: { differences: readonly VerificationLine[]; isApplied: boolean },
): Promise<void> {
  const { pool_id, deal_id, name, organization_id } = pool;
  const { remittance_id } = orNotFound(await findRemittanceOfPeriod(tx, pool, period), 'report');
  const told = new Set([organization_id, ...(await listOperators(tx))]);
  const [first] = differences;
  const figures = differences.map(({ step: _step, clause: _clause, ...figure }) => figure);
  await emit(
    tx,
    [...told].map((recipient) => ({
      organization_id: recipient,
      event: 'remittance.differs',
      data: { remittance_id, pool_id, deal_id, period, payment_date, differences: figures },
      alert: {
        category: 'pool',
        priority: 'HIGH',
        title: `${name}: the report of period ${period} differs from its structure`,
        message: `${differences.length} of its figures differ, such as ${first?.path}: ${first?.reported} reported, ${first?.expected} expected. ${isApplied ? 'Its figures are in force.' : HELD}`,
        entity_type: 'remittance',
        entity_id: remittance_id,
      },
    })),
  );
}

type Followed = { row: StoredRemittance; derived: { verification: Verification } };

/** Tells of later reports that differ since one before them has other figures: where they did not, or otherwise, or had been signed off. */
export async function tellLaterDiffers(tx: Tx, pool: ServicedPool, later: readonly Followed[]): Promise<void> {
  for (const { row, derived } of later) {
    // The stored one has gone through JSON.
    const verification: Verification = JSON.parse(JSON.stringify(derived.verification));
    const differences = differencesOf(verification);
    const isTold = isDeepStrictEqual(differences, differencesOf(row.verification));
    const isSignedOff = row.accepted_at !== null && !isDeepStrictEqual(verification, row.verification);
    if (differences.length === 0 || (isTold && !isSignedOff)) continue;
    await tellDiffers(tx, pool, row.report, { differences, isApplied: row.status === 'APPLIED' });
  }
}
