import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDesk } from '../../../test/support/desk.ts';
import { startGateway } from '../../../test/support/gateway.ts';
import type { ListedDeal } from '../../../test/support/market.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asId, newId } from '../../platform/ids.ts';
import { listPoolMetrics, listTranchePerformance } from './mark-queries.ts';

type Projected = {
  completed_at?: string;
  purpose?: 'MARK' | 'ANALYSIS';
  status?: string;
  published_at?: string;
  losses?: number[];
  pool_id?: string;
};

test('the performance of a deal', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const platform = <Result>(work: (tx: Tx) => Promise<Result>) => gateway.deps.db.tx({ platform: true }, work);
  /** A calculation as its run leaves it: cumulative losses by period from 1, and the balance of two tranches. */
  const project = async (deal: ListedDeal, { losses = [0.1, 0.2], ...more }: Projected = {}): Promise<string> => {
    const id = newId('calc');
    const row = (period: number) => ({ period, date: `2027-0${period}-15` });
    const projection = {
      pool: losses.map((cumulative_net_loss, index) => ({ ...row(index + 1), cumulative_net_loss, pool_balance: 1_000 - index })),
      tranches: ['A-1', 'R', 'A-2'].flatMap((tranche) =>
        losses.map((_, index) => ({ ...row(index + 1), tranche, class: tranche, balance: 900 - index })),
      ),
    };
    await platform(async (tx) => {
      await tx.exec(
        `insert into calculations (calculation_id, organization_id, pool_id, calculation_key, type, purpose, status, as_of, granularity, inputs, projection, completed_at)
         values ($1, $2, $3, $1, 'PRICING', $4, $5, '2026-11-30', 'LOAN', '{}', $6, $7)`,
        [
          id,
          desk.seller.organization_id,
          more.pool_id ?? deal.pool_id,
          more.purpose ?? 'ANALYSIS',
          more.status ?? 'COMPLETED',
          JSON.stringify(projection),
          more.completed_at ?? '2026-12-01T00:00:00Z',
        ],
      );
      if (more.published_at) {
        await tx.exec(
          `insert into marks (tranche_id, calculation_id, deal_id, organization_id, price, as_of, published_at)
           select tranche_id, $2, deal_id, organization_id, 100, '2026-11-30', $3 from tranches where deal_id = $1`,
          [deal.deal_id, id, more.published_at],
        );
      }
    });
    return id;
  };
  /** A servicer's report of a period, with its cumulative loss. */
  const report = (deal: ListedDeal, period: number, cumulative_net_loss: number, status = 'APPLIED'): Promise<unknown> =>
    platform((tx) => {
      const row = { period, date: `2027-0${period}-15` };
      const performance = {
        pool: { ...row, cumulative_net_loss, pool_balance: 500 },
        tranches: ['A-2', 'A-1'].map((tranche) => ({ ...row, tranche, class: tranche, balance: 400 })),
      };
      return tx.exec(
        `insert into remittances (pool_id, period, organization_id, remittance_id, deal_id, payment_date, report, performance, triggers, state_after, status, verification)
         values ($1, $2, $3, $4, $5, $6, '{}', $7, '[]', '{}', $8, '{"status": "PARTIAL", "lines": [], "missing": []}')`,
        [
          deal.pool_id,
          period,
          desk.seller.organization_id,
          `rem_${deal.pool_id}_${period}`,
          deal.deal_id,
          row.date,
          JSON.stringify(performance),
          status,
        ],
      );
    });
  const performanceOf = (...deals: ListedDeal[]) =>
    platform(async (tx) => {
      const ids = deals.map((deal) => asId('deal', deal.deal_id));
      return { tranches: (await listTranchePerformance(tx, ids)) ?? [], pool: (await listPoolMetrics(tx, ids)) ?? [] };
    });
  const sourceOf = async (deal: ListedDeal) => [...new Set((await performanceOf(deal)).pool.map((row) => row.calculation_id))];
  const listed = () =>
    desk.list({
      tranches: [
        { tranche: 'A-2', seniority: 2 },
        { tranche: 'A-1', seniority: 1 },
        { tranche: 'R', offered: false },
      ],
    });

  await t.test('is that of the offered tranches, most senior first, and within each by period', async () => {
    const deal = await listed();
    const id = await project(deal);
    const { tranches } = await performanceOf(deal);
    assert.deepEqual(
      tranches.map((row) => [row.tranche, row.tranche_id, row.period, row.basis, row.deal_id, row.calculation_id]),
      [
        ['A-1', deal.tranches[1], 1, 'PROJECTED', deal.deal_id, id],
        ['A-1', deal.tranches[1], 2, 'PROJECTED', deal.deal_id, id],
        ['A-2', deal.tranches[0], 1, 'PROJECTED', deal.deal_id, id],
        ['A-2', deal.tranches[0], 2, 'PROJECTED', deal.deal_id, id],
      ],
    );
  });

  await t.test('knows nothing of a report that waits for its payment date', async () => {
    const deal = await listed();
    await project(deal);
    const before = await performanceOf(deal);
    await report(deal, 1, 5, 'SCHEDULED');
    assert.deepEqual(await performanceOf(deal), before);
    // The database shows it to no investor, whatever a query says.
    const seen = await gateway.deps.db.tx({ market: ['org_somebody'] }, (tx) =>
      tx.rows('select period from remittances where deal_id = $1', [deal.deal_id]),
    );
    assert.deepEqual(seen, []);
  });

  await t.test('has reported periods as they are and projected ones after them, without a gap or a double', async () => {
    const deal = await listed();
    await project(deal, { losses: [0.1, 0.2, 0.3, 0.4] });
    for (const reported of [0, 1, 2, 3, 4]) {
      if (reported > 0) await report(deal, reported, reported / 2);
      const { pool, tranches } = await performanceOf(deal);
      const expected = [1, 2, 3, 4].map((period) => [period, period <= reported ? 'ACTUAL' : 'PROJECTED']);
      assert.deepEqual(
        pool.map((row) => [row.period, row.basis]),
        expected,
      );
      for (const tranche of ['A-1', 'A-2']) {
        const rows = tranches.filter((row) => row.tranche === tranche);
        assert.deepEqual(
          rows.map((row) => [row.period, row.basis, row.balance]),
          expected.map(([period, basis]) => [period, basis, basis === 'ACTUAL' ? 400 : 901 - (period as number)]),
        );
      }
    }
  });

  await t.test('goes on with the reported losses: what is projected after them is added to them', async () => {
    const deal = await listed();
    await project(deal, { losses: [0.1, 0.25, 0.45, 0.7] });
    await report(deal, 1, 0.5);
    await report(deal, 2, 0.9);
    // 0.9 reported, then 0.45 − 0.25 and 0.7 − 0.25 more.
    assert.deepEqual(
      (await performanceOf(deal)).pool.map((row) => row.cumulative_net_loss),
      [0.5, 0.9, 1.1, 1.35],
    );
  });

  await t.test('a report beyond the projection leaves nothing to project', async () => {
    const deal = await listed();
    await project(deal, { losses: [0.1] });
    await report(deal, 1, 0.2);
    await report(deal, 2, 0.3);
    assert.deepEqual(
      (await performanceOf(deal)).pool.map((row) => [row.period, row.basis]),
      [
        [1, 'ACTUAL'],
        [2, 'ACTUAL'],
      ],
    );
  });

  await t.test(
    'is projected by the mark published last, else the latest made for marks, else the latest; never by what is not completed',
    async () => {
      const deal = await listed();
      for (const status of ['PENDING', 'RUNNING', 'FAILED'])
        await project(deal, { status, purpose: 'MARK', completed_at: '2026-12-09T00:00:00Z' });
      assert.deepEqual(await sourceOf(deal), []);
      const first = await project(deal, { completed_at: '2026-12-02T00:00:00Z' });
      await project(deal, { completed_at: '2026-12-01T00:00:00Z' });
      assert.deepEqual(await sourceOf(deal), [first]);
      const forMarks = await project(deal, { purpose: 'MARK', completed_at: '2026-11-02T00:00:00Z' });
      await project(deal, { purpose: 'MARK', completed_at: '2026-11-01T00:00:00Z' });
      assert.deepEqual(await sourceOf(deal), [forMarks]);
      const published = await project(deal, { completed_at: '2026-10-01T00:00:00Z', published_at: '2026-12-05T00:00:00Z' });
      assert.deepEqual(await sourceOf(deal), [published]);
      await project(deal, { purpose: 'MARK', completed_at: '2026-12-08T00:00:00Z', published_at: '2026-12-04T00:00:00Z' });
      assert.deepEqual(await sourceOf(deal), [published]);
    },
  );

  await t.test('is each deal’s own, and of many deals in the order of their ids', async () => {
    const [one, two, none] = [await listed(), await listed(), await listed()];
    const ids = [await project(one), await project(two)];
    await report(two, 1, 0.3);
    const { pool, tranches } = await performanceOf(two, none, one);
    assert.deepEqual(
      pool.map((row) => [row.deal_id, row.period, row.basis, row.calculation_id]),
      [
        [one.deal_id, 1, 'PROJECTED', ids[0]],
        [one.deal_id, 2, 'PROJECTED', ids[0]],
        [two.deal_id, 1, 'ACTUAL', ids[1]],
        [two.deal_id, 2, 'PROJECTED', ids[1]],
      ],
    );
    assert.deepEqual([...new Set(tranches.map((row) => row.deal_id))], [one.deal_id, two.deal_id]);
    assert.deepEqual(await performanceOf(none), { tranches: [], pool: [] });
  });

  await t.test('without a completed calculation there is none, although periods were reported', async () => {
    const deal = await listed();
    await report(deal, 1, 0.1);
    const none = await platform(async (tx) => [
      await listPoolMetrics(tx, [asId('deal', deal.deal_id)]),
      await listTranchePerformance(tx, [asId('deal', deal.deal_id)]),
    ]);
    assert.deepEqual(none, [null, null]);
  });
});
