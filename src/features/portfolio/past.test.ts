import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type pg from 'pg';
import { cents } from '../../../test/support/cents.ts';
import fc from '../../../test/support/property.ts';
import { dataOf, type Desk, openDesk } from '../../../test/support/desk.ts';
import { codeOf, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { insertMark } from '../../../test/support/market.ts';
import { servicedDeal, soldTrades } from '../../../test/support/servicing.ts';
import { localDate } from '../../finance/business-date.ts';
import type { HistoryRow } from './history.ts';
import type { Position } from './queries.ts';
import type { Statement } from './statement.ts';

const MIGRATION = readFileSync(new URL('../../../db/migrations/0098_statements.sql', import.meta.url), 'utf8');

const statementOf = async (desk: Desk, as: Holder, month: string): Promise<Statement> =>
  dataOf(await desk.get(`portfolio/statement?month=${month}`, as)) as Statement;
const positionsAt = async (desk: Desk, as: Holder, date: string): Promise<Position[]> =>
  dataOf(await desk.get(`portfolio/positions?limit=100&as_of=${date}`, as)) as Position[];
const historyOf = async (desk: Desk, as: Holder, query: string): Promise<HistoryRow[]> =>
  dataOf(await desk.get(`portfolio/history?${query}`, as)).rows as HistoryRow[];

test('a book in the past', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const [investor, stranger] = [await desk.investor(), await desk.investor()];
  const deal = await servicedDeal(desk);
  const [first = '', second = '', other = ''] = await soldTrades(desk, deal, [
    [investor, 96_000],
    [investor, 48_000],
    [investor, 10_000, 1],
  ]);
  // A Monday; then the evening before midnight in New York on Saturday, 2027-01-30.
  await gateway.setClock('2026-12-21T15:00:00Z');
  dataOf(await desk.decide(first, 'settle'));
  await gateway.setClock('2027-01-15T15:00:00Z');
  dataOf(await deal.send(deal.report({ principal: 20_000 })));
  await gateway.setClock('2027-01-31T04:59:00Z');
  dataOf(await desk.decide(second, 'settle'));
  await gateway.setClock('2027-02-16T15:00:00Z');
  dataOf(await deal.send(deal.report({ principal: 20_000 }, { principal: 15_000, writedown: 1_000 })));
  dataOf(await desk.decide(other, 'settle'));

  await t.test('has the face, the factor and the cost of then', async () => {
    const at = async (date: string) =>
      (await positionsAt(desk, investor, date)).map(({ face, factor, current_balance, cost_basis, as_of }) => [
        face,
        factor,
        current_balance,
        cost_basis,
        as_of,
      ]);
    assert.deepEqual(await at('2026-12-20'), []);
    assert.deepEqual(await at('2026-12-21'), [[96_000, 1, 96_000, 96_000, '2026-12-10']]);
    assert.deepEqual(await at('2027-01-14'), [[96_000, 1, 96_000, 96_000, '2026-12-10']]);
    assert.deepEqual(await at('2027-01-29'), [[96_000, 0.97395833, 93_500, 93_500, '2026-12-10']]);
    const [saturday] = await at('2027-01-30');
    assert.deepEqual(saturday?.slice(0, 3), [144_000, 0.97395833, 140_250]);
  });

  await t.test('accrues interest up to the date, from the payment before it', async () => {
    const [december] = await positionsAt(desk, investor, '2026-12-31');
    const [january] = await positionsAt(desk, investor, '2027-01-29');
    // 30/360 at 5 %: 16 days of 96,000 from the closing date, and 14 of 93,500 from the payment on the 15th.
    assert.deepEqual([december?.accrued_interest, january?.accrued_interest], [213.33, 181.81]);
  });

  await t.test('is today’s list today, and a page of it a page', async () => {
    const today = '2027-02-16';
    const now = dataOf(await desk.get('portfolio/positions', investor)) as Position[];
    assert.equal(now.length, 2);
    assert.deepEqual(await positionsAt(desk, investor, today), now);
    const [first] = now;
    for (const date of ['', `as_of=${today}&`]) {
      const of = async (filter: string) => dataOf(await desk.get(`portfolio/positions?${date}${filter}`, investor));
      assert.deepEqual(
        await of(`deal_id=${first?.deal_id}`),
        now.filter(({ deal_id }) => deal_id === first?.deal_id),
      );
      assert.deepEqual(await of(`tranche_id=${first?.tranche_id}`), [first]);
    }
    for (const list of ['trades', 'portfolio/payments']) {
      const all: { tranche_id: string }[] = dataOf(await desk.get(`${list}?limit=100`, investor));
      for (const { tranche_id } of now)
        assert.deepEqual(
          dataOf(await desk.get(`${list}?limit=100&tranche_id=${tranche_id}`, investor)),
          all.filter((each) => each.tranche_id === tranche_id),
        );
      assert.ok(all.length > 0, list);
    }
    const page = await desk.get(`portfolio/positions?as_of=${today}&limit=1&page=2`, investor);
    assert.deepEqual([page.body.data, page.body.pagination.total], [[now[1]], 2]);
    const next = (await desk.get(`portfolio/positions?as_of=${today}&limit=1`, investor)).body.pagination.next_cursor;
    assert.deepEqual(dataOf(await desk.get(`portfolio/positions?as_of=${today}&limit=1&cursor=${next}`, investor)), [now[1]]);
  });

  await t.test('has a row for each business date, with what was booked on days off in the next', async () => {
    const rows = await historyOf(desk, investor, 'from=2027-01-28&to=2027-02-02');
    assert.deepEqual(
      rows.map(({ date, face, balance, interest, principal }) => [date, face, balance, interest, principal]),
      [
        ['2027-01-28', 96_000, 93_500, 400, 2_500],
        ['2027-01-29', 96_000, 93_500, 400, 2_500],
        ['2027-02-01', 144_000, 140_250, 400, 2_500],
        ['2027-02-02', 144_000, 140_250, 400, 2_500],
      ],
    );
    const all = await historyOf(desk, investor, '');
    assert.deepEqual([all[0]?.date, all.at(-1)?.date], ['2026-12-21', '2027-02-16']);
    assert.deepEqual([all.at(-1)?.face, all.at(-1)?.market_value, all.at(-1)?.without_mark], [154_000, null, 2]);
  });

  await t.test('is the investor’s own, and of days that have begun', async () => {
    assert.deepEqual(await positionsAt(desk, stranger, '2027-02-01'), []);
    assert.deepEqual(dataOf(await desk.get('portfolio/history', stranger)), {
      zone: 'America/New_York',
      from: null,
      to: '2027-02-16',
      rows: [],
    });
    for (const path of [
      'positions?as_of=2027-02-17',
      'history?to=2027-02-17',
      'history?from=1990-01-01',
      'history?from=2027-02-17',
    ])
      assert.deepEqual(codeOf(await desk.get(`portfolio/${path}`, investor)), [422, 'UNPROCESSABLE'], path);
    const wrong = await desk.get('portfolio/history?from=2027-02-01&to=2027-01-31', investor);
    assert.deepEqual(codeOf(wrong), [422, 'RANGE_REVERSED']);
    assert.match(String(wrong.body.message), /2027-02-01 is after 2027-01-31/);
    const ahead = await desk.get('portfolio/history?from=2027-02-18&to=2027-02-17', investor);
    assert.deepEqual(codeOf(ahead), [422, 'RANGE_REVERSED']);
    for (const path of ['positions?as_of=2027-02-30', 'history?from=yesterday'])
      assert.equal((await desk.get(`portfolio/${path}`, investor)).status, 400, path);
    for (const path of ['positions?as_of=2027-02-01', 'history'])
      assert.deepEqual(codeOf(await desk.get(`portfolio/${path}`, desk.seller)), [403, 'ROLE_FORBIDDEN'], path);
  });
});

