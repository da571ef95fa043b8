import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TapeDiff } from '../../loans/ingest/diff-tapes.ts';
import { versionDiffTask } from '../../loans/tasks/tasks.ts';
import { runForRequest, type WaitingClient } from '../../platform/compute/run-for-request.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import type { LoanType } from '../../loans/types.ts';
import { findDeal } from '../deals/queries.ts';
import { comparedBy } from './loan-ids.ts';
import { findTape, findTapeBefore, type Tape } from './queries.ts';
import { localFile } from '../../platform/files/local-file.ts';
import type { Id } from '../../platform/ids.ts';

type TwoVersions = { previous: Tape; next: Tape; loanType: LoanType };

export async function findTwoVersions(
  tx: Tx,
  organizationId: Id<'org'>,
  dealId: Id<'deal'>,
  versions: { previous: number | undefined; next: number },
): Promise<TwoVersions> {
  const deal = orNotFound(await findDeal(tx, organizationId, dealId), 'tape version');
  const [previous, next] = await Promise.all([
    versions.previous === undefined
      ? findTapeBefore(tx, organizationId, dealId, versions.next)
      : findTape(tx, organizationId, dealId, versions.previous),
    findTape(tx, organizationId, dealId, versions.next),
  ]);
  return { previous: orNotFound(previous, 'tape version'), next: orNotFound(next, 'tape version'), loanType: deal.loan_type };
}

const DIFF = { deadlineMs: 120_000, instead: 'Compare the files themselves.' };

/** The changes between two versions of a tape; 409 while one of them has no loans. Reads files, so call it outside a transaction. */
export async function compareVersions(client: WaitingClient, { previous, next, loanType }: TwoVersions): Promise<TapeDiff> {
  if (!previous.loans_key || !next.loans_key)
    throw new ApiError('CONFLICT', 'The checks of one of the versions have not ended with loans.');
  const { deps } = client;
  const [previousPath, nextPath] = await Promise.all([localFile(deps, previous.loans_key), localFile(deps, next.loans_key)]);
  const workDir = await mkdtemp(join(deps.workDir, 'diff-'));
  try {
    const byContent = comparedBy([previous, next]) === 'CONTENT' && { byContentOf: loanType };
    const input = { previous: previousPath, next: nextPath, workDir, ...byContent };
    return await runForRequest(client, versionDiffTask, input, DIFF);
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}
