import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Desk, dataOf, openDesk } from '../../../test/support/desk.ts';
import { type Holder, startGateway } from '../../../test/support/gateway.ts';
import fc from '../../../test/support/property.ts';
import { PAYMENT_DATES, type Period, type Serviced, servicedDeal, soldTrades } from '../../../test/support/servicing.ts';
import { verifyLedger } from '../trades/ledger-queries.ts';

const INVESTORS = 3;
const MONTHS = ['2026-12', '2027-01', '2027-02', '2027-03'];
/** Days of a restatement: after its payment, before the next. */
const RESTATED_ON = ['2027-01-23', '2027-02-24', '2027-03-25'];
/** What factors of 8 decimals and shares in whole cents may leave in a month. */
const CENTS = 0.05;
const FIGURES = ['interest', 'principal', 'writedown'] as const;

type Amounts = Record<(typeof FIGURES)[number], number>;
type Payment = Amounts & { tranche: string; period: number; holder: string };
type Row = Amounts &
  Record<'opening_face' | 'opening_balance' | 'closing_face' | 'closing_balance' | 'other_change', number> & {
    tranche_id: string;
  };

const upTo = (most: number) => fc.integer({ min: 0, max: most * 100 }).map((amount) => amount / 100);
const period: fc.Arbitrary<Period> = fc.record({
  principal: upTo(20_000),
  loss: upTo(5_000),
  writedown: fc.oneof(fc.constant(0), upTo(1_000)),
});
/** When a trade settles: in time for the payment of a period, between its record date and the payment, or never. */
const settled = fc.oneof(fc.record({ period: fc.nat(2), ex: fc.boolean() }), fc.constant(null));
const sale = fc.record({
  investor: fc.nat(INVESTORS - 1),
  tranche: fc.nat(1),
  thousands: fc.integer({ min: 1, max: 9 }),
  settled,
});
const life = fc.record({
  sales: fc.array(sale, { minLength: 1, maxLength: 6 }),
  periods: fc.tuple(period, period, period),
  restated: fc.tuple(...PAYMENT_DATES.map(() => fc.option(period))),
});
type Life = typeof life extends fc.Arbitrary<infer Value> ? Value : never;

/** To the cent; without a zero below zero. */
const rounded = (amount: number): number => Math.round(amount * 100) / 100 + 0;
const sumOf = (rows: readonly Amounts[], figure: (typeof FIGURES)[number]): number =>
  rounded(rows.reduce((total, row) => total + row[figure], 0));

test('whatever is traded, paid and restated: payments add up to the tranches, the ledger to nothing, and months follow each other', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  await fc.assert(
    fc.asyncProperty(life, async (drawn) => {
      const investors: Holder[] = [];
      for (let count = 0; count < INVESTORS; count += 1) investors.push(await desk.investor());
      const deal = await liveThrough(desk, investors, drawn);
      await gateway.setClock('2027-04-10T15:00:00Z');
      for (const investor of investors) await assertMonthsFollow(desk, investor, deal);
    }),
    { numRuns: 8 },
  );
});

async function liveThrough(desk: Desk, investors: readonly Holder[], { sales, periods, restated }: Life): Promise<Serviced> {
  const { gateway } = desk;
  const deal = await servicedDeal(desk);
  const trades: { trade: string; settled: { period: number; ex: boolean } | null }[] = [];
  // The trades of an investor come in the order of its allocations, so each is sold by itself.
  const sold = sales.toSorted((a, b) => a.investor - b.investor);
  const ids = await soldTrades(
    desk,
    deal,
    sold.map(({ investor, thousands, tranche }) => [investors[investor] as Holder, thousands * 1_000, tranche]),
  );
  for (const [index, trade] of ids.entries()) trades.push({ trade, settled: sold[index]?.settled ?? null });
  const settle = async (at: number, ex: boolean) => {
    for (const { trade, settled: when } of trades)
      if (when?.period === at && when.ex === ex) dataOf(await desk.decide(trade, 'settle'));
  };
  const inForce: Period[] = [];
  for (const [index, drawn] of periods.entries()) {
    const date = String(PAYMENT_DATES[index]);
    await gateway.setClock(`${date.slice(0, 8)}08T15:00:00Z`);
    await settle(index, false);
    await gateway.setClock(`${date}T13:00:00Z`);
    await settle(index, true);
    const { remittance_id } = dataOf(await deal.send(deal.report(...inForce, drawn)));
    inForce.push(drawn);
    await assertPaid(desk, deal, inForce);
    const other = restated[index];
    if (!other) continue;
    await gateway.setClock(`${RESTATED_ON[index]}T15:00:00Z`);
    const answer = await deal.restate(remittance_id, deal.report(...inForce.slice(0, -1), other));
    // The same figures again are nothing to restate.
    if (answer.status === 409) continue;
    dataOf(answer);
    inForce.splice(-1, 1, other);
    await assertPaid(desk, deal, inForce);
  }
  return deal;
}

/** Payments and their corrections add up to what the reports in force pay each tranche, and the ledger to nothing. */
async function assertPaid({ gateway, operate }: Desk, deal: Serviced, inForce: readonly Period[]): Promise<void> {
  const payments: Payment[] = dataOf(await operate('GET', `payments?limit=100&deal_id=${deal.deal_id}`));
  for (const index of inForce.keys()) {
    const report = deal.report(...inForce.slice(0, index + 1));
    for (const { tranche, interest_paid, principal_paid, write_down = 0 } of report.tranches) {
      const paid = payments.filter((each) => each.period === index + 1 && each.tranche === tranche);
      assert.deepEqual(
        FIGURES.map((figure) => sumOf(paid, figure)),
        [interest_paid, principal_paid, write_down],
        `${tranche} in period ${index + 1}`,
      );
    }
  }
  assert.deepEqual((await gateway.deps.db.tx({ platform: true }, verifyLedger)).problems, []);
}

/** Each month opens as the one before closed, its trades and payments explain its balance, and the statements together have every payment. */
async function assertMonthsFollow({ get, read }: Desk, investor: Holder, { deal_id }: Serviced): Promise<void> {
  const months: Row[][] = [];
  for (const month of MONTHS) months.push(dataOf(await get(`portfolio/statement?month=${month}`, investor)).positions);
  for (const [index, rows] of months.entries()) {
    const before = new Map((months[index - 1] ?? []).map((row) => [row.tranche_id, [row.closing_face, row.closing_balance]]));
    for (const row of rows) {
      assert.deepEqual([row.opening_face, row.opening_balance], before.get(row.tranche_id) ?? [0, 0], String(MONTHS[index]));
      assert.ok(Math.abs(row.other_change) < CENTS, `${row.other_change} of ${MONTHS[index]} that no trade or payment explains`);
    }
    for (const tranche of before.keys()) assert.ok(rows.some((row) => row.tranche_id === tranche));
  }
  const payments: Payment[] = dataOf(await get(`portfolio/payments?limit=100&deal_id=${deal_id}`, investor));
  for (const figure of FIGURES) assert.equal(sumOf(months.flat(), figure), sumOf(payments, figure), figure);
  const positions: { tranche_id: string; current_balance: number }[] = await read('portfolio/positions', investor);
  assert.deepEqual(
    new Map(positions.map((each) => [each.tranche_id, each.current_balance])),
    new Map((months.at(-1) ?? []).map((row) => [row.tranche_id, row.closing_balance])),
  );
}