test('a database from before has the factors that its payments and reports say, and the marks as they were published last', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const investor = await desk.investor();
  const deal = await servicedDeal(desk);
  for (const trade of await soldTrades(desk, deal, [[investor, 96_000]])) dataOf(await desk.decide(trade, 'settle'));
  await gateway.setClock('2027-01-15T15:00:00Z');
  const { remittance_id } = dataOf(await deal.send(deal.report({ principal: 20_000 })));
  await insertMark(gateway, deal.tranches[0] as string, { price: 99 });
  await gateway.setClock('2027-01-20T15:00:00Z');
  dataOf(await deal.restate(remittance_id, deal.report({ principal: 15_000 })));
  await gateway.setClock('2027-02-16T15:00:00Z');
  dataOf(await deal.send(deal.report({ principal: 15_000 }, { principal: 5_000, writedown: 500 })));
  const owner = await gateway.owner();
  try {
    await owner.query(`select set_config('sluice.scope', 'platform', false)`);
    const kept = async () => [
      (
        await owner.query(
          `select tranche_id, factor, date_trunc('milliseconds', set_at) as at, lag(factor) over (partition by tranche_id order by set_at, entry_id) as before
           from tranche_factors order by tranche_id, set_at, entry_id`,
        )
      ).rows
        .filter((row) => row.factor !== row.before)
        .map(({ tranche_id, factor, at, before }) => [tranche_id, factor, before === null ? null : at]),
      (await owner.query('select tranche_id, calculation_id, price, published_at from mark_publications order by 1, 2')).rows,
    ];
    const [factors, marks] = await kept();
    assert.equal(factors?.filter(([id]) => id === deal.tranches[0]).length, 4);
    await owner.query(
      `drop table tranche_factors, mark_publications, statements; drop index trades_settled, payments_booked;
       drop function sluice_keep_factor, sluice_keep_publication cascade`,
    );
    await owner.query(MIGRATION);
    assert.deepEqual(await kept(), [factors, marks]);
    const latest = `select 1 from tranches t where (factor, accrued_from, coupon) is distinct from
      (select (f.factor, f.accrued_from, f.coupon) from tranche_factors f where f.tranche_id = t.tranche_id order by set_at desc, entry_id desc limit 1)`;
    assert.equal((await owner.query(latest)).rowCount, 0, 'the latest is the present one');
    // Reports from before payments were booked have their balances.
    await owner.query(
      `drop table tranche_factors, mark_publications, statements; drop index trades_settled, payments_booked;
       drop function sluice_keep_factor, sluice_keep_publication cascade; alter table payments disable trigger user;
       alter table ledger_entries disable trigger user; delete from ledger_entries where payment_id is not null; delete from payments`,
    );
    await owner.query(MIGRATION);
    const [older] = await kept();
    assert.equal(older?.filter(([id]) => id === deal.tranches[0]).at(-1)?.[1], '0.97395833');
  } finally {
    await owner.end();
  }
});

