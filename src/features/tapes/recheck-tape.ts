import { restartTape, checksJobId } from './tape.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import { lockDeal } from '../deals/queries.ts';
import type { Completed } from './add-version.ts';
import { findLatestTape } from './queries.ts';
import type { Id } from '../../platform/ids.ts';

const CHECKED = ['IN_REVIEW', 'QC_COMPLETED'];

/** Queues the checks of the newest tape again after they FAILED, with the same file and the same mapping. */
export async function recheckTape(
  tx: Tx,
  { organization_id }: Actor,
  dealId: Id<'deal'>,
  { jobs }: Pick<Deps, 'jobs'>,
): Promise<Completed> {
  const deal = orNotFound(await lockDeal(tx, organization_id, dealId), 'deal');
  const tape = await findLatestTape(tx, organization_id, dealId);
  if (tape?.state !== 'FAILED' || !CHECKED.includes(deal.status)) {
    const state = tape ? `the checks of its newest tape are ${tape.state}` : 'it has no tape';
    throw new ApiError(
      'INVALID_TRANSITION',
      `Only checks that FAILED can be started again: the deal is ${deal.status} and ${state}.`,
      {
        extra: { current_status: deal.status, allowed: CHECKED },
      },
    );
  }
  const { run } = await restartTape(tx, tape, tape);
  await jobs.enqueue(
    tx,
    'ingest-tape',
    { organization_id, deal_id: dealId, version: tape.version, run },
    { id: checksJobId(tape) },
  );
  return { deal_id: dealId, status: deal.status, job_id: checksJobId(tape) };
}
