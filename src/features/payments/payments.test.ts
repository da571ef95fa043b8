import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cents } from '../../../test/support/cents.ts';
import { type Desk, dataOf, openDesk } from '../../../test/support/desk.ts';
import { codeOf, type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { PAYMENT_DATES, servicedDeal, soldTrades } from '../../../test/support/servicing.ts';
import { applyDueRemittances } from '../remittances/apply-remittances.ts';
import { verifyLedger } from '../trades/ledger-queries.ts';

type Paid = {
  payment_id: string;
  holder: string;
  organization_id?: string;
  tranche: string;
  period: number;
  payment_date: string;
  record_date: string;
  face: number;
  interest: number;
  principal: number;
  writedown: number;
  accreted: number;
  factor_before: number;
  factor_after: number;
  restates: string | null;
};

const apply = (gateway: Gateway): Promise<number> => applyDueRemittances(gateway.deps.db);
const ledger = (gateway: Gateway) => gateway.deps.db.tx({ platform: true }, verifyLedger);
const figures = ({ tranche, face, interest, principal, writedown, factor_before, factor_after }: Paid) => ({
  tranche,
  face,
  interest,
  principal,
  writedown,
  factor_before,
  factor_after,
});

async function paymentsOf(desk: Desk, dealId: string): Promise<Paid[]> {
  return dataOf(await desk.operate('GET', `payments?limit=100&deal_id=${dealId}`)) as Paid[];
}

/** Cash of an organization in the ledger, of payments alone. */
async function cashOf({ deps }: Gateway, { organization_id }: Holder): Promise<number> {
  const row = await deps.db.tx({ platform: true }, (tx) =>
    tx.one<{ cash: number }>(
      `select coalesce(sum(amount), 0)::float8 as cash from ledger_entries
       where organization_id = $1 and account = 'CASH' and payment_id is not null and party = 'HOLDER'`,
      [organization_id],
    ),
  );
  return row?.cash ?? 0;
}

test('holders of record are paid, and the owner what nobody else holds', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const [early, late, stranger] = [await desk.investor(), await desk.investor(), await desk.investor()];
  const deal = await servicedDeal(desk);
  const [earlyTrade = '', earlyB = '', lateTrade = ''] = await soldTrades(desk, deal, [
    [early, 100_000],
    [early, 50_000, 1],
    [late, 33_000],
  ]);
  // The record date of a payment on Friday, 2027-01-15, ends at midnight of New York.
  await gateway.setClock('2027-01-15T04:59:00Z');
  for (const trade of [earlyTrade, earlyB]) dataOf(await desk.decide(trade, 'settle'));
  const { remittance_id } = dataOf(await deal.send(deal.report({ principal: 20_000, loss: 4_000, writedown: 1_000 })));
  await gateway.setClock('2027-01-15T05:00:00Z');
  const settled = dataOf(await desk.decide(lateTrade, 'settle'));
  assert.equal(await apply(gateway), 1);
  const [factorA, factorB] = [Number(((deal.a - 20_000) / deal.a).toFixed(8)), Number(((deal.b - 1_000) / deal.b).toFixed(8))];

  await t.test('each gets its share, to the cent of the tranche', async () => {
    const paid = await paymentsOf(desk, deal.deal_id);
    const [a = 0, b = 0] = deal.report({ principal: 20_000 }).tranches.map((each) => each.interest_paid);
    for (const [tranche, face, interest, principal, writedown] of [
      ['A-1', deal.a, a, 20_000, 0],
      ['B', deal.b, b, 0, 1_000],
      ['R', 0, 0, 0, 0],
    ] as const) {
      const rows = paid.filter((each) => each.tranche === tranche);
      const total = (of: (row: Paid) => number) => rows.reduce((sum, row) => sum + cents(of(row)), 0);
      assert.deepEqual(
        [total((row) => row.face), total((row) => row.interest), total((row) => row.principal), total((row) => row.writedown)],
        [cents(face), cents(interest), cents(principal), cents(writedown)],
        tranche,
      );
    }
    const own = dataOf(await desk.get('portfolio/payments', early)) as Paid[];
    assert.deepEqual(
      own.map(figures).sort((one, other) => (one.tranche < other.tranche ? -1 : 1)),
      [
        {
          tranche: 'A-1',
          face: 100_000,
          interest: Math.round((a * 100 * 100_000) / deal.a) / 100,
          principal: Math.round((2_000_000 * 100_000) / deal.a) / 100,
          writedown: 0,
          factor_before: 1,
          factor_after: factorA,
        },
        {
          tranche: 'B',
          face: 50_000,
          interest: Math.round((b * 100 * 50_000) / deal.b) / 100,
          principal: 0,
          writedown: Math.round((100_000 * 50_000) / deal.b) / 100,
          factor_before: 1,
          factor_after: factorB,
        },
      ],
    );
    const [first] = own;
    assert.deepEqual(
      [first?.holder, first?.payment_date, first?.record_date, first?.period, first?.restates],
      ['OF_RECORD', PAYMENT_DATES[0], '2027-01-14', 1, null],
    );
  });

  await t.test('who settled after the record date is not paid: it bought ex, at the factor after the payment', async () => {
    assert.deepEqual(dataOf(await desk.get('portfolio/payments', late)), []);
    // Accepted on 2026-12-10 for the closing on 2026-12-15: interest from there to the payment on the 15th of January goes to the seller.
    const principal = Math.round(33_000 * factorA * 100) / 100;
    const interest = -Math.round(((principal * 5 * 30) / 36_000) * 100) / 100;
    assert.deepEqual(
      [settled.factor, settled.principal_amount, settled.accrued_interest, settled.net_amount],
      [factorA, principal, interest, Math.round((principal + interest) * 100) / 100],
    );
  });

  await t.test('the ledger is valid, and holders have in cash what their payments say', async () => {
    assert.deepEqual((await ledger(gateway)).problems, []);
    const paid = await paymentsOf(desk, deal.deal_id);
    for (const holder of [early, late, desk.seller]) {
      const rows = paid.filter((row) => row.organization_id === holder.organization_id);
      const total = rows.reduce((sum, row) => sum + cents(row.interest) + cents(row.principal), 0);
      assert.equal(cents(await cashOf(gateway, holder)), total);
    }
  });

  await t.test('a position is its share of the balance of the tranche', async () => {
    const positions = await desk.read('portfolio/positions', early);
    for (const { face, factor, current_balance } of positions)
      assert.ok(Math.abs(face * factor - current_balance) <= 0.005 + 1e-9, `${face} × ${factor} is ${current_balance}`);
  });

  await t.test('each holder is told once of all that it was paid, with its alert', async () => {
    const told = async (as: Holder) => dataOf(await desk.send('GET', '/v1/api/events?type=payment.made', as));
    const [event, ...more] = await told(early);
    assert.equal(more.length, 0);
    assert.deepEqual([event.data.deal_id, event.data.period, event.data.payment_date], [deal.deal_id, 1, PAYMENT_DATES[0]]);
    assert.deepEqual(event.data.payments.map((each: Paid) => each.tranche).sort(), ['A-1', 'B']);
    const sum = event.data.payments.reduce((total: number, each: Paid) => total + cents(each.interest), 0);
    assert.equal(cents(event.data.interest), sum);
    assert.equal(dataOf(await desk.send('GET', '/v1/api/alerts?type=payment.made', early)).length, 1);
    assert.equal((await told(desk.seller)).length, 1, 'the owner, for the face that it retains');
    for (const as of [late, stranger]) assert.deepEqual(await told(as), []);
  });

  await t.test('an investor reads its own payments, the owner what it retains, the operator all, by date and deal', async () => {
    const retained = dataOf(await desk.send('GET', '/v1/api/originator/payments', desk.seller)) as Paid[];
    assert.deepEqual([...new Set(retained.map((each) => each.holder))], ['RETAINED']);
    assert.deepEqual(retained.map((each) => each.tranche).sort(), ['A-1', 'B', 'R']);
    assert.equal(retained.find((each) => each.tranche === 'A-1')?.face, deal.a - 100_000);
    assert.deepEqual(dataOf(await desk.get('portfolio/payments', stranger)), []);
    const count = async (query: string) => dataOf(await desk.get(`portfolio/payments?${query}`, early)).length;
    assert.equal(await count(`from=${PAYMENT_DATES[0]}&to=${PAYMENT_DATES[0]}`), 2);
    assert.equal(await count('from=2027-01-16'), 0);
    assert.equal(await count('to=2027-01-14'), 0);
    assert.equal(await count(`deal_id=${deal.deal_id}&limit=1`), 1);
    assert.equal(await count('deal_id=deal_other'), 0);
    assert.deepEqual(codeOf(await desk.get('portfolio/payments?from=2027-02-01&to=2027-01-01', early)), [422, 'RANGE_REVERSED']);
    assert.deepEqual(codeOf(await desk.get('portfolio/payments', desk.seller)), [403, 'ROLE_FORBIDDEN']);
    assert.equal((await paymentsOf(desk, deal.deal_id)).length, 5);
  });

  await t.test('a payment is never changed or removed, and not booked twice', async () => {
    for (const sql of [
      `delete from payments`,
      `update payments set interest = 0`,
      `insert into payments select 'pay_x', organization_id, holder, deal_id, tranche_id, remittance_id, version, period, payment_date, record_date,
         face, interest, principal, writedown, accreted, factor_before, factor_after, restates, created_at from payments where remittance_id = '${remittance_id}' limit 1`,
    ])
      await assert.rejects(gateway.deps.db.tx({ platform: true }, (tx) => tx.exec(sql)));
  });
});