test('interest of a past date is that of the coupon of then', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const investor = await desk.investor();
  const deal = await servicedDeal(desk);
  for (const trade of await soldTrades(desk, deal, [[investor, 96_000]])) dataOf(await desk.decide(trade, 'settle'));
  await gateway.setClock('2027-01-10T15:00:00Z');
  await gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.exec('update tranches set coupon = 8 where tranche_id = $1', [deal.tranches[0]]),
  );
  await gateway.setClock('2027-01-12T15:00:00Z');
  const accrued = async (path: string) => dataOf(await desk.get(`portfolio/positions${path}`, investor))[0].accrued_interest;
  // 30/360 from 2026-12-15: 20 days at 5 %, 25 and 27 at 8 %.
  assert.deepEqual(
    [await accrued('?as_of=2027-01-05'), await accrued('?as_of=2027-01-10'), await accrued('')],
    [266.67, 533.33, 576],
  );
});

type Booking =
  | { kind: 'TRADE'; tranche: number; minute: number; face: number; factor: number }
  | { kind: 'PAYMENT'; tranche: number; minute: number; interest: number; principal: number; factor: number }
  | { kind: 'MARK'; tranche: number; minute: number; price: number };

/** The first minute of 2027 in New York, whose clocks change in March. */
const BEGIN = Date.parse('2027-01-01T05:00:00Z');
const MINUTES = 150 * 24 * 60;
const MONTHS = ['2027-01', '2027-02', '2027-03', '2027-04', '2027-05'];
const place = { tranche: fc.integer({ min: 0, max: 2 }), minute: fc.integer({ min: 0, max: MINUTES }) };
const factor = fc.integer({ min: 0, max: 100_000_000 }).map((each) => each / 1e8);
const amount = fc.integer({ min: -1_000_000, max: 10_000_000 }).map((each) => each / 100);
const booking: fc.Arbitrary<Booking> = fc.oneof(
  fc.record({
    kind: fc.constant('TRADE' as const),
    ...place,
    face: fc.integer({ min: 1, max: 1e10 }).map((each) => each / 100),
    factor,
  }),
  fc.record({ kind: fc.constant('PAYMENT' as const), ...place, interest: amount, principal: amount, factor }),
  fc.record({ kind: fc.constant('MARK' as const), ...place, price: fc.integer({ min: 1, max: 2e8 }).map((each) => each / 1e6) }),
);

