import { emit } from '../../events/emit.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import { eligibility } from '../compliance/checks.ts';
import { listedEvent } from '../securitizations/securitization.ts';
import {
  type Candidate,
  endFanOut,
  insertRecipients,
  listInvestorsAfter,
  lockOpenFanOut,
  type OpenFanOut,
  recordReached,
} from './fan-out-queries.ts';

const BATCH = 500;

/**
 * Tells of listed deals everybody whom each of them may be sold to: a batch of organizations in a transaction, each organization once
 * whatever runs beside it or again. Returns how many were told.
 */
export async function expandFanOuts(db: Database): Promise<number> {
  let told = 0;
  for (;;) {
    const count = await db.tx({ platform: true }, expandNext);
    if (count === null) return told;
    told += count;
  }
}

/** Null when nothing is left to expand. */
async function expandNext(tx: Tx): Promise<number | null> {
  const fanOut = await lockOpenFanOut(tx);
  if (!fanOut) return null;
  const candidates = await listInvestorsAfter(tx, fanOut, BATCH);
  const last = candidates.at(-1);
  if (!last) {
    await endFanOut(tx, fanOut.fan_out_id);
    return 0;
  }
  const eligible = candidates.filter((each) => isEligible(fanOut, each)).map((each) => each.organization_id);
  const recipients = await insertRecipients(tx, fanOut.fan_out_id, eligible);
  await emit(
    tx,
    recipients.map((each) => listedEvent(each, fanOut.data)),
  );
  await recordReached(tx, fanOut.fan_out_id, last.organization_id);
  return recipients.length;
}

/** A deal that was withdrawn before its listing was told is nobody's to see. */
const isEligible = ({ offering, market_status }: OpenFanOut, { profile }: Candidate): boolean =>
  market_status !== 'WITHDRAWN' && eligibility({ profile, deal: { offering } }).result === 'passed';
