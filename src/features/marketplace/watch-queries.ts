import { storedRecord } from '../../platform/http/stored-record.ts';
import type { Tx } from '../../platform/db/database.ts';
import { newestFirst, type Page, type PageRequest } from '../../platform/pages.ts';
import { selectPage } from '../../platform/db/page.ts';
import { type Between, between } from '../../platform/db/list-filter.ts';
import { type DealSummary, MARKET, SUMMARY } from './queries.ts';
import { SECURITIZATION_RECORD, VISIBLE } from '../securitizations/queries.ts';
import type { Id } from '../../platform/ids.ts';

/** A watched deal: since when, and the deal that it shows. */
export const WATCH_RECORD = storedRecord('watchlist', 'deal_id', {
  also: [
    `(select ${SECURITIZATION_RECORD.fields} from (select r.deal_id as watched) w join securitization_deals r on r.deal_id = w.watched)`,
  ],
});

export async function watchDeal(tx: Tx, organizationId: Id<'org'>, dealId: Id<'deal'>): Promise<void> {
  await tx.exec(
    'insert into watchlist (organization_id, deal_id, watched_at) values ($1, $2, $3) on conflict (organization_id, deal_id) do nothing',
    [organizationId, dealId, tx.now],
  );
}

export function unwatchDeal(tx: Tx, organizationId: Id<'org'>, dealId: Id<'deal'>): Promise<number> {
  return tx.exec('delete from watchlist where organization_id = $1 and deal_id = $2', [organizationId, dealId]);
}

/** The deals that the investor watches, latest first. */
export function listWatched(
  tx: Tx,
  investorId: Id<'org'>,
  page: PageRequest & Between & { deal_id?: Id<'deal'> },
): Promise<Page<DealSummary & { watched_at: Date }>> {
  return selectPage(
    tx,
    {
      select: `${SUMMARY}, w.watched_at`,
      from: `${MARKET} join watchlist w on w.deal_id = d.deal_id`,
      countFrom: 'securitization_deals d join watchlist w on w.deal_id = d.deal_id',
      filters: [
        [VISIBLE, investorId],
        ['w.organization_id = ?', investorId],
        ['w.deal_id = ?', page.deal_id],
        ...between('w.watched_at', page),
      ],
      order: newestFirst('w.watched_at', 'w.deal_id'),
    },
    page,
  );
}