test('any book: a month opens with what the month before closed with, and figures of all views agree', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await desk.list({ tranches: [{}, {}, {}] });
  const owner = await gateway.owner();
  await gateway.setClock('2027-06-15T15:00:00Z');
  let runs = 0;
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(booking, { minLength: 1, maxLength: 14 }), fc.boolean(), async (bookings, lastFirst) => {
        const investor = await desk.investor();
        runs += 1;
        await replaceBookings(
          owner,
          { deal_id: deal.deal_id, tranches: deal.tranches, seller: desk.seller },
          investor,
          bookings,
          runs,
        );
        const months = lastFirst ? MONTHS.toReversed() : MONTHS;
        const read = new Map<string, Statement>();
        for (const month of months) read.set(month, await statementOf(desk, investor, month));
        const all = MONTHS.map((month) => read.get(month) as Statement);
        const held = new Set(bookings.flatMap((each) => (each.kind === 'TRADE' ? [each.tranche] : [])));
        for (const [index, { totals, to, positions }] of all.entries()) {
          const before = all[index - 1]?.totals;
          assert.deepEqual(
            [totals.opening_face, totals.opening_balance],
            [before?.closing_face ?? 0, before?.closing_balance ?? 0],
            `opening of ${to}`,
          );
          for (const each of positions) {
            const changes = cents(each.bought_balance) + cents(each.accreted) - cents(each.principal) - cents(each.writedown);
            assert.equal(cents(each.opening_balance) + changes + cents(each.other_change), cents(each.closing_balance));
            assert.equal(cents(each.opening_face) + cents(each.bought_face), cents(each.closing_face));
          }
          const past = await positionsAt(desk, investor, to);
          const sum = (of: (each: Position) => number): number => past.reduce((total, each) => total + cents(of(each)), 0);
          assert.equal(
            sum((each) => each.face),
            cents(totals.closing_face),
            to,
          );
          assert.equal(
            sum((each) => each.current_balance),
            cents(totals.closing_balance),
            to,
          );
          // A position without a mark stands in the list of positions at 100.
          const valued = cents(totals.market_value ?? 0) + cents(totals.balance_without_mark);
          assert.equal(
            sum((each) => each.market_value),
            valued,
            to,
          );
        }
        const rows = await historyOf(desk, investor, 'to=2027-06-15');
        for (const { to, totals } of all) {
          const row = rows.find((each) => each.date === to);
          if (!row) continue;
          assert.deepEqual(
            [row.face, row.balance, row.market_value, row.without_mark],
            [totals.closing_face, totals.closing_balance, totals.market_value, totals.without_mark],
            to,
          );
        }
        if (held.size === 0) return;
        const paid = bookings.flatMap((each) => (each.kind === 'PAYMENT' && held.has(each.tranche) ? [each] : []));
        const total = (of: (each: Statement) => number): number => all.reduce((sum, each) => sum + cents(of(each)), 0);
        assert.equal(
          total((each) => each.totals.interest),
          paid.reduce((sum, each) => sum + cents(each.interest), 0),
        );
        assert.equal(rows.at(-1)?.principal, paid.reduce((sum, each) => sum + cents(each.principal), 0) / 100);
        assert.equal(
          total((each) => each.totals.bought_face),
          cents(all.at(-1)?.totals.closing_face ?? 0),
        );
      }),
      { numRuns: 25 },
    );
  } finally {
    await owner.end();
  }
});

