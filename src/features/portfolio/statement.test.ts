import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataOf, type Desk, heldOpen, openDesk } from '../../../test/support/desk.ts';
import { codeOf, type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { PAYMENT_DATES, servicedDeal, soldTrades } from '../../../test/support/servicing.ts';
import { until } from '../../../test/support/until.ts';
import { applyDueRemittances } from '../remittances/apply-remittances.ts';
import { verifyLedger } from '../trades/ledger-queries.ts';
import type { Statement, StatementPosition } from './statement.ts';

const statementOf = async (desk: Desk, as: Holder, month: string): Promise<Statement> =>
  dataOf(await desk.get(`portfolio/statement?month=${month}`, as)) as Statement;
const bytesOf = async (desk: Desk, as: Holder, month: string, format = 'json'): Promise<Buffer> => {
  const url = `/v1/api/investor/portfolio/statement?month=${month}&format=${format}`;
  const answer = await desk.gateway.app.inject({ method: 'GET', url, headers: { authorization: `Bearer ${as.token}` } });
  assert.equal(answer.statusCode, 200, answer.payload);
  return answer.rawPayload;
};
const sql = (gateway: Gateway, text: string, params: unknown[] = []): Promise<number> =>
  gateway.deps.db.tx({ platform: true }, (tx) => tx.exec(text, params));
/** A mark that is published now, on the platform's clock; published again where there is one of that calculation. */
const publish = (gateway: Gateway, trancheId: string, calculationId: string, price: string): Promise<number> =>
  sql(
    gateway,
    `insert into marks (tranche_id, calculation_id, deal_id, organization_id, price, as_of, published_at)
     select tranche_id, $2, deal_id, organization_id, $3, '2026-12-31', sluice_now() from tranches where tranche_id = $1
     on conflict (tranche_id, calculation_id) do update set published_at = excluded.published_at`,
    [trancheId, calculationId, price],
  );

/** The figures of a position that add up. */
const figures = ({
  opening_face,
  opening_balance,
  bought_face,
  bought_balance,
  net_amount,
  interest,
  principal,
  other_change,
  closing_face,
  closing_balance,
  market_value,
}: StatementPosition | Statement['totals']) => [
  [opening_face, opening_balance],
  [bought_face, bought_balance, net_amount],
  [interest, principal],
  other_change,
  [closing_face, closing_balance],
  market_value,
];

/*
 * By hand, for an A-1 of 768,000 at 5 %, 30/360. 96,000 of face is an eighth of it: 3,200.00 of interest and 20,000 of principal make 400.00 and
 * 2,500.00. Then the factor is 748,000 / 768,000 = 0.97395833, and another 48,000, bought ex, are a balance of 46,750.00 less 194.79 of interest for
 * the 30 days to the payment. Of the second payment (3,116.67 and 15,000) 144,000 / 768,000 are 584.38 and 2,812.50, at a factor of 0.95442708.
 * The first payment's interest on A-1 is restated from 3,200.00 to 2,400.00: an eighth of the difference is -100.00.
 */
test('the statements of a book by hand, over four months', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const [investor, stranger] = [await desk.investor(), await desk.investor()];
  const deal = await servicedDeal(desk);
  assert.equal(deal.a, 768_000);
  const [bought = '', ex = ''] = await soldTrades(desk, deal, [
    [investor, 96_000],
    [investor, 48_000],
  ]);
  await gateway.setClock('2026-12-21T15:00:00Z');
  dataOf(await desk.decide(bought, 'settle'));
  await gateway.setClock('2027-01-12T15:00:00Z');
  const { remittance_id } = dataOf(await deal.send(deal.report({ principal: 20_000 })));
  await gateway.setClock('2027-01-15T06:00:00Z');
  dataOf(await desk.decide(ex, 'settle'));
  assert.equal(await applyDueRemittances(gateway.deps.db), 1);
  const december = await bytesOf(desk, investor, '2026-12');
  await gateway.setClock('2027-02-16T15:00:00Z');
  dataOf(await deal.send(deal.report({ principal: 20_000 }, { principal: 15_000 })));
  await publish(gateway, deal.tranches[0] as string, 'calc_1', '99.5');

  await t.test('the month that has not ended says so, and follows what is booked', async () => {
    const { final, totals, until: end } = await statementOf(desk, investor, '2027-02');
    assert.deepEqual([final, totals.closing_balance, totals.market_value], [false, 137_437.5, 136_750.31]);
    assert.match(end, /^2027-02-16T15:00:/);
    assert.equal(dataOf(await desk.get('portfolio/statement', investor)).month, '2027-02');
    assert.deepEqual(codeOf(await desk.get('portfolio/statement?month=2027-03', investor)), [422, 'UNPROCESSABLE']);
  });

  await gateway.setClock('2027-03-20T15:00:00Z');
  await publish(gateway, deal.tranches[0] as string, 'calc_2', '90');
  await publish(gateway, deal.tranches[0] as string, 'calc_1', '99.5');
  const report = { ...deal.report({ principal: 20_000, interestOnA: 2_400 }), payment_date: PAYMENT_DATES[0] };
  dataOf(await deal.restate(remittance_id, report));
  await gateway.setClock('2027-04-02T15:00:00Z');

  await t.test('opening, trades, payments and closing are those by hand', async () => {
    const of = async (month: string) => figures((await statementOf(desk, investor, month)).positions[0] as StatementPosition);
    assert.deepEqual(await of('2026-12'), [[0, 0], [96_000, 96_000, 96_000], [0, 0], 0, [96_000, 96_000], null]);
    assert.deepEqual(await of('2027-01'), [
      [96_000, 96_000],
      [48_000, 46_750, 46_555.21],
      [400, 2_500],
      0,
      [144_000, 140_250],
      null,
    ]);
    assert.deepEqual(await of('2027-02'), [
      [144_000, 140_250],
      [0, 0, 0],
      [584.38, 2_812.5],
      0,
      [144_000, 137_437.5],
      136_750.31,
    ]);
    assert.deepEqual(await of('2027-03'), [[144_000, 137_437.5], [0, 0, 0], [-100, 0], 0, [144_000, 137_437.5], 136_750.31]);
  });

  await t.test('each trade and payment stands in the month of its booking, with its dates', async () => {
    const trades = (await statementOf(desk, investor, '2027-01')).positions[0]?.trades ?? [];
    assert.deepEqual(
      trades.map((each) => [each.trade_id, each.booked_on, each.factor, each.accrued_interest]),
      [[ex, '2027-01-15', 0.97395833, -194.79]],
    );
    const january = (await statementOf(desk, investor, '2027-01')).positions[0]?.payments ?? [];
    const [correction, ...more] = (await statementOf(desk, investor, '2027-03')).positions[0]?.payments ?? [];
    assert.equal(more.length, 0);
    assert.deepEqual(
      [correction?.restates, correction?.period, correction?.booked_on, correction?.payment_date, correction?.face],
      [january[0]?.payment_id, 1, '2027-03-20', '2027-03-22', 96_000],
    );
  });

  await t.test('without a mark by the end of the month there is no market value, and it says so', async () => {
    const { totals } = await statementOf(desk, investor, '2027-01');
    assert.deepEqual([totals.market_value, totals.without_mark, totals.balance_without_mark], [null, 1, 140_250]);
    const later = (await statementOf(desk, investor, '2027-02')).totals;
    assert.deepEqual([later.without_mark, later.balance_without_mark], [0, 0]);
  });

  await t.test('the cash of all statements is that of the ledger', async () => {
    const all = await Promise.all(
      ['2026-12', '2027-01', '2027-02', '2027-03'].map((month) => statementOf(desk, investor, month)),
    );
    const cents = all.reduce(
      (sum, { totals }) => sum + Math.round((totals.interest + totals.principal) * 100) - Math.round(totals.net_amount * 100),
      0,
    );
    const row = await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.one<{ cash: string }>(
        `select sum(amount)::text as cash from ledger_entries where organization_id = $1 and account = 'CASH' and party = 'HOLDER'`,
        [investor.organization_id],
      ),
    );
    assert.equal((cents / 100).toFixed(2), row?.cash);
    assert.deepEqual((await gateway.deps.db.tx({ platform: true }, verifyLedger)).problems, []);
  });

  await t.test('a final statement is the same bytes for ever, whatever is booked, published or renamed later', async () => {
    const formats = ['json', 'csv', 'xlsx', 'pdf'];
    const read = () => Promise.all(formats.map((format) => bytesOf(desk, investor, '2027-02', format)));
    const before = await read();
    dataOf(await deal.restate(remittance_id, { ...report, ...deal.report({ principal: 20_000, interestOnA: 2_500 }) }));
    await publish(gateway, deal.tranches[0] as string, 'calc_1', '99.5');
    await sql(gateway, `update organizations set name = 'Renamed' where organization_id = $1`, [investor.organization_id]);
    await sql(gateway, `update securitization_deals set name = 'Renamed 2027-1' where deal_id = $1`, [deal.deal_id]);
    await gateway.setClock('2028-06-02T15:00:00Z');
    for (const [index, bytes] of (await read()).entries())
      assert.ok(bytes.equals(before[index] as Buffer), String(formats[index]));
    assert.ok((await bytesOf(desk, investor, '2026-12')).equals(december));
    for (const change of [`update statements set month = '2020-01'`, 'delete from statements'])
      await assert.rejects(sql(gateway, change), /append-only/);
    const { organization, positions } = await statementOf(desk, investor, '2027-04');
    assert.deepEqual([organization, positions[0]?.deal], ['Renamed', 'Renamed 2027-1'], 'a later month has the names of then');
  });

  await t.test('the balances of the months before stand beside it, twelve at most', async () => {
    const { balances } = await statementOf(desk, investor, '2027-03');
    assert.deepEqual(
      balances.map(({ month, balance }) => [month, balance]),
      [
        ['2026-12', 96_000],
        ['2027-01', 140_250],
        ['2027-02', 137_437.5],
        ['2027-03', 137_437.5],
      ],
    );
    const later = (await statementOf(desk, investor, '2028-05')).balances;
    assert.deepEqual([later.length, later[0]?.month, later.at(-1)?.month], [12, '2027-06', '2028-05']);
  });

  await t.test('before the first purchase a statement is empty, and nothing is stored', async () => {
    for (const [as, month] of [
      [investor, '2026-11'],
      [investor, '1900-01'],
      [stranger, '2027-02'],
    ] as const) {
      const { positions, totals, final } = await statementOf(desk, as, month);
      assert.deepEqual([positions, totals.closing_face, totals.market_value, final], [[], 0, 0, true]);
    }
    const stored = await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.rows<{ organization_id: string; month: string }>('select organization_id, month from statements order by month'),
    );
    assert.deepEqual([...new Set(stored.map((each) => each.organization_id))], [investor.organization_id]);
    assert.equal(stored[0]?.month, '2026-12');
  });

  await t.test('is the investor’s own, for investors, of a month', async () => {
    assert.deepEqual(codeOf(await desk.get('portfolio/statement?month=2027-01', desk.seller)), [403, 'ROLE_FORBIDDEN']);
    for (const query of ['month=', 'month=2027-13', 'month=2027-1', 'month=2027-01-01', 'month=2027-01&format=PDF'])
      assert.equal((await desk.get(`portfolio/statement?${query}`, investor)).status, 400, query);
  });
});

