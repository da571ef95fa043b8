import { raiseAlert } from '../../events/emit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { moveDeal } from '../deals/deal.ts';
import { type Deal, lockDeal, setTapeVersion } from '../deals/queries.ts';
import { type TapeLoss, tapeLoss } from '../deals/tape-loss.ts';
import { failTape, finishTape } from './tape.ts';
import { isOfInlineLoans, type Tape, type TapeResult } from './queries.ts';
import { rememberFor } from './remembered.ts';
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
  const { result, rejection } = outcome;
  // A newer version is in force, or the deal was decided in the meantime and keeps the tape of that decision.
  const overtaken = tape.version < (deal.tape_version ?? 0) || !['IN_REVIEW', 'QC_COMPLETED'].includes(deal.status);
  const loss = overtaken || rejection || result.state !== 'DONE' ? null : lossOf(deal, tape, result);
  const finished = await finishTape(tx, tape, { ...result, state: loss ? 'NEEDS_CONFIRMATION' : result.state });
  if (!finished) return;
  if (loss) await alertConfirmationNeeded(tx, deal, finished, loss);
  else if (result.state === 'DONE' && !overtaken) await putInForce(tx, deal, finished, rejection);
  else {
    if (!rejection) await remember(tx, deal, tape);
    if (rejection && !overtaken) await rejectTape(tx, deal, rejection);
    else if (result.state === 'NEEDS_MAPPING' && !overtaken) await alertMappingNeeded(tx, deal);
  }
  await endBulkJobOf(tx, deal);
}

/** Makes a checked tape the version in force of its locked deal: the deal moves on, or is rejected if the tape failed the checks. */
export async function putInForce(
  tx: Tx,
  deal: Deal,
  tape: Tape,
  rejection: { reason_code: string; reason: string } | null = null,
): Promise<Deal> {
  await setTapeVersion(tx, deal.organization_id, deal.deal_id, tape.version);
  // From here on the deal's figures are those of the new version, in its events too.
  const now: Deal = { ...deal, tape_version: tape.version, loan_count: tape.accepted, total_balance: tape.total_balance };
  if (rejection) return rejectTape(tx, now, rejection);
  await remember(tx, now, tape);
  return now.status === 'IN_REVIEW' ? moveDeal(tx, now, { to: 'QC_COMPLETED', actor: 'platform' }) : now;
}

/** What a new version would lose of the one in force, if that is more than half of the loans or of the balance; else null. */
function lossOf(deal: Deal, tape: Tape, result: TapeResult): TapeLoss | null {
  if (deal.tape_version === null || tape.version === deal.tape_version) return null;
  const loss = tapeLoss(deal, { loan_count: result.accepted, total_balance: result.total_balance });
  return loss.most ? loss : null;
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
  if (tape.overrides.length === 0 || !tape.mapping_id) return;
  // A mapping of inline loans' keys does not fit the columns of a file.
  if (await isOfInlineLoans(tx, tape.organization_id, tape.deal_id, tape.version)) return;
  await rememberFor(tx, deal, tape, tape.mapping_id);
}

async function rejectTape(tx: Tx, deal: Deal, rejection: { reason_code: string; reason: string }): Promise<Deal> {
  return moveDeal(tx, deal, { to: 'REJECTED', actor: 'platform', ...rejection });
}

async function alertConfirmationNeeded(tx: Tx, deal: Deal, tape: Tape, loss: TapeLoss): Promise<void> {
  const lost = [loss.loans > 0 && `${loss.loans} loans`, loss.balance.startsWith('-') || `a balance of ${loss.balance}`].filter(
    (each) => typeof each === 'string',
  );
  await raiseAlert(tx, deal.organization_id, 'loan.confirmation_needed', {
    category: 'loan',
    priority: 'HIGH',
    title: `${deal.name}: version ${tape.version} of the tape waits for your confirmation`,
    entity_type: 'deal',
    entity_id: deal.deal_id,
    message:
      `Version ${tape.version} has ${tape.accepted} loans with a balance of ${tape.total_balance}; version ${deal.tape_version}, which stays in force, ` +
      `has ${deal.loan_count} with ${deal.total_balance}. ${lost.join(' and ')} would be lost. ` +
      `POST /v1/api/originator/loans/{dealId}/tapes/${tape.version}/confirm puts it in force, DELETE …/tapes/${tape.version} drops it.`,
  });
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
