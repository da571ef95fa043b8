import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { invalidField, orNotFound } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import { followFixing } from '../coupons/coupon.ts';
import { lockFixings } from '../coupons/queries.ts';
import { type Fixing, findFixing, findSpelling, upsertFixing } from './queries.ts';

const RATE_DECIMALS = 6;

/** Records the fixing of an index on a date, or corrects it. A correction moves the coupon of every tranche whose period it fixes. */
export async function setFixing(tx: Tx, actor: Actor, fixing: Pick<Fixing, 'index' | 'date' | 'rate'>): Promise<Fixing> {
  const { index, date, rate } = fixing;
  if (Number(rate.toFixed(RATE_DECIMALS)) !== rate) {
    throw invalidField('rate', 'INVALID', `saw ${rate}, expected percent a year with at most ${RATE_DECIMALS} decimals`);
  }
  const followed = await findSpelling(tx, index);
  if (followed !== null && followed !== index) {
    throw invalidField('index', 'INVALID', `saw "${index}", which no tranche follows; expected "${followed}", which tranches do`);
  }
  await lockFixings(tx);
  const before = await findFixing(tx, index, date);
  await upsertFixing(tx, fixing);
  await followFixing(tx, index);
  const after = orNotFound(await findFixing(tx, index, date), 'fixing');
  audit(tx, {
    organization_id: actor.organization_id,
    actor: actor.actor_id,
    action: 'fixing.set',
    entity_type: 'fixing',
    entity_id: `${index} ${date}`,
    before: before && { rate: before.rate },
    after: { index, date, rate, tranche_count: after.tranche_count },
  });
  return after;
}
