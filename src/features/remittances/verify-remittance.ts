import type { Remittance } from '../../finance/structure/remittance.ts';
import { amountContext } from '../../finance/structure/compiled-amount.ts';
import { compileTriggers, newTriggerState } from '../../finance/structure/triggers.ts';
import { reportedOpening, type Verification } from '../../finance/structure/verify-report.ts';
import type { Tx } from '../../platform/db/database.ts';
import { orNotFound } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import type { Id } from '../../platform/ids.ts';
import { findPool } from '../pools/queries.ts';
import { datesOf } from '../../finance/structure/periods.ts';
import { openingOf, verify } from './derive.ts';
import { findLastApplied } from './queries.ts';
import { asServiced, withFixings } from './serviced-pool.ts';

export type VerifyRequest = {
  report: Remittance;
  opening: 'APPLIED' | 'REPORTED';
  trigger_state: readonly { trigger: string; on: boolean }[];
};

/** Every figure of a report beside the one that follows from its cash, from the last applied state or from the report's own opening. */
export async function verifyRemittance(
  tx: Tx,
  actor: Actor,
  poolId: Id<'pool'>,
  { report, opening, trigger_state }: VerifyRequest,
): Promise<Verification> {
  const pool = await withFixings(tx, asServiced(orNotFound(await findPool(tx, actor.organization_id, poolId), 'pool')));
  const applied = (await findLastApplied(tx, actor.organization_id, poolId)) ?? openingOf(pool);
  if (opening === 'APPLIED') return verify(pool, applied.state, report, trigger_state);
  const compiled = compileTriggers(pool.structure.triggers ?? [], amountContext(pool.structure, datesOf(pool), report.period));
  const state = newTriggerState(compiled);
  state.on = compiled.map(({ name }) => (trigger_state.some((each) => each.on && each.trigger === name) ? 1 : 0));
  return verify(pool, { ...reportedOpening(pool.structure, applied.state, report), triggers: state }, report, trigger_state);
}