test('readers of a month that nobody has read get one statement, and months before it are stored with it', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const investor = await desk.investor();
  const deal = await servicedDeal(desk);
  const [trade = ''] = await soldTrades(desk, deal, [[investor, 96_000]]);
  dataOf(await desk.decide(trade, 'settle'));
  await gateway.setClock('2027-06-01T05:00:00Z');
  const months = ['2027-05', '2027-03', '2027-05', '2026-12', '2027-05', '2027-03'];
  const read = await Promise.all(months.map((month) => bytesOf(desk, investor, month)));
  for (const [index, month] of months.entries())
    assert.ok((await bytesOf(desk, investor, month)).equals(read[index] as Buffer), month);
  const stored = await gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.rows<{ month: string }>('select month from statements order by month'),
  );
  assert.deepEqual(
    stored.map((each) => each.month),
    ['2026-12', '2027-01', '2027-02', '2027-03', '2027-04', '2027-05'],
  );
});

test('a month is not final while a booking of it is still being written', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const investor = await desk.investor();
  const deal = await servicedDeal(desk);
  const [trade = ''] = await soldTrades(desk, deal, [[investor, 96_000]]);
  dataOf(await desk.decide(trade, 'settle'));
  const lastSecond = '2027-02-01T04:59:59Z';
  let began = '';
  const commit = await heldOpen(gateway, (tx) => {
    began = tx.moment;
    return tx.exec(
      `insert into marks (tranche_id, calculation_id, deal_id, organization_id, price, as_of, published_at)
       select tranche_id, 'calc_1', deal_id, organization_id, 98, '2027-01-31', $2 from tranches where tranche_id = $1`,
      [deal.tranches[0], lastSecond],
    );
  });
  let open: Statement;
  try {
    // The clock is set so that the booking began in the last second of the month, however long that took.
    await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.exec('update platform_clock set advanced = $1::timestamptz - $2::timestamptz', [lastSecond, began]),
    );
    await until(async () => (await desk.get('portfolio/statement?month=2027-02', investor)).status === 200);
    open = await statementOf(desk, investor, '2027-01');
  } finally {
    await commit();
  }
  assert.deepEqual([open.final, open.totals.market_value], [false, null]);
  const { final, totals } = await statementOf(desk, investor, '2027-01');
  assert.deepEqual([final, totals.market_value], [true, 94_080]);
});

