import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused, changesOf, dataOf, heldOpen, openDesk, waitingForLock } from '../../../test/support/desk.ts';
import { startGateway, codeOf } from '../../../test/support/gateway.ts';
import { insertPosition } from '../../../test/support/market.ts';
import { withdrawIoi } from './submit-ioi.ts';
import { newId } from '../../platform/ids.ts';

test('indications of interest', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);

  await t.test('an indication is submitted with its amount, and writes itself and its audit entry alone', async () => {
    const [deal, investor] = [await desk.list(), await desk.investor()];
    const { result, changed } = await changesOf(gateway, () => desk.indicate(deal, investor, 250_000.01));
    assert.equal(result.status, 201);
    const { ioi_id, status, deal_id, interest_amount } = result.body.data;
    assert.match(ioi_id, /^ioi_/);
    assert.deepEqual([status, deal_id, interest_amount], ['submitted', deal.deal_id, 250_000.01]);
    assert.deepEqual(changed, ['audit_log', 'iois']);
    assert.deepEqual(await desk.read(`iois/${ioi_id}`, investor), result.body.data);
    const [entry, ...more] = await desk.audited(ioi_id);
    assert.deepEqual(
      [entry?.action, entry?.organization_id, entry?.actor, entry?.after?.interest_amount, more.length],
      ['ioi.submitted', investor.organization_id, investor.key_id, 250_000.01, 0],
    );
  });

  await t.test('the interest may be the size of the offered tranches to the cent, and no cent above', async () => {
    const deal = await desk.list({
      tranches: [{ balance: 7_000_000 }, { balance: 500_000.5 }, { balance: 900_000, offered: false }],
    });
    const investor = await desk.investor();
    const above = await assertRefused(gateway, () => desk.indicate(deal, investor, 7_500_000.51), [422, 'UNPROCESSABLE']);
    assert.deepEqual([above.body.errors?.[0].field, above.body.errors?.[0].code], ['interest_amount', 'ABOVE_DEAL_SIZE']);
    const { ioi_id } = dataOf(await desk.indicate(deal, investor, 7_500_000.5));
    await assertRefused(gateway, () => desk.amendIoi(ioi_id, investor, 7_500_000.51), [422, 'UNPROCESSABLE']);
    assert.equal(dataOf(await desk.amendIoi(ioi_id, investor, 0.01)).interest_amount, 0.01);
  });

  await t.test('what is no amount is refused, on submission and on change', async () => {
    const [deal, investor] = [await desk.list(), await desk.investor()];
    const { ioi_id } = dataOf(await desk.indicate(deal, investor, 1_000));
    for (const amount of [0, -1, 0.001, 1e17, null, '1000', true, [1_000], {}, undefined]) {
      const other = await desk.list();
      assert.equal((await desk.indicate(other, investor, amount)).status, 400, `submitted ${String(amount)}`);
      assert.equal((await desk.amendIoi(ioi_id, investor, amount)).status, 400, `changed to ${String(amount)}`);
    }
    assert.equal((await desk.get('iois', investor)).body.pagination.total, 1);
    assert.equal((await desk.read(`iois/${ioi_id}`, investor)).interest_amount, 1_000);
  });

  await t.test('an investor has one live indication per deal; others, and other deals, are not in its way', async () => {
    const [deal, elsewhere] = [await desk.list(), await desk.list()];
    const [investor, neighbour] = [await desk.investor(), await desk.investor()];
    dataOf(await desk.indicate(deal, investor, 1_000));
    await assertRefused(gateway, () => desk.indicate(deal, investor, 2_000), [409, 'IOI_EXISTS']);
    await assertRefused(gateway, () => desk.indicate(deal, investor, 10_000_000_000), [409, 'IOI_EXISTS']);
    assert.equal((await desk.indicate(deal, neighbour, 1_000)).status, 201);
    assert.equal((await desk.indicate(elsewhere, investor, 1_000)).status, 201);
  });

  await t.test('of many sent at once one is made', async () => {
    const [deal, investor] = [await desk.list(), await desk.investor()];
    const answers = await Promise.all(Array.from({ length: 12 }, () => desk.indicate(deal, investor, 5_000)));
    assert.deepEqual(
      answers.map((answer) => codeOf(answer)).toSorted(),
      [[201, undefined], ...Array.from({ length: 11 }, () => [409, 'IOI_EXISTS'])].toSorted(),
    );
    assert.equal((await desk.get('iois', investor)).body.pagination.total, 1);
  });

  await t.test('50 at once under one key are one, which the answers name', async () => {
    const [deal, investor] = [await desk.list(), await desk.investor()];
    const path = `/v1/api/investor/deals/${deal.deal_id}/ioi`;
    const request = { as: investor, body: { interest_amount: 5_000 }, headers: { 'idempotency-key': 'ioi' } };
    const answers = await Promise.all(Array.from({ length: 50 }, () => gateway.call('POST', path, request)));
    assert.ok(answers.every((answer) => answer.status === 201 || answer.body.code === 'IDEMPOTENCY_IN_PROGRESS'));
    const [made, ...more] = await desk.read('iois', investor);
    assert.deepEqual(more, []);
    const named = answers.filter((answer) => answer.status === 201).map((answer) => answer.body.data.ioi_id);
    assert.deepEqual([...new Set(named)], [made.ioi_id]);
  });

  await t.test('after one has ended, withdrawn or converted, another may be submitted', async () => {
    const [deal, investor] = [await desk.list(), await desk.investor()];
    const first = dataOf(await desk.indicate(deal, investor, 1_000)).ioi_id;
    dataOf(await desk.withdrawIoi(first, investor));
    const second = dataOf(await desk.indicate(deal, investor, 2_000)).ioi_id;
    assert.notEqual(second, first);
    dataOf(await desk.subscribe(deal, investor, 3_000));
    assert.equal((await desk.indicate(deal, investor, 4_000)).status, 201);
    const statuses = (await desk.read('iois', investor)).map((ioi: { status: string }) => ioi.status);
    assert.deepEqual(statuses, ['submitted', 'converted', 'withdrawn']);
  });

  await t.test(
    'a change keeps everything but the amount and the time of change, and is audited with the new amount',
    async () => {
      const [deal, investor] = [await desk.list(), await desk.investor()];
      const before = dataOf(await desk.indicate(deal, investor, 1_000));
      await gateway.advance(60);
      const { result, changed } = await changesOf(gateway, () => desk.amendIoi(before.ioi_id, investor, 1_500));
      const { updated_at, ...after } = dataOf(result);
      const { updated_at: then, ...expected } = { ...before, interest_amount: 1_500 };
      assert.deepEqual(after, expected);
      assert.ok(updated_at > then);
      assert.deepEqual(changed, ['audit_log', 'iois']);
      const entries = await desk.audited(before.ioi_id);
      assert.deepEqual(
        entries.map((entry) => [entry.action, entry.after?.interest_amount]),
        [
          ['ioi.submitted', 1_000],
          ['ioi.amended', 1_500],
        ],
      );
    },
  );

  await t.test('one that has ended can be neither changed nor withdrawn; the refusal names its status and no moves', async () => {
    const ends: [string, (deal: Awaited<ReturnType<typeof desk.list>>, ioiId: string) => Promise<unknown>][] = [
      ['withdrawn', (_deal, ioiId) => desk.withdrawIoi(ioiId, investor).then(dataOf)],
      ['converted', (deal) => desk.subscribe(deal, investor, 1_000).then(dataOf)],
      // Closing the books expires it; while they stay closed, a change of it is refused for that.
      [
        'expired',
        (deal) =>
          desk
            .move(deal, 'close-books')
            .then(() => desk.move(deal, 'reopen-books'))
            .then(dataOf),
      ],
    ];
    const investor = await desk.investor();
    for (const [status, end] of ends) {
      const deal = await desk.list();
      const { ioi_id } = dataOf(await desk.indicate(deal, investor, 1_000));
      await end(deal, ioi_id);
      assert.equal((await desk.read(`iois/${ioi_id}`, investor)).status, status);
      for (const act of [() => desk.amendIoi(ioi_id, investor, 2_000), () => desk.withdrawIoi(ioi_id, investor)]) {
        const refused = await assertRefused(gateway, act, [409, 'INVALID_TRANSITION']);
        assert.deepEqual([refused.body.current_status, refused.body.allowed], [status, []]);
      }
    }
  });

  await t.test('two withdrawals at once end it once', async () => {
    const [deal, investor] = [await desk.list(), await desk.investor()];
    const { ioi_id } = dataOf(await desk.indicate(deal, investor, 1_000));
    const answers = await Promise.all([desk.withdrawIoi(ioi_id, investor), desk.withdrawIoi(ioi_id, investor)]);
    assert.deepEqual(answers.map((answer) => answer.status).toSorted(), [200, 409]);
    assert.equal((await desk.audited(ioi_id)).filter((entry) => entry.action === 'ioi.withdrawn').length, 1);
  });

  await t.test('a change that waits for a withdrawal finds the indication withdrawn', async () => {
    const [deal, investor] = [await desk.list(), await desk.investor()];
    const { ioi_id } = dataOf(await desk.indicate(deal, investor, 1_000));
    const commit = await heldOpen(gateway, (tx) => withdrawIoi(tx, investor, ioi_id));
    const late = desk.amendIoi(ioi_id, investor, 2_000);
    await waitingForLock(gateway);
    await commit();
    assert.deepEqual(codeOf(await late), [409, 'INVALID_TRANSITION']);
    assert.equal((await desk.read(`iois/${ioi_id}`, investor)).interest_amount, 1_000);
  });

  await t.test('outside MARKETING none is submitted, whichever of the other states the deal is in', async () => {
    const investor = await desk.investor();
    for (const market_status of ['BOOKS_CLOSED', 'ALLOCATED', 'CLOSED']) {
      const deal = await desk.list({ market_status });
      await assertRefused(gateway, () => desk.indicate(deal, investor, 1_000), [409, 'BOOKS_CLOSED']);
    }
    const withdrawn = await desk.list({ market_status: 'WITHDRAWN' });
    await assertRefused(gateway, () => desk.indicate(withdrawn, investor, 1_000), [404, 'NOT_FOUND']);
  });

  await t.test('a withdrawn deal that the investor holds is there for it, with its books closed', async () => {
    const [deal, holder] = [await desk.list({ market_status: 'WITHDRAWN' }), await desk.investor()];
    await insertPosition(gateway, holder, deal.tranches[0] as string, 1_000);
    await assertRefused(gateway, () => desk.indicate(deal, holder, 1_000), [409, 'BOOKS_CLOSED']);
  });

  await t.test('closing the books expires the live indications of every investor in that deal and in no other', async () => {
    const [deal, elsewhere] = [await desk.list(), await desk.list()];
    const investors = [await desk.investor(), await desk.investor(), await desk.investor()] as const;
    const ids = await Promise.all(investors.map(async (each) => dataOf(await desk.indicate(deal, each, 1_000)).ioi_id));
    const other = dataOf(await desk.indicate(elsewhere, investors[0], 1_000)).ioi_id;
    dataOf(await desk.withdrawIoi(ids[2] as string, investors[2]));
    await gateway.advance(60);
    dataOf(await desk.move(deal, 'close-books'));
    const rows = await Promise.all(investors.map((each, index) => desk.read(`iois/${ids[index]}`, each)));
    assert.deepEqual(
      rows.map((row) => [row.status, row.updated_at > row.created_at]),
      [
        ['expired', true],
        ['expired', true],
        ['withdrawn', true],
      ],
    );
    assert.equal((await desk.read(`iois/${other}`, investors[0])).status, 'submitted');
    dataOf(await desk.move(deal, 'reopen-books'));
    assert.equal((await desk.read(`iois/${ids[0]}`, investors[0])).status, 'expired', 'it does not come back');
    assert.equal((await desk.indicate(deal, investors[0], 1_000)).status, 201, 'a new one may');
  });

  await t.test('another organization reads, changes and withdraws nothing: as if it were not there', async () => {
    const [deal, investor, stranger] = [await desk.list(), await desk.investor(), await desk.investor()];
    const { ioi_id } = dataOf(await desk.indicate(deal, investor, 1_000));
    const acts = [
      (id: string) => desk.get(`iois/${id}`, stranger),
      (id: string) => desk.amendIoi(id, stranger, 2_000),
      (id: string) => desk.withdrawIoi(id, stranger),
    ];
    for (const act of acts) {
      const foreign = await assertRefused(gateway, () => act(ioi_id), [404, 'NOT_FOUND']);
      const absent = await assertRefused(gateway, () => act(newId('ioi')), [404, 'NOT_FOUND']);
      assert.equal(foreign.body.message, absent.body.message);
    }
    assert.equal((await desk.get('iois', stranger)).body.pagination.total, 0);
  });

  await t.test('an originator and an operator have no indications', async () => {
    const deal = await desk.list();
    for (const as of [desk.seller, desk.operator]) {
      assert.deepEqual(codeOf(await desk.indicate(deal, as, 1_000)), [403, 'ROLE_FORBIDDEN']);
      assert.deepEqual(codeOf(await desk.get('iois', as)), [403, 'ROLE_FORBIDDEN']);
    }
  });

  await t.test('the list is newest first, filtered by deal, status and time of creation, and pages', async () => {
    const investor = await desk.investor();
    const [one, two, three] = [await desk.list(), await desk.list(), await desk.list()];
    const made: { ioi_id: string; created_at: string }[] = [];
    for (const deal of [one, two, three]) {
      await gateway.advance(1);
      made.push(dataOf(await desk.indicate(deal, investor, 1_000)));
    }
    const [first, second, third] = made.map((each) => each.ioi_id);
    dataOf(await desk.withdrawIoi(second as string, investor));
    const listed = async (query: string) =>
      (await desk.read(`iois?${query}`, investor)).map((row: { ioi_id: string }) => row.ioi_id);
    const at = made[1]?.created_at;
    const cases: [string, (string | undefined)[]][] = [
      ['', [third, second, first]],
      [`deal_id=${two.deal_id}`, [second]],
      ['status=submitted', [third, first]],
      ['status=withdrawn', [second]],
      [`status=withdrawn&deal_id=${one.deal_id}`, []],
      [`from=${at}`, [third, second]],
      [`to=${at}`, [second, first]],
      [`from=${at}&to=${at}`, [second]],
      ['limit=1&page=3', [first]],
      ['limit=2&page=3', []],
      ['deal_id=deal_none', []],
    ];
    for (const [query, expected] of cases) assert.deepEqual(await listed(query), expected, query);
    assert.deepEqual(codeOf(await desk.get('iois?from=2026-02-01&to=2026-01-01', investor)), [422, 'RANGE_REVERSED']);
    for (const query of ['status=SUBMITTED', 'from=soon', 'limit=101', 'limit=0', 'page=0']) {
      assert.equal((await desk.get(`iois?${query}`, investor)).status, 400, query);
    }
  });
});
