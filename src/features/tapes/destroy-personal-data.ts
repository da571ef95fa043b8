import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import type { Id } from '../../platform/ids.ts';
import { lockDeal } from '../deals/queries.ts';
import { listDestruction } from './destructions.ts';
import { findLatestTape, listTapes, type Tape } from './queries.ts';
import { destroyDataKeys, dropUnsealedTape } from './seal-queries.ts';

export type Destroyed = { deal_id: Id<'deal'>; versions: number[]; destroyed_at: string };

/**
 * Destroys the data keys of all versions of a deal's tape: nobody can open their sealed columns and files any more, whatever key they
 * have. The destruction is listed in the object store before it is committed, so that a restored older database cannot bring them back.
 */
export async function destroyPersonalData(
  tx: Tx,
  { organization_id }: Actor,
  dealId: Id<'deal'>,
  { store }: Pick<Deps, 'store'>,
): Promise<Destroyed> {
  const deal = orNotFound(await lockDeal(tx, organization_id, dealId), 'deal');
  const newest = await findLatestTape(tx, organization_id, dealId);
  if (newest?.state === 'RUNNING')
    throw new ApiError('CONFLICT', 'The checks of the newest tape are still running: wait for their end.');
  const unsealed = (await listTapes(tx, organization_id, dealId)).filter(isUnsealed);
  for (const tape of unsealed) if ([newest?.version, deal.tape_version].includes(tape.version)) throw notSealed(tape);
  for (const tape of unsealed) await dropUnsealedTape(tx, tape);
  const versions = [...(await destroyDataKeys(tx, organization_id, dealId)), ...unsealed.map(({ version }) => version)];
  versions.sort((a, b) => a - b);
  const destroyed_at = tx.now.toISOString();
  if (versions.length > 0) await listDestruction(store, { organization_id, deal_id: deal.deal_id, versions, destroyed_at });
  return { deal_id: deal.deal_id, versions, destroyed_at };
}

/** Versions from before tapes were sealed have no key to destroy: what they hold is in their files. */
const isUnsealed = ({ data_key, keys_destroyed_at }: Tape): boolean => data_key === null && keys_destroyed_at === null;

function notSealed({ version }: Tape): ApiError {
  return new ApiError(
    'CONFLICT',
    `Version ${version} was read before tapes were sealed, and is still in use: PUT …/mapping runs its checks again and seals it; then send this request again.`,
    { extra: { unsealed_version: version } },
  );
}