test('months end at midnight of the business zone, on both sides of a change of its clocks', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const investor = await desk.investor();
  const deal = await servicedDeal(desk);
  // The clocks of New York go forward on 2027-03-14: February ends at 05:00 UTC, March at 04:00.
  const instants = ['2027-03-01T04:59:00Z', '2027-03-01T05:00:00Z', '2027-04-01T03:59:00Z', '2027-04-01T04:00:00Z'];
  const trades = await soldTrades(
    desk,
    deal,
    instants.map((_, index): [Holder, number] => [investor, 10_000 * 2 ** index]),
  );
  assert.equal(trades.length, 4);
  for (const [index, at] of instants.entries()) {
    await gateway.setClock(at);
    dataOf(await desk.decide(trades[index] as string, 'settle'));
  }
  await gateway.setClock('2027-05-01T04:00:00Z');
  const bought = async (month: string) => {
    const { totals, until: end } = await statementOf(desk, investor, month);
    return [totals.bought_face, end];
  };
  assert.deepEqual(await bought('2027-02'), [10_000, '2027-03-01T05:00:00.000Z']);
  assert.deepEqual(await bought('2027-03'), [60_000, '2027-04-01T04:00:00.000Z']);
  assert.deepEqual(await bought('2027-04'), [80_000, '2027-05-01T04:00:00.000Z']);
});