test('a trade that settles after the record date is booked ex of a payment that is still ahead', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const buyer = await desk.investor();
  const deal = await servicedDeal(desk);
  await gateway.setClock('2027-02-11T15:00:00Z');
  dataOf(await deal.send(deal.report({ principal: 20_000 })));
  const [trade = ''] = await soldTrades(desk, deal, [[buyer, 100_000]]);
  dataOf(await deal.send(deal.report({ principal: 20_000 }, { principal: 10_000 })));
  // The payment is on Tuesday, 2027-02-16, after a holiday; its record date is Friday, the 12th. The trade settles on the Saturday.
  await gateway.setClock('2027-02-13T15:00:00Z');
  const settled = dataOf(await desk.decide(trade, 'settle'));
  const factor = Number(((deal.a - 30_000) / deal.a).toFixed(8));
  const principal = Math.round(100_000 * factor * 100) / 100;
  // From the settlement date, the 12th, to the scheduled payment on the 15th: 3 of 360 days.
  const interest = -Math.round(((principal * 5 * 3) / 36_000) * 100) / 100;
  assert.equal(settled.settlement_date, '2027-02-12');
  assert.deepEqual([settled.factor, settled.principal_amount, settled.accrued_interest], [factor, principal, interest]);
  await gateway.setClock('2027-02-16T15:00:00Z');
  assert.equal(await apply(gateway), 1);
  assert.deepEqual(dataOf(await desk.get('portfolio/payments', buyer)), []);
  const [position] = await desk.read('portfolio/positions', buyer);
  assert.equal(position.current_balance, principal);
  assert.deepEqual((await ledger(gateway)).problems, []);
});

