import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused, changesOf, dataOf, heldOpen, openDesk, waitingForLock } from '../../../test/support/desk.ts';
import { type Holder, startGateway, codeOf } from '../../../test/support/gateway.ts';
import { insertMark, type TrancheInput } from '../../../test/support/market.ts';
import { asId } from '../../platform/ids.ts';
import { settleTrade } from './settle-trade.ts';

const ACTS = ['settle', 'fail', 'retry', 'cancel'] as const;

test('settlement', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  /** A trade of 1,000,000 face of an investor of its own, closing on 2031-03-14 (a Friday). */
  const pending = async (tranche: TrancheInput = {}, terms: { limit_yield?: number } = {}) => {
    const deal = await desk.list({ closing_date: '2031-03-14', tranches: [{ dated_date: '2031-03-01', ...tranche }] });
    const investor = await desk.investor();
    dataOf(await desk.order(deal, investor, { amount: 1_000_000, ...terms }));
    dataOf(await desk.allocate(deal));
    const [allocation] = await desk.allocations(deal, investor);
    const id = await desk.trade(allocation?.allocation_id ?? '', investor);
    return { deal, investor, id, allocation, read: () => desk.read(`trades/${id}`, investor) };
  };
  const eventsOf = async (as: Holder, tradeId: string): Promise<{ event: string; data: Record<string, unknown> }[]> => {
    const rows = dataOf(await desk.send('GET', '/v1/api/events?limit=100', as));
    return rows.filter((row: { data: { trade_id?: string } }) => row.data.trade_id === tradeId);
  };

  await t.test('interest accrues by the day count from the dated date to the settlement date, on current face', async () => {
    // From 2031-03-01 to 2031-03-14 are 13 days; from 2031-02-15, the last payment, 27 days of ACT and 29 of 30/360.
    const cases: [string, TrancheInput, number, number, number][] = [
      ['30/360', { coupon: 6 }, 1, 1_000_000, 2_166.67],
      ['ACT/360', { coupon: 6, day_count: 'ACT/360' }, 1, 1_000_000, 2_166.67],
      ['ACT/365', { coupon: 6, day_count: 'ACT/365' }, 1, 1_000_000, 2_136.99],
      ['after a payment', { coupon: 6, dated_date: '2031-01-15', accrued_from: '2031-02-15' }, 1, 1_000_000, 4_833.33],
      [
        'ACT after a payment',
        { coupon: 6, day_count: 'ACT/360', dated_date: '2031-01-15', accrued_from: '2031-02-15' },
        1,
        1_000_000,
        4_500,
      ],
      ['a factor', { coupon: 6, balance: 10_000_000, current: 2_500_000 }, 0.25, 250_000, 541.67],
      ['no coupon', { coupon: null }, 1, 1_000_000, 0],
      ['dated on the closing', { coupon: 6, dated_date: '2031-03-14' }, 1, 1_000_000, 0],
    ];
    for (const [name, tranche, factor, principal, accrued] of cases) {
      const row = await (await pending(tranche)).read();
      assert.equal(row.settlement_date, '2031-03-14', name);
      assert.deepEqual([row.factor, row.principal_amount, row.accrued_interest], [factor, principal, accrued], name);
      assert.equal(row.net_amount, Math.round((principal + accrued) * 100) / 100, name);
    }
  });

  await t.test('a month from the end of February to the next payment has 30 days where the deal pays at month-ends', async () => {
    const accrued = async (payment: object) => {
      const dates = { dated_date: '2031-01-31', accrued_from: '2031-02-28' };
      const deal = await desk.list({ closing_date: '2031-03-31', tranches: [{ coupon: 6, ...dates }] });
      const structure = JSON.stringify({ tranches: [], waterfall: [], payment });
      await gateway.deps.db.tx({ platform: true }, (tx) =>
        tx.exec('update pools set structure = $2 where pool_id = $1', [deal.pool_id, structure]),
      );
      const investor = await desk.investor();
      dataOf(await desk.order(deal, investor, { amount: 1_000_000 }));
      dataOf(await desk.allocate(deal));
      const [allocation] = await desk.allocations(deal, investor);
      const trade = await desk.read(`trades/${await desk.trade(allocation?.allocation_id ?? '', investor)}`, investor);
      return [trade.settlement_date, trade.accrued_interest];
    };
    assert.deepEqual(await accrued({ payment_day: 31 }), ['2031-03-31', 5_000]);
    assert.deepEqual(await accrued({ first_payment_date: '2031-01-31' }), ['2031-03-31', 5_000]);
    assert.deepEqual(await accrued({ payment_day: 28, first_payment_date: '2031-01-31' }), ['2031-03-31', 5_500]);
  });

  await t.test('a closing that has passed is settled on the business day after the trade', async () => {
    const deal = await desk.list({ closing_date: '2020-01-02', tranches: [{ dated_date: '2019-12-15' }] });
    const investor = await desk.investor();
    dataOf(await desk.order(deal, investor, { amount: 1_000 }));
    dataOf(await desk.allocate(deal));
    const [allocation] = await desk.allocations(deal, investor);
    const row = await desk.read(`trades/${await desk.trade(allocation?.allocation_id ?? '', investor)}`, investor);
    const days = (Date.parse(row.settlement_date) - Date.parse(row.trade_date)) / 86_400_000;
    const weekday = new Date(row.settlement_date).getUTCDay();
    assert.ok(days >= 1 && days <= 4 && weekday !== 0 && weekday !== 6, `${row.trade_date} → ${row.settlement_date}`);
  });

  await t.test('the trade keeps the yield of its allocation, and its price when a later mark is published', async () => {
    const { deal, read } = await pending({ coupon: 5, offered_yield: 5.75 });
    const before = await read();
    // At par it yields its coupon, whatever it was offered at.
    assert.deepEqual([before.yield, before.price], [5, 100]);
    await insertMark(gateway, deal.tranches[0] as string, { price: 90, yield: 9, duration: 3 });
    assert.deepEqual(await read(), before);
  });

  await t.test('settling books the trade, tells both sides and is audited, in one act', async () => {
    const { deal, investor, id, read } = await pending({ coupon: 6 });
    const { result, changed } = await changesOf(gateway, () => desk.decide(id, 'settle'));
    assert.equal(dataOf(result).status, 'SETTLED');
    assert.deepEqual(changed, ['alerts', 'audit_log', 'events', 'ledger_entries', 'positions', 'trades']);
    const { settled_at, ...row } = await read();
    assert.equal(typeof settled_at, 'string');
    const data = {
      trade_id: id,
      deal_id: deal.deal_id,
      tranche_id: deal.tranches[0],
      face: 1_000_000,
      net_amount: 1_002_166.67,
      settlement_date: '2031-03-14',
      settled_at,
    };
    for (const side of [investor, desk.seller]) {
      const [event, ...more] = await eventsOf(side, id);
      assert.deepEqual([event?.event, event?.data, more], ['trade.settled', data, []]);
      const alerts = dataOf(await desk.send('GET', '/v1/api/alerts?type=trade.settled', side));
      const [alert] = alerts.filter((each: { entity_id: string }) => each.entity_id === id);
      assert.deepEqual([alert.category, alert.priority, alert.entity_type], ['trade', 'MEDIUM', 'trade']);
      assert.match(alert.message, /Face of \$1,000,000 was delivered against \$1,002,166\.67, settlement date 2031-03-14/);
    }
    assert.equal(row.reason, null);
    const [entry, ...others] = await desk.audited(id);
    assert.deepEqual(
      [entry?.action, entry?.actor, entry?.organization_id, entry?.before, entry?.after, others],
      [
        'trade.settled',
        desk.operator.key_id,
        investor.organization_id,
        { status: 'PENDING_SETTLEMENT' },
        { status: 'SETTLED' },
        [],
      ],
    );
  });

  await t.test('the seller is not told who bought', async () => {
    const { investor, id } = await pending();
    dataOf(await desk.decide(id, 'settle'));
    const told = JSON.stringify([
      await eventsOf(desk.seller, id),
      dataOf(await desk.send('GET', '/v1/api/alerts?limit=100', desk.seller)),
    ]);
    assert.match(told, new RegExp(id));
    assert.doesNotMatch(told, new RegExp(`${investor.organization_id}|Investor \\d`));
  });

  await t.test('each act is taken from the states that have it and refused from the others, with what is allowed', async () => {
    type Act = (typeof ACTS)[number];
    const states: [string, Act[], Partial<Record<Act, string>>, string[]][] = [
      ['PENDING_SETTLEMENT', [], { settle: 'SETTLED', fail: 'FAILED', cancel: 'CANCELLED' }, ['SETTLED', 'FAILED', 'CANCELLED']],
      [
        'FAILED',
        ['fail'],
        { settle: 'SETTLED', retry: 'PENDING_SETTLEMENT', cancel: 'CANCELLED' },
        ['PENDING_SETTLEMENT', 'CANCELLED'],
      ],
      ['SETTLED', ['settle'], {}, []],
      ['CANCELLED', ['cancel'], {}, []],
    ];
    for (const [status, before, allowed, moves] of states) {
      for (const act of ACTS) {
        const { id, read } = await pending();
        for (const each of before) dataOf(await desk.decide(id, each));
        const expected = allowed[act];
        if (expected) {
          assert.equal(dataOf(await desk.decide(id, act)).status, expected, `${act} of ${status}`);
          continue;
        }
        const refused = await assertRefused(gateway, () => desk.decide(id, act), [409, 'INVALID_TRANSITION']);
        assert.deepEqual([refused.body.current_status, refused.body.allowed], [status, moves], `${act} of ${status}`);
        assert.equal((await read()).status, status);
      }
    }
  });

  await t.test('what does not settle books nothing and tells nobody that it has settled', async () => {
    const { investor, id } = await pending();
    for (const act of ['fail', 'retry', 'fail', 'cancel'] as const) {
      const { changed } = await changesOf(gateway, () => desk.decide(id, act));
      assert.deepEqual(
        changed.filter((table) => table === 'ledger_entries' || table === 'positions'),
        [],
        act,
      );
    }
    for (const side of [investor, desk.seller]) {
      assert.deepEqual(
        (await eventsOf(side, id)).filter((row) => row.event === 'trade.settled'),
        [],
      );
    }
    assert.deepEqual(
      (await desk.audited(id)).map((entry) => [entry.action, entry.before?.status]),
      [
        ['trade.failed', 'PENDING_SETTLEMENT'],
        ['trade.pending_settlement', 'FAILED'],
        ['trade.failed', 'PENDING_SETTLEMENT'],
        ['trade.cancelled', 'FAILED'],
      ],
    );
  });

  await t.test('a failed trade that settles has been pending again, and the audit log says both', async () => {
    const { id } = await pending();
    dataOf(await desk.decide(id, 'fail', { reason: 'no cash' }));
    dataOf(await desk.decide(id, 'settle', { reason: 'cash came' }));
    assert.deepEqual(
      (await desk.audited(id)).map((entry) => [entry.action, entry.reason]),
      [
        ['trade.failed', 'no cash'],
        ['trade.pending_settlement', 'settlement retried'],
        ['trade.settled', 'cash came'],
      ],
    );
  });

  await t.test('the reason is the operator’s, or what happened', async () => {
    for (const [act, body, reason] of [
      ['fail', undefined, 'settlement failed'],
      ['fail', { reason: 'no cash' }, 'no cash'],
      ['cancel', undefined, 'cancelled by the operator'],
      ['cancel', { reason: 'broken deal' }, 'broken deal'],
      ['settle', undefined, null],
      ['settle', { reason: 'by hand' }, 'by hand'],
    ] as const) {
      const { id, read } = await pending();
      dataOf(await desk.decide(id, act, body));
      assert.equal((await read()).reason, reason, act);
    }
    const { id } = await pending();
    for (const reason of ['', 'x'.repeat(1_001), 5]) assert.equal((await desk.decide(id, 'fail', { reason })).status, 400);
  });

  await t.test('nobody decides about the own trade, whether bought or sold', async () => {
    const { investor, id, read } = await pending();
    for (const holder of [investor, desk.seller]) {
      const operator = await gateway.mixedKey(holder);
      for (const act of ACTS) {
        const decide = () => desk.send('POST', `/v1/operator/trades/${id}/${act}`, operator);
        await assertRefused(gateway, decide, [403, 'OWN_ORGANIZATION']);
      }
      assert.deepEqual(codeOf(await desk.send('POST', `/v1/operator/trades/${id}/settle`, holder)), [403, 'ROLE_FORBIDDEN']);
    }
    assert.equal((await read()).status, 'PENDING_SETTLEMENT');
    for (const act of ACTS) await assertRefused(gateway, () => desk.decide('trd_none', act), [404, 'NOT_FOUND']);
  });

  await t.test('settled and cancelled at once it is one of the two', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { id, investor, read } = await pending();
      const answers = await Promise.all([desk.decide(id, 'settle'), desk.decide(id, 'cancel'), desk.decide(id, 'settle')]);
      assert.equal(answers.filter((answer) => answer.status === 200).length, 1);
      const held = (await desk.get('portfolio/positions', investor)).body.pagination.total;
      assert.equal(held, (await read()).status === 'SETTLED' ? 1 : 0);
    }
  });

  await t.test('an act that waits for another finds the trade as that one left it', async () => {
    const { id, read } = await pending();
    const decider = { actor_id: desk.operator.key_id, organization_id: desk.operator.organization_id };
    const commit = await heldOpen(gateway, (tx) => settleTrade(tx, decider, { trade_id: asId('trd', id), reason: null }));
    const late = desk.decide(id, 'cancel');
    await waitingForLock(gateway);
    await commit();
    const refused = await late;
    assert.deepEqual([codeOf(refused), refused.body.current_status], [[409, 'INVALID_TRANSITION'], 'SETTLED']);
    assert.equal((await read()).status, 'SETTLED');
  });

  await t.test(
    'trades are listed newest first, by deal and status, the investor’s own or everybody’s for the operator',
    async () => {
      const one = await pending();
      const two = await desk.list();
      await gateway.advance(1);
      dataOf(await desk.order(two, one.investor, { amount: 1_000 }));
      dataOf(await desk.allocate(two));
      const second = await desk.trade((await desk.allocations(two, one.investor))[0]?.allocation_id ?? '', one.investor);
      dataOf(await desk.decide(second, 'fail'));
      const ids = async (query: string) =>
        (await desk.read(`trades${query}`, one.investor)).map((row: { trade_id: string }) => row.trade_id);
      assert.deepEqual(await ids(''), [second, one.id]);
      assert.deepEqual(await ids('?status=FAILED'), [second]);
      assert.deepEqual(await ids(`?deal_id=${one.deal.deal_id}`), [one.id]);
      assert.deepEqual(await ids('?status=SETTLED'), []);
      const [row] = dataOf(await desk.operate('GET', `trades?deal_id=${one.deal.deal_id}`));
      assert.deepEqual([row.trade_id, row.organization_id], [one.id, one.investor.organization_id]);
      const other = await desk.investor();
      const foreign = `trades?deal_id=${one.deal.deal_id}&organization_id=${other.organization_id}`;
      assert.deepEqual(dataOf(await desk.operate('GET', foreign)), []);
      assert.equal('organization_id' in (await desk.read('trades', one.investor))[0], false);
      assert.deepEqual(codeOf(await desk.get(`trades/${one.id}`, other)), [404, 'NOT_FOUND']);
    },
  );
});
