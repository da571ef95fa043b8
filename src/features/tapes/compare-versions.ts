import { diffTapes, type TapeDiff } from '../../loans/diff-tapes.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { ApiError, notFound } from '../../platform/http/errors.ts';
import { findTape, type Tape } from './queries.ts';
import { localFile, reader } from './read-tape-files.ts';

type TwoVersions = { previous: Tape; next: Tape };

export async function findTwoVersions(
  tx: Tx,
  organizationId: string,
  dealId: string,
  versions: { previous: number; next: number },
): Promise<TwoVersions> {
  const [previous, next] = await Promise.all([
    findTape(tx, organizationId, dealId, versions.previous),
    findTape(tx, organizationId, dealId, versions.next),
  ]);
  if (!previous || !next) throw notFound('tape version');
  return { previous, next };
}

/** What changed between two versions of a tape; 409 while one of them has no loans. Reads files: not for a transaction. */
export async function compareVersions(deps: Deps, { previous, next }: TwoVersions): Promise<TapeDiff> {
  if (!previous.loans_key || !next.loans_key)
    throw new ApiError('CONFLICT', 'The checks of one of the versions have not ended with loans.');
  const [previousPath, nextPath] = await Promise.all([localFile(deps, previous.loans_key), localFile(deps, next.loans_key)]);
  return diffTapes({ engine: await reader(deps), previous: previousPath, next: nextPath });
}