type Subject = { deal_id: string; tranches: string[]; seller: Holder };

/** Makes these the bookings of a holder, and the factors and marks of the tranches: the rows alone, without the orders and reports that lead to them. */
async function replaceBookings(
  owner: pg.Client,
  { deal_id, tranches, seller }: Subject,
  { organization_id }: Holder,
  bookings: readonly Booking[],
  run: number,
): Promise<void> {
  await owner.query('begin');
  // Neither keys to other rows nor triggers are looked at.
  await owner.query(
    `select set_config('sluice.scope', 'platform', true), set_config('session_replication_role', 'replica', true)`,
  );
  await owner.query('delete from tranche_factors');
  await owner.query('delete from mark_publications');
  const instant = (minute: number): Date => new Date(BEGIN + minute * 60_000);
  const setFactor = (tranche: number, value: number, at: Date) =>
    owner.query(
      `insert into tranche_factors (tranche_id, organization_id, factor, accrued_from, set_at) values ($1, $2, $3, '2026-12-15', $4)`,
      [tranches[tranche], seller.organization_id, value, at],
    );
  for (const index of tranches.keys()) await setFactor(index, 1, new Date(0));
  const first = new Map<number, Date>();
  // Nobody is paid before it holds something.
  const sold = (tranche: number): number =>
    Math.min(...bookings.flatMap((each) => (each.kind === 'TRADE' && each.tranche === tranche ? [each.minute] : [])), Infinity);
  for (const [index, each] of bookings.entries()) {
    const trancheId = tranches[each.tranche];
    const minute =
      each.kind === 'PAYMENT' && sold(each.tranche) !== Infinity ? Math.max(each.minute, sold(each.tranche)) : each.minute;
    const at = instant(minute);
    if (each.kind === 'MARK')
      await owner.query(
        `insert into mark_publications (tranche_id, calculation_id, organization_id, price, as_of, published_at) values ($1, $2, $3, $4, $5, $6)
         on conflict (tranche_id, published_at, calculation_id) do nothing`,
        [
          trancheId,
          `calc_${index}`,
          seller.organization_id,
          each.price,
          localDate(at, 'America/New_York'),
          new Date(at.getTime() + index),
        ],
      );
    if (each.kind === 'TRADE') {
      const known = first.get(each.tranche);
      first.set(each.tranche, known && known < at ? known : at);
      await owner.query(
        `insert into trades (trade_id, organization_id, deal_id, tranche_id, allocation_id, face, factor, price, principal_amount, accrued_interest,
           net_amount, trade_date, settlement_date, status, settled_at, created_at, updated_at)
         values ($1, $2, $3, $4, $1, $5, $6, 100, round($5::numeric * $6::numeric, 2), 0, 0, '2027-01-01', '2027-01-01', 'SETTLED', $7, $7, $7)`,
        [`trd_${run}_${index}`, organization_id, deal_id, trancheId, each.face, each.factor, at],
      );
    }
    if (each.kind === 'PAYMENT' && sold(each.tranche) !== Infinity) {
      await owner.query(
        `insert into payments (payment_id, organization_id, holder, deal_id, tranche_id, remittance_id, version, period, payment_date, record_date, face,
           interest, principal, writedown, accreted, factor_before, factor_after, created_at)
         values ($1, $2, 'OF_RECORD', $3, $4, $1, 1, 1, '2027-01-15', '2027-01-14', 1, $5, $6, 0, 0, 1, $7, $8)`,
        [`pay_${run}_${index}`, organization_id, deal_id, trancheId, each.interest, each.principal, each.factor, at],
      );
      await setFactor(each.tranche, each.factor, at);
    }
  }
  for (const [tranche, at] of first)
    await owner.query(
      `insert into positions (position_id, organization_id, deal_id, tranche_id, face, paid, trade_date, created_at)
       select $1, $2, $3, $4, sum(face), 0, '2027-01-01', $5 from trades where organization_id = $2 and tranche_id = $4`,
      [`pos_${run}_${tranche}`, organization_id, deal_id, tranches[tranche], at],
    );
  await owner.query('commit');
}
