import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused, changesOf, dataOf, heldOpen, openDesk, waitingForLock } from '../../../test/support/desk.ts';
import { startGateway, codeOf } from '../../../test/support/gateway.ts';
import type { ListedDeal } from '../../../test/support/market.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import { asId, type Id, newId } from '../../platform/ids.ts';
import { acceptAllocation, declineAllocation, expireDue } from './decide-allocation.ts';
import { expireAllocations } from './expire-allocations.ts';

test('answers to allocations', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  /** An allocation of 300,000 that waits for the answer of an investor of its own. */
  const issued = async (terms: object = {}) => {
    const [deal, investor] = [await desk.list(), await desk.investor()];
    dataOf(await desk.order(deal, investor, { amount: 300_000, ...terms }));
    dataOf(await desk.allocate(deal));
    const [allocation] = await desk.allocations(deal, investor);
    const id = allocation?.allocation_id ?? '';
    return { deal, investor, id, allocation, read: () => desk.read(`allocations/${id}`, investor) };
  };
  const platform = { platform: true } as const;
  /** A transaction whose time stands still, whatever it waits for. */
  const asPlatform = async <Result>(work: (tx: Tx) => Promise<Result>) => {
    const clock = await gateway.deps.db.tx(platform, async ({ now }) => ({ now }));
    return gateway.deps.db.backdated(clock).tx(platform, work);
  };

  await t.test('an acceptance makes one pending trade of the face that was allocated, and is audited', async () => {
    const { deal, investor, id, read } = await issued();
    const { result, changed } = await changesOf(gateway, () => desk.answer(id, investor, 'accept'));
    const { status, trade_id, decided_at } = dataOf(result);
    assert.deepEqual([status, typeof decided_at], ['ACCEPTED', 'string']);
    assert.deepEqual(changed, ['alerts', 'allocations', 'audit_log', 'events', 'trades']);
    const trade = await desk.read(`trades/${trade_id}`, investor);
    assert.deepEqual(
      [trade.status, trade.face, trade.allocation_id, trade.deal_id, trade.tranche_id, trade.side, trade.settled_at],
      ['PENDING_SETTLEMENT', 300_000, id, deal.deal_id, deal.tranches[0], 'BUY', null],
    );
    assert.deepEqual(await read(), result.body.data);
    const [entry, ...more] = await desk.audited(id);
    assert.deepEqual(
      [entry?.action, entry?.actor, entry?.after?.trade_id, more.length],
      ['allocation.accepted', investor.key_id, trade_id, 0],
    );
  });

  await t.test('a decline makes no trade, and is audited', async () => {
    const { investor, id, read } = await issued();
    const { result, changed } = await changesOf(gateway, () => desk.answer(id, investor, 'decline'));
    assert.deepEqual([dataOf(result).status, result.body.data.trade_id], ['DECLINED', null]);
    assert.deepEqual(changed, ['alerts', 'allocations', 'audit_log', 'events']);
    assert.equal((await read()).status, 'DECLINED');
    assert.deepEqual(
      (await desk.audited(id)).map((entry) => [entry.action, entry.actor]),
      [['allocation.declined', investor.key_id]],
    );
  });

  await t.test('an allocation is answered once: the second answer is refused with the status, and nothing changes', async () => {
    for (const [first, status] of [
      ['accept', 'ACCEPTED'],
      ['decline', 'DECLINED'],
    ] as const) {
      const { investor, id } = await issued();
      dataOf(await desk.answer(id, investor, first));
      for (const second of ['accept', 'decline'] as const) {
        const refused = await assertRefused(gateway, () => desk.answer(id, investor, second), [409, 'INVALID_TRANSITION']);
        assert.deepEqual([refused.body.current_status, refused.body.allowed], [status, []]);
      }
    }
  });

  await t.test('accepted and declined at once it is one of the two, with a trade or without', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { deal, investor, id, read } = await issued();
      const answers = await Promise.all([
        desk.answer(id, investor, 'accept'),
        desk.answer(id, investor, 'decline'),
        desk.answer(id, investor, 'accept'),
      ]);
      assert.equal(answers.filter((answer) => answer.status === 200).length, 1);
      const { status, trade_id } = await read();
      const trades = (await desk.get(`trades?deal_id=${deal.deal_id}`, investor)).body.pagination.total;
      assert.deepEqual([trades, trade_id !== null], status === 'ACCEPTED' ? [1, true] : [0, false]);
    }
  });

  await t.test('an answer that waits for another finds the allocation as that one left it', async () => {
    const { investor, id } = await issued();
    const commit = await heldOpen(gateway, (tx) =>
      acceptAllocation(tx, investor, { allocation_id: asId('all', id), mark: undefined }),
    );
    const late = desk.answer(id, investor, 'accept');
    await waitingForLock(gateway);
    await commit();
    const refused = await late;
    assert.deepEqual([codeOf(refused), refused.body.current_status], [[409, 'INVALID_TRANSITION'], 'ACCEPTED']);
  });

  await t.test('another organization reads, proves and answers nothing: as if the allocation were not there', async () => {
    const { id, read } = await issued();
    const stranger = await desk.investor();
    const acts = [
      (of: string) => desk.get(`allocations/${of}`, stranger),
      (of: string) => desk.get(`allocations/${of}/proof`, stranger),
      (of: string) => desk.answer(of, stranger, 'accept'),
      (of: string) => desk.answer(of, stranger, 'decline'),
    ];
    for (const act of acts) {
      const foreign = await assertRefused(gateway, () => act(id), [404, 'NOT_FOUND']);
      assert.equal(foreign.body.message, (await act(newId('all'))).body.message);
    }
    assert.deepEqual(codeOf(await desk.answer(id, desk.operator, 'accept')), [403, 'ROLE_FORBIDDEN']);
    assert.equal((await read()).status, 'ISSUED');
  });

  await t.test('the deadline is the last moment that is too late, although nothing has expired it yet', async () => {
    const accept = (tx: Tx, as: Actor, id: Id<'all'>) => acceptAllocation(tx, as, { allocation_id: id, mark: undefined });
    const answers = { accept, decline: declineAllocation };
    for (const [name, answer] of Object.entries(answers)) {
      for (const [offsetMs, inTime] of [
        [1, true],
        [0, false],
        [-1, false],
      ] as const) {
        const { investor, id } = await issued();
        const answered = asPlatform(async (tx) => {
          const at = new Date(tx.now.getTime() + offsetMs);
          await tx.exec('update allocations set expires_at = $2 where allocation_id = $1', [id, at]);
          return answer(tx, investor, asId('all', id));
        });
        if (inTime) assert.ok(['ACCEPTED', 'DECLINED'].includes((await answered).status), name);
        else await assert.rejects(answered, { code: 'INVALID_TRANSITION', extra: { current_status: 'EXPIRED', allowed: [] } });
      }
    }
  });

  await t.test('it expires at its deadline and not a moment before, once, and only while it waits', async () => {
    const expire = (id: string, deal: Pick<ListedDeal, 'deal_id' | 'tranches'>, offsetMs: number) =>
      asPlatform(async (tx) => {
        const at = new Date(tx.now.getTime() + offsetMs);
        await tx.exec('update allocations set expires_at = $2 where allocation_id = $1', [id, at]);
        return expireDue(tx, { deal_id: asId('deal', deal.deal_id), tranche_id: asId('trn', deal.tranches[0] ?? '') }, 10);
      });
    const { deal, id, read } = await issued();
    assert.equal(await expire(id, deal, 1), 0);
    assert.equal((await read()).status, 'ISSUED');
    assert.equal(await expire(id, deal, 0), 1);
    assert.equal((await read()).status, 'EXPIRED');
    assert.equal(await expire(id, deal, -1), 0, 'once');
    const accepted = await issued();
    dataOf(await desk.answer(accepted.id, accepted.investor, 'accept'));
    assert.equal(await expire(accepted.id, accepted.deal, -1), 0);
    assert.equal((await accepted.read()).status, 'ACCEPTED');
    assert.equal(await expire(id, { ...deal, tranches: ['trn_none'] }, -1), 0);
    assert.equal(await expire(id, { ...deal, deal_id: 'deal_none' }, -1), 0);
  });

  await t.test('what has expired is counted, all that is due and nothing else', async () => {
    await gateway.advance(30 * 86_400);
    await expireAllocations(gateway.deps.db);
    const made = [await issued(), await issued(), await issued()] as const;
    dataOf(await desk.answer(made[2].id, made[2].investor, 'accept'));
    assert.equal(await expireAllocations(gateway.deps.db), 0);
    await gateway.advance(10 * 86_400);
    const later = await issued();
    assert.equal(await expireAllocations(gateway.deps.db), 2);
    assert.equal(await expireAllocations(gateway.deps.db), 0);
    assert.deepEqual(await Promise.all([...made, later].map(async (each) => (await each.read()).status)), [
      'EXPIRED',
      'EXPIRED',
      'ACCEPTED',
      'ISSUED',
    ]);
  });

  await t.test('all that is due of a tranche expires, also more than one transaction takes', async () => {
    const deal = await desk.list();
    const investors = [await desk.investor(), await desk.investor(), await desk.investor()];
    for (const each of investors) dataOf(await desk.order(deal, each, { amount: 1_000_000 }));
    dataOf(await desk.allocate(deal));
    await gateway.advance(10 * 86_400);
    await expireAllocations(gateway.deps.db, 2);
    const statuses = await Promise.all(
      investors.map(async (each) => (await desk.allocations(deal, each)).map(({ status }) => status)),
    );
    assert.deepEqual(statuses, [['EXPIRED'], ['EXPIRED'], ['EXPIRED']]);
  });

  await t.test('the lists are newest first, by deal and status, the investor’s own or everybody’s for the operator', async () => {
    const { deal, investor, id } = await issued();
    const elsewhere = await desk.list();
    dataOf(await desk.order(elsewhere, investor, { amount: 1_000 }));
    await gateway.advance(1);
    dataOf(await desk.allocate(elsewhere));
    dataOf(await desk.answer(id, investor, 'accept'));
    const ids = (rows: { allocation_id: string }[]) => rows.map((row) => row.allocation_id);
    const own = ids(await desk.read('allocations', investor));
    assert.deepEqual([own.length, own[1]], [2, id]);
    assert.deepEqual(ids(await desk.read('allocations?status=ACCEPTED', investor)), [id]);
    assert.deepEqual(ids(await desk.read(`allocations?deal_id=${elsewhere.deal_id}`, investor)), [own[0]]);
    assert.deepEqual(ids(await desk.read('allocations?status=DECLINED', investor)), []);
    const [row] = dataOf(await desk.operate('GET', `allocations?deal_id=${deal.deal_id}`));
    assert.deepEqual([row.allocation_id, row.organization_id], [id, investor.organization_id]);
    const other = await desk.investor();
    const filter = `allocations?deal_id=${deal.deal_id}&organization_id=${other.organization_id}`;
    assert.deepEqual(dataOf(await desk.operate('GET', filter)), []);
    assert.equal('organization_id' in (await desk.read('allocations', investor))[0], false);
    assert.equal((await desk.get('allocations?status=OPEN', investor)).status, 400);
  });
});
