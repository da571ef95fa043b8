import { dataOf, type Desk } from './desk.ts';
import type { Answer, Envelope, Holder } from './gateway.ts';
import type { ListedDeal } from './market.ts';
import { type Changes, copyRows, manyOrganizations } from './many.ts';
import { issuedDeal, structuredPool } from './pools.ts';

/** Payment dates of the first periods; the 15th of February 2027 is a federal holiday. */
export const PAYMENT_DATES = ['2027-01-15', '2027-02-16', '2027-03-15'] as const;

/** What a period brings: principal goes to A-1, a write-down to B. */
export type Period = { principal: number; loss?: number; writedown?: number; interestOnA?: number };

export type Serviced = Awaited<ReturnType<typeof servicedDeal>>;

/**
 * An issued deal of two notes (A-1 at 5 % and B at 6.5 %, 30/360) and a residual, with the reports of its servicer; `change` puts another
 * structure in its place. Its clock stands at 2026-12-10 in the morning of New York.
 */
export async function servicedDeal(
  desk: Desk,
  as: Holder = desk.seller,
  change?: (structure: Record<string, unknown>) => object,
) {
  const { gateway, operator } = desk;
  await gateway.setClock('2026-12-10T15:00:00Z');
  const { pool_id, balance, structure } = await structuredPool(gateway, as, operator, 60, change);
  const deal_id = await issuedDeal(gateway, as, operator, pool_id);
  const [a, b] = structure.tranches.map((tranche: { balance: number }) => tranche.balance) as [number, number];
  const tranches = await gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.rows<{ tranche_id: string }>('select tranche_id from tranches where deal_id = $1 order by seniority', [deal_id]),
  );
  const deal: ListedDeal = { deal_id, pool_id, tranches: tranches.map((each) => each.tranche_id) };
  const path = `/v1/api/originator/pools/${pool_id}/remittances`;
  return {
    ...deal,
    deal,
    seller: as,
    path,
    pool: balance as number,
    a,
    b,
    /** The report of the last of these periods, which follow each other from the issue; it ties. */
    report: (...periods: Period[]) => reportOf({ pool: balance, a, b }, periods),
    send: (body: unknown, holder = as): Promise<Answer> => desk.send('POST', path, holder, body as object),
    restate: (id: string, body: unknown, holder = as): Promise<Answer> =>
      desk.send('POST', `${path}/${id}/restate`, holder, body as object),
    read: async (id: string): Promise<Envelope['data']> => dataOf(await desk.send('GET', `${path}/${id}`, as)),
  };
}

const cents = (amount: number): number => Math.round(amount * 100) / 100;

/** A report of the last of these periods for balances at the issue; it ties. */
export function reportOf({ pool, a, b }: { pool: number; a: number; b: number }, periods: readonly Period[]) {
  const sum = (of: (period: Period) => number, all = periods): number => cents(all.reduce((total, each) => total + of(each), 0));
  const before = periods.slice(0, -1);
  const last = periods.at(-1) ?? { principal: 0 };
  const principal = ({ principal }: Period) => principal;
  const loss = ({ loss = 0 }: Period) => loss;
  const writedown = ({ writedown = 0 }: Period) => writedown;
  const paidBefore = sum(principal, before);
  const opening = { pool: pool - paidBefore - sum(loss, before), a: a - paidBefore, b: b - sum(writedown, before) };
  const due = (balance: number, rate: number) => Math.round((balance * rate) / 12) / 100;
  return {
    period: periods.length,
    payment_date: PAYMENT_DATES[periods.length - 1] as string,
    collateral: {
      beginning_pool_balance: cents(opening.pool),
      scheduled_principal: last.principal,
      gross_losses: last.loss ?? 0,
      ending_pool_balance: cents(opening.pool - last.principal - (last.loss ?? 0)),
      interest: 6_600,
      fees: 900,
    },
    tranches: [
      {
        tranche: 'A-1',
        beginning_balance: cents(opening.a),
        interest_paid: last.interestOnA ?? due(opening.a, 5),
        principal_paid: last.principal,
        ending_balance: cents(opening.a - last.principal),
      },
      {
        tranche: 'B',
        beginning_balance: cents(opening.b),
        interest_paid: due(opening.b, 6.5),
        principal_paid: 0,
        write_down: last.writedown ?? 0,
        ending_balance: cents(opening.b - (last.writedown ?? 0)),
      },
    ],
  };
}

/** Face that investors bought: the trades wait to be settled. The deal is allocated by it. */
export async function soldTrades(
  desk: Desk,
  { deal }: Serviced,
  sales: readonly [Holder, number, tranche?: number][],
): Promise<string[]> {
  for (const [investor, amount, tranche = 0] of sales)
    await desk.confirmed(deal, investor, amount, { tranche_id: deal.tranches[tranche] });
  dataOf(await desk.allocate(deal));
  const trades: string[] = [];
  for (const investor of new Set(sales.map(([each]) => each)))
    for (const { allocation_id } of await desk.allocations(deal, investor))
      trades.push(await desk.trade(allocation_id, investor));
  return trades;
}

/**
 * Organizations that hold $10 of face each of a deal's first tranche, beside one that bought some on the market and has settled; their ids.
 * They are copies of its records.
 */
export async function manyHolders(desk: Desk, deal: Serviced, first: Holder, count: number): Promise<string[]> {
  const [trade = ''] = await soldTrades(desk, deal, [[first, 1_000]]);
  dataOf(await desk.decide(trade, 'settle'));
  const copies: [string, Changes][] = [
    ['subscriptions', { subscription_id: 'sub_', subscription_amount: 10 }],
    [
      'allocations',
      { allocation_id: 'alc_', subscription_id: 'sub_', requested_amount: 10, allocated_amount: 10, entry: 'place' },
    ],
    ['trades', { trade_id: 'trd_', allocation_id: 'alc_', face: 10 }],
    ['positions', { position_id: 'pos_', face: 10 }],
  ];
  return await desk.gateway.deps.db.tx({ platform: true }, async (tx) => {
    const made = await manyOrganizations(tx, first, count);
    for (const [table, changes] of copies) await copyRows(tx, table, first, count, changes);
    return made;
  });
}
