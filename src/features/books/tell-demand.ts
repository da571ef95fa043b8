import { emit } from '../../events/emit.ts';
import type { Emission } from '../../events/events.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import { isSameDemand, toldDemand } from './demand.ts';
import {
  type FollowedDeal,
  forgetLastDemand,
  listDemands,
  listFollowedDeals,
  recordDemandTold,
  type ToldDemand,
} from './queries.ts';

const BATCH = 200;
/** An owner is told of the demand for a deal at most once in this time. */
const INTERVAL_SECONDS = 60;

/**
 * Tells the owners of deals on the market how the demand for them stands where it is another than they were told last. The figures are
 * read from the books, so that the requests of investors do not wait for each other; those of the last minute before an allocation were
 * kept by it. Returns how many were told.
 */
export async function tellDemand(db: Database): Promise<number> {
  let [told, after] = [0, ''];
  for (;;) {
    const batch = await db.tx({ platform: true }, (tx) => tellBatch(tx, after));
    told += batch.told;
    if (batch.last === null) return told;
    after = batch.last;
  }
}

async function tellBatch(tx: Tx, after: string): Promise<{ told: number; last: string | null }> {
  const deals = await listFollowedDeals(tx, INTERVAL_SECONDS, after, BATCH);
  const emissions: Emission[] = [];
  const demands = await listDemands(
    tx,
    deals.flatMap(({ deal_id, last }) => (last ? [] : [deal_id])),
  );
  for (const deal of deals) {
    const tranches = deal.last ?? (demands.get(deal.deal_id) ?? []).map(toldDemand);
    if (isSameDemand(deal.told, tranches)) {
      if (deal.last) await forgetLastDemand(tx, deal.deal_id);
    } else if (await recordDemandTold(tx, deal, tranches, INTERVAL_SECONDS)) emissions.push(emissionOf(deal, tranches));
  }
  await emit(tx, emissions);
  return { told: emissions.length, last: deals.length === BATCH ? (deals.at(-1)?.deal_id ?? null) : null };
}

function emissionOf({ deal_id, organization_id, name }: FollowedDeal, tranches: ToldDemand[]): Emission {
  const covered = tranches
    .map(({ coverage }) => (coverage === null ? 'nothing to cover' : `${(coverage * 100).toFixed(0)} %`))
    .join(', ');
  return {
    organization_id,
    event: 'demand.changed',
    data: { deal_id, tranches },
    alert: {
      category: 'deal',
      priority: 'LOW',
      title: `${name}: the demand has changed`,
      message: `Subscriptions and orders cover its tranches, most senior first, by ${covered}.`,
      entity_type: 'deal',
      entity_id: deal_id,
    },
  };
}
