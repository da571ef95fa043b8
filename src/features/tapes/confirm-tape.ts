import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import type { Id } from '../../platform/ids.ts';
import { type Deal, lockDeal } from '../deals/queries.ts';
import { putInForce } from './commit-checks.ts';
import type { Completed } from './add-version.ts';
import { findTape, type Tape } from './queries.ts';
import { checksJobId, TAPE_MOVES } from './tape.ts';

type Version = { dealId: Id<'deal'>; version: number };

/** Puts a version in force that waits for it, as the end of its checks would have done; the version in force needs nothing more. */
export async function confirmTape(tx: Tx, actor: Actor, which: Version): Promise<Completed & { tape_version: number }> {
  const { deal, tape } = await lockVersion(tx, actor, which);
  const reply = ({ status }: Deal) => ({
    deal_id: deal.deal_id,
    status,
    job_id: checksJobId(tape),
    tape_version: tape.version,
  });
  if (deal.tape_version === tape.version) return reply(deal);
  if (tape.state !== 'NEEDS_CONFIRMATION') throw notWaiting(tape, 'confirmed');
  if (!['IN_REVIEW', 'QC_COMPLETED'].includes(deal.status))
    throw new ApiError('INVALID_TRANSITION', `The deal is ${deal.status}: it keeps the tape of that decision.`, {
      extra: { current_status: deal.status, allowed: ['IN_REVIEW', 'QC_COMPLETED'] },
    });
  const confirmed = reply(await putInForce(tx, deal, await TAPE_MOVES.move(tx, tape, 'DONE')));
  const { status, tape_version } = confirmed;
  audit(tx, {
    organization_id: actor.organization_id,
    actor: actor.actor_id,
    action: 'tape.confirmed',
    entity_type: 'deal',
    entity_id: deal.deal_id,
    after: { tape_version, status },
  });
  return confirmed;
}

/** Drops a version that waits; the version in force stays. */
export async function dropTape(tx: Tx, actor: Actor, which: Version): Promise<{ dropped_version: number }> {
  const { deal, tape } = await lockVersion(tx, actor, which);
  if (deal.tape_version === tape.version)
    throw new ApiError('INVALID_TRANSITION', `Version ${tape.version} is in force: send a new version to replace it.`, {
      extra: { current_status: tape.state, allowed: [] },
    });
  if (tape.state !== 'NEEDS_CONFIRMATION') throw notWaiting(tape, 'dropped');
  await TAPE_MOVES.move(tx, tape, 'DROPPED');
  return { dropped_version: tape.version };
}

/** The deal under its lock, which every change of its tapes takes, and the version. */
async function lockVersion(
  tx: Tx,
  { organization_id }: Actor,
  { dealId, version }: Version,
): Promise<{ deal: Deal; tape: Tape }> {
  const deal = orNotFound(await lockDeal(tx, organization_id, dealId), 'deal');
  return { deal, tape: orNotFound(await findTape(tx, organization_id, dealId, version), 'tape version') };
}

function notWaiting({ version, state }: Tape, what: string): ApiError {
  return new ApiError(
    'INVALID_TRANSITION',
    `Version ${version} is ${state}; only a version that NEEDS_CONFIRMATION can be ${what}.`,
    { extra: { current_status: state, allowed: TAPE_MOVES.allowed(state) } },
  );
}