test('interest that is added to a balance is in the payments, the notice and the history, for each holder', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const investor = await desk.investor();
  const deal = await servicedDeal(desk, desk.seller, (structure) => {
    const [a, b, ...others] = structure.tranches as object[];
    return { ...structure, tranches: [a, { ...b, interest: 'ACCRUE_UNTIL', accrue_until: ['A-1'] }, ...others] };
  });
  const [trade = ''] = await soldTrades(desk, deal, [[investor, 40_000, 1]]);
  dataOf(await desk.decide(trade, 'settle'));
  const report = deal.report({ principal: 10_000 });
  const added = report.tranches[1]?.interest_paid ?? 0;
  const tranches = report.tranches.map((each, place) =>
    place === 1 ? { ...each, interest_paid: 0, accreted: added, ending_balance: Math.round((deal.b + added) * 100) / 100 } : each,
  );
  await gateway.setClock(`${PAYMENT_DATES[0]}T15:00:00Z`);
  dataOf(await deal.send({ ...report, tranches }));
  const all = (await paymentsOf(desk, deal.deal_id)).filter(({ tranche }) => tranche === 'B');
  assert.equal(cents(all.reduce((sum, each) => sum + each.accreted, 0)), cents(added));
  const [own, ...none] = (dataOf(await desk.get('portfolio/payments', investor)) as Paid[]).filter(({ period }) => period === 1);
  assert.deepEqual(none, []);
  const share = Math.round((cents(added) * 40_000) / deal.b) / 100;
  assert.deepEqual([own?.interest, own?.principal, own?.accreted], [0, 0, share]);
  const [event] = dataOf(await desk.send('GET', '/v1/api/events?type=payment.made', investor));
  assert.deepEqual([event.data.accreted, event.data.payments[0].accreted], [share, share]);
  const [alert] = dataOf(await desk.send('GET', '/v1/api/alerts?type=payment.made', investor));
  assert.match(alert.message, new RegExp(`\\$${String(share).replace('.', '\\.')}0? of interest was added to the balance\\.$`));
  const { rows } = dataOf(await desk.get(`portfolio/history?from=${PAYMENT_DATES[0]}&to=${PAYMENT_DATES[0]}`, investor));
  assert.equal(rows[0].accreted, share);
  assert.deepEqual((await ledger(gateway)).problems, []);
});
