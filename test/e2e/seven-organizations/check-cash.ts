import assert from 'node:assert/strict';
import { apportion, cents, endOfDay, interest, money, productOver, sum } from './figures.ts';
import { verifyLedger } from '../../../src/features/trades/ledger-queries.ts';
import type { Views } from './lists.ts';
import { type Data, INVESTORS, type Market, NAMES, type Organization, SELLERS } from './members.ts';
import { accruesFrom, factorAfter, readTerms, reported, type Terms } from './terms.ts';

/** Amounts of trades and payments to the cent, both legs of each, and the net cash of each organization from three sides. */
export async function checkCash({ gateway }: Market, views: Views): Promise<void> {
  const terms = readTerms(views);
  const settled = views.platform.rows('trades').filter((trade) => trade.status === 'SETTLED');
  assert.ok(settled.some((trade) => trade.accrued_interest < 0) && settled.some((trade) => trade.accrued_interest > 0));
  for (const trade of settled) checkTrade(views, terms.get(trade.tranche_id) as Terms, trade);
  checkPayments(views, terms);
  checkNetCash(views, terms, settled);
  // No list shows the ledger: the platform's own verification, which `sluice ledger verify` prints, reads its journals.
  const { problems, entries } = await gateway.deps.db.tx({ platform: true }, verifyLedger);
  assert.deepEqual(problems, []);
  assert.ok(entries > settled.length * 4, `${entries} entries for ${settled.length} trades and their payments`);
}

/** The amounts of a trade, from its face and price; one that settled after a record date is without that payment, by its report in force. */
function checkTrade(views: Views, terms: Terms, trade: Data): void {
  const passed = terms.reports.findLast((report) => endOfDay(recordDateOf(views, report)) <= Date.parse(trade.settled_at));
  const factor = factorAfter(terms, passed?.report);
  const from = accruesFrom(terms, passed);
  const principal = productOver([money(productOver([trade.face, factor], 1n, 2)), trade.price], 100n, 2);
  const accrued = interest(productOver([trade.face, factor], 1n, 2), terms.rate, terms.dayCount, from, trade.settlement_date);
  assert.deepEqual(
    [trade.factor, trade.principal_amount, trade.accrued_interest, trade.net_amount],
    [factor, money(principal), money(accrued), money(principal + accrued)],
    `trade ${trade.trade_id}`,
  );
  const [buyer, seller] = [ownerOf(views, trade.organization_id), terms.owner];
  const legs = [buyer, seller].map((side) =>
    views[side].rows('events').filter((each) => each.event === 'trade.settled' && each.data.trade_id === trade.trade_id),
  );
  assert.deepEqual(
    legs.map((told) => told.map(({ data }) => [data.face, cents(data.net_amount)])),
    Array(2).fill([[trade.face, cents(trade.net_amount) - cents(trade.corrected_amount)]]),
    `what the two sides of ${trade.trade_id} were told`,
  );
}

const recordDateOf = (views: Views, report: Data): string =>
  views.platform.rows('payments').find((each) => each.remittance_id === report.remittance_id).record_date;

const ownerOf = (views: Views, organizationId: string): Organization => {
  const name = NAMES.find((each) => views[each].member.holder.organization_id === organizationId);
  assert.ok(name, organizationId);
  return name;
};

const AMOUNTS = [
  ['interest', 'interest_paid'],
  ['principal', 'principal_paid'],
  ['writedown', 'write_down'],
] as const;

/** Each report is paid to those who held the face at the end of its record date, and to its owner for the rest, version by version. */
function checkPayments(views: Views, terms: Map<string, Terms>): void {
  for (const each of terms.values())
    for (const report of each.reports) {
      const { versions } = views[each.owner].record(`originator/pools/${report.pool_id}/remittances/${report.remittance_id}`);
      const figures = [...versions.toReversed(), report].map((version: Data) => reported(version.report, each));
      const holders = holdersOf(views, each, recordDateOf(views, report));
      const rows = views.platform
        .rows('payments')
        .filter((row) => row.remittance_id === report.remittance_id && row.tranche_id === each.tranche_id);
      for (const [amount, reportedAs] of AMOUNTS) {
        const paid = [0, ...figures.map((of) => of[reportedAs] ?? 0)].map(cents);
        const shares = paid.map((total) =>
          apportion(
            total,
            holders.map((holder) => holder.face),
          ),
        );
        for (const [at, holder] of holders.entries()) {
          const own = rows.filter((row) => row.organization_id === holder.id && row.holder === holder.kind).toReversed();
          const expected = shares.slice(1).map((share, version) => (share[at] ?? 0n) - (shares[version]?.[at] ?? 0n));
          assert.deepEqual(
            own.map((row) => cents(row[amount])).filter((part) => part !== 0n),
            expected.filter((part) => part !== 0n),
            `${amount} of ${each.tranche} in period ${report.period} for ${holder.id} ${holder.kind}`,
          );
          for (const row of own) assert.equal(cents(row.face), holder.face);
        }
      }
    }
}

