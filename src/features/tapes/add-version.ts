import type { Deps } from '../../platform/deps.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import type { Id } from '../../platform/ids.ts';
import { moveDeal } from '../deals/deal.ts';
import type { Deal } from '../deals/queries.ts';
import { findLatestTape, insertTape, type NewTape } from './queries.ts';
import { checksJobId, dropWaiting } from './tape.ts';

export type Completed = { deal_id: Id<'deal'>; status: string; job_id: Id<'job'> };

type NewFile = Omit<NewTape, 'deal_id' | 'organization_id' | 'sent_by'>;

/** Refuses a further version while the deal does not take one: before its first tape, while checks run, and once it is decided on. */
export async function checkTakesVersion(tx: Tx, deal: Deal): Promise<void> {
  const running = (await findLatestTape(tx, deal.organization_id, deal.deal_id))?.state === 'RUNNING';
  if (['IN_REVIEW', 'QC_COMPLETED'].includes(deal.status) && !running) return;
  throw new ApiError(
    'INVALID_TRANSITION',
    running ? 'The checks of the newest tape are still running.' : `A deal that is ${deal.status} accepts no new tape.`,
    { extra: { current_status: deal.status, allowed: ['IN_REVIEW', 'QC_COMPLETED'] } },
  );
}

/**
 * Makes a stored file the next tape version of a locked deal, moves the deal and queues the checks. A version that waits for a
 * confirmation is replaced by this one.
 */
export async function addVersion(
  tx: Tx,
  actor: Actor,
  deal: Deal,
  file: NewFile,
  { jobs }: Pick<Deps, 'jobs'>,
): Promise<Completed & { version: number }> {
  const { organization_id, deal_id } = deal;
  await dropWaiting(tx, organization_id, deal_id);
  const tape = await insertTape(tx, { ...file, deal_id, organization_id, sent_by: actor.actor_id });
  const { status } = deal.status === 'DRAFT' ? await moveDeal(tx, deal, { to: 'IN_REVIEW', actor: actor.actor_id }) : deal;
  const job_id = checksJobId(tape);
  await jobs.enqueue(tx, 'ingest-tape', { organization_id, deal_id, version: tape.version, run: tape.run }, { id: job_id });
  return { deal_id, status, job_id, version: tape.version };
}
