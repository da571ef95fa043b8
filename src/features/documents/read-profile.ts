import { localDate } from '../../finance/business-date.ts';
import type { Tx } from '../../platform/db/database.ts';
import { orNotFound } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import { assess, OFFERING_CHECKS } from '../compliance/checks.ts';
import { OFFERINGS } from '../pools/queries.ts';
import { findNewestFiling, findProfile } from './profile-queries.ts';

/** The facts that an investor's compliance checks read, and what each kind of offering finds lacking in them. */
export async function readProfile(tx: Tx, { organization_id }: Actor) {
  const { name, profile } = orNotFound(await findProfile(tx, organization_id), 'organization');
  const today = localDate(tx.now, tx.zone);
  const offerings = OFFERINGS.map((offering) => {
    const { result, findings } = assess({ today, profile, deal: { offering } }, OFFERING_CHECKS);
    return { offering, result, lacks: findings.filter((finding) => finding.result !== 'passed') };
  });
  return { organization_id, organization: name, profile, offerings, filing: await findNewestFiling(tx, organization_id) };
}