type Holder = { id: string; kind: 'OF_RECORD' | 'RETAINED'; face: bigint };

function holdersOf(views: Views, { tranche_id, balance, owner }: Terms, recordDate: string): Holder[] {
  const settled = views.platform
    .rows('trades')
    .filter(
      (trade) =>
        trade.tranche_id === tranche_id && trade.settled_at !== null && Date.parse(trade.settled_at) < endOfDay(recordDate),
    );
  const ofRecord = [...Map.groupBy(settled, (trade: Data): string => trade.organization_id)]
    .map(([id, trades]): Holder => ({ id, kind: 'OF_RECORD', face: sum(trades.map((trade) => cents(trade.face))) }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const retained = cents(balance) - sum(ofRecord.map((each) => each.face));
  return [...ofRecord, { id: views[owner].member.holder.organization_id, kind: 'RETAINED', face: retained }];
}

type Cash = Record<Organization, bigint>;

/** What each organization paid and was paid: by its own lists, by the operator's, and by the events that it was sent. */
function checkNetCash(views: Views, terms: Map<string, Terms>, settled: readonly Data[]): void {
  const amounts = (rows: readonly Data[]): bigint => sum(rows.map((row) => cents(row.interest) + cents(row.principal)));
  const cashOf = (count: (name: Organization) => bigint): Cash =>
    Object.fromEntries(NAMES.map((name) => [name, count(name)])) as Cash;
  const idOf = (name: Organization): string => views[name].member.holder.organization_id;
  const net = (rows: readonly Data[]): bigint => sum(rows.map((row) => cents(row.net_amount)));
  const soldBy = (name: Organization): Data[] => settled.filter((trade) => terms.get(trade.tranche_id)?.owner === name);

  const byOperator = cashOf((name) => {
    const bought = settled.filter((trade) => trade.organization_id === idOf(name));
    return (
      net(soldBy(name)) -
      net(bought) +
      amounts(views.platform.rows('payments').filter((row) => row.organization_id === idOf(name)))
    );
  });
  const byEvents = cashOf((name) => {
    const events = views[name].rows('events');
    const settlements = events.filter((each) => each.event === 'trade.settled').map(({ data }) => data);
    const corrections = events
      .filter((each) => each.event === 'trade.corrected')
      .map(({ data }) => ({ ...data, net_amount: data.difference }));
    const trades = [...settlements, ...corrections];
    const isSale = (trade: Data): boolean => terms.get(trade.tranche_id)?.owner === name;
    const paid = events.filter((each) => each.event === 'payment.made').map(({ data }) => data);
    return net(trades.filter(isSale)) - net(trades.filter((trade) => !isSale(trade))) + amounts(paid);
  });
  const byOwnLists = cashOf((name) => {
    const isInvestor = (INVESTORS as readonly Organization[]).includes(name);
    const isSeller = (SELLERS as readonly Organization[]).includes(name);
    const bought = isInvestor ? views[name].rows('investor/trades').filter((trade) => trade.status === 'SETTLED') : [];
    const paid = isInvestor ? views[name].rows('investor/portfolio/payments') : [];
    const retained = isSeller ? views[name].rows('originator/payments') : [];
    return net(soldBy(name)) - net(bought) + amounts(paid) + amounts(retained);
  });
  assert.deepEqual(byOwnLists, byOperator, 'cash by the own lists, and by the operator’s');
  assert.deepEqual(byEvents, byOperator, 'cash by the events, and by the operator’s lists');
  const reports = [...terms.values()].flatMap((each) => each.reports.map((report) => reported(report.report, each)));
  const collected = sum(reports.map((figures) => cents(figures.interest_paid) + cents(figures.principal_paid)));
  assert.equal(sum(Object.values(byOperator)), collected, 'trades net to nothing, and payments to what the servicer has paid');
  assert.ok(collected > 0n);
}
