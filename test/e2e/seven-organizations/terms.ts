import { ratio, cents } from './figures.ts';
import type { Views } from './lists.ts';
import { type Data, type Organization, SELLERS } from './members.ts';

/** What the lists say of a tranche on the market: its terms from its owner's pool, its figures from the reports of the servicer. */
export type Terms = {
  deal_id: string;
  tranche_id: string;
  tranche: string;
  class: string;
  owner: Organization;
  balance: number;
  dayCount: string;
  /** Percent a year. */
  rate: number;
  /** Interest begins here, before any payment. */
  datedDate: string;
  /** Reports that were applied, the first period first. */
  reports: Data[];
};

/** Terms of every offered tranche of every deal, by its id. */
export function readTerms(views: Views): Map<string, Terms> {
  const terms = new Map<string, Terms>();
  for (const owner of SELLERS) {
    const view = views[owner];
    for (const { pool_id, deal_id } of view.rows('originator/pools')) {
      const { structure } = view.record(`originator/pools/${pool_id}`);
      const reports = view
        .rows(`originator/pools/${pool_id}/remittances`)
        .filter((each) => each.status === 'APPLIED')
        .toReversed();
      const offered: Data[] = view.record(`originator/pools/${pool_id}/book`).tranches;
      for (const each of structure.tranches) {
        const listed = offered.find((row) => row.tranche === each.tranche);
        if (!listed) continue;
        terms.set(listed.tranche_id, {
          deal_id,
          tranche_id: listed.tranche_id,
          tranche: each.tranche,
          class: each.class,
          owner,
          balance: each.balance,
          dayCount: each.day_count,
          rate:
            each.coupon.type === 'FIXED' ? each.coupon.rate : fixingOf(views, each.coupon.index) + each.coupon.margin_bp / 100,
          datedDate: structure.payment.dated_date,
          reports,
        });
      }
    }
  }
  return terms;
}

function fixingOf(views: Views, index: string): number {
  const [latest] = views.platform.rows('fixings').filter((row) => row.index === index);
  return latest.rate;
}

/** What a version of a report says of a tranche. */
export const reported = (report: Data, { tranche }: Terms): Data => report.tranches.find((row: Data) => row.tranche === tranche);

/** The factor after a report; 1 before the first. */
export const factorAfter = (terms: Terms, report: Data | undefined): number =>
  report === undefined ? 1 : ratio(cents(reported(report, terms).ending_balance), cents(terms.balance), 8);

/** Interest of a class by 30/360 goes on from the scheduled date of a payment, the 15th; of others from the date of the payment. */
export const accruesFrom = ({ dayCount, datedDate }: Terms, report: Data | undefined): string => {
  if (report === undefined) return datedDate;
  return dayCount === '30/360' ? `${report.payment_date.slice(0, 8)}15` : report.payment_date;
};
