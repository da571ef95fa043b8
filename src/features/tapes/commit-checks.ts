import { raiseAlert } from '../../events/emit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { moveDeal } from '../deals/deal.ts';
import { type Deal, lockDeal, setTapeVersion } from '../deals/queries.ts';
import { failTape, finishTape, mergeBySource } from './tape.ts';
import { findMapping, rememberMapping, type Tape, type TapeResult } from './queries.ts';
import { endBulkJobOf } from './bulk-job.ts';

/** How the checks ended: with a result, and the deal's rejection if the tape failed them; or without a result, and why. */
export type ChecksOutcome =
  | { result: TapeResult; rejection: { reason_code: string; reason: string } | null }
  | { result: null; failure: string };

/** Commits the outcome of a tape's checks: the tape's row, the deal's move with its event and alert, and the bulk job of the deal. */
export async function commitChecks(tx: Tx, tape: Tape, outcome: ChecksOutcome): Promise<void> {
  const deal = await lockDeal(tx, tape.organization_id, tape.deal_id);
  if (!deal) return;
  if (!outcome.result) return fail(tx, deal, tape, outcome.failure);
  if (!(await finishTape(tx, tape, outcome.result))) return;
  if (!outcome.rejection) await remember(tx, deal, tape);
  // A deal that was decided in the meantime keeps the tape of that decision.
  const usable = outcome.result.state === 'DONE' && ['IN_REVIEW', 'QC_COMPLETED'].includes(deal.status);
  if (usable) await setTapeVersion(tx, deal.organization_id, deal.deal_id, tape.version);
  // From here on the deal's figures are those of the new version, in its events too.
  const now: Deal = usable
    ? { ...deal, tape_version: tape.version, loan_count: outcome.result.accepted, total_balance: outcome.result.total_balance }
    : deal;
  if (outcome.rejection) await rejectTape(tx, now, outcome.rejection);
  else if (outcome.result.state === 'NEEDS_MAPPING') await alertMappingNeeded(tx, now);
  else if (usable && now.status === 'IN_REVIEW') await moveDeal(tx, now, { to: 'QC_COMPLETED', actor: 'platform' });
  await endBulkJobOf(tx, now);
}

/** Without a result the deal stays as it is, and cannot be approved before its checks have ended with one. */
async function fail(tx: Tx, deal: Deal, tape: Tape, failure: string): Promise<void> {
  if (!(await failTape(tx, tape, failure))) return;
  await endBulkJobOf(tx, deal);
  // A deal that was decided in the meantime needs no more checks.
  if (!['IN_REVIEW', 'QC_COMPLETED'].includes(deal.status)) return;
  await raiseAlert(tx, deal.organization_id, 'loan.checks_failed', {
    category: 'loan',
    priority: 'HIGH',
    title: `${deal.name}: the checks of version ${tape.version} of the tape failed`,
    entity_type: 'deal',
    entity_id: deal.deal_id,
    message: failure,
  });
}

/** Remembers the originator's mapping of this tape for the next one, unless the tape failed with it: a failed tape takes no other mapping. */
async function remember(tx: Tx, deal: Deal, tape: Tape): Promise<void> {
  // A mapping of inline loans' keys does not fit the columns of a file.
  if (tape.overrides.length === 0 || !tape.mapping_id || tape.format === 'inline') return;
  const before = await findMapping(tx, deal.organization_id, deal.loan_type);
  const entries = mergeBySource(before?.entries ?? [], tape.overrides);
  await rememberMapping(tx, deal.organization_id, deal.loan_type, { mapping_id: tape.mapping_id, entries });
}

async function rejectTape(tx: Tx, deal: Deal, rejection: { reason_code: string; reason: string }): Promise<void> {
  if (deal.status === 'IN_REVIEW' || deal.status === 'QC_COMPLETED')
    await moveDeal(tx, deal, { to: 'REJECTED', actor: 'platform', ...rejection });
}

async function alertMappingNeeded(tx: Tx, deal: Deal): Promise<void> {
  await raiseAlert(tx, deal.organization_id, 'loan.mapping_needed', {
    category: 'loan',
    priority: 'HIGH',
    title: `${deal.name}: no column could be read as the amount`,
    entity_type: 'deal',
    entity_id: deal.deal_id,
    message:
      'No column of the tape was recognised as original balance, current balance or credit limit. Name it with PUT /v1/api/originator/loans/{dealId}/mapping; the checks then run again.',
  });
}
