import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused, changesOf, dataOf, openDesk } from '../../../test/support/desk.ts';
import { startGateway } from '../../../test/support/gateway.ts';
import type { ListedDeal } from '../../../test/support/market.ts';
import { newId } from '../../platform/ids.ts';

type Priced = {
  tranche: string;
  price: number | null;
  yield?: number | null;
  spread_bp?: number | null;
  wal?: number | null;
  modified_duration?: number | null;
};

test('publishing a mark', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const listed = () => desk.list({ tranches: [{ tranche: 'A' }, { tranche: 'B' }, { tranche: 'R', offered: false }] });
  /** A calculation with results, one list of priced tranches for each scenario. */
  const priced = async (
    deal: ListedDeal,
    scenarios: Priced[][],
    { type = 'PRICING', purpose = 'MARK', status = 'COMPLETED' } = {},
  ): Promise<string> => {
    const id = newId('calc');
    const results = scenarios.map((tranches, index) => ({
      scenario: `s${index}`,
      tranches: tranches.map((each) => ({ yield: null, spread_bp: null, wal: null, modified_duration: null, ...each })),
    }));
    await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.exec(
        `insert into calculations (calculation_id, organization_id, pool_id, calculation_key, type, purpose, status, as_of, granularity, inputs, result)
         values ($1, $2, $3, $1, $4, $5, $6, '2026-10-31', 'LOAN', '{}', $7)`,
        [id, desk.seller.organization_id, deal.pool_id, type, purpose, status, JSON.stringify({ results })],
      ),
    );
    return id;
  };
  const publish = (id: string) => desk.operate('POST', `calculations/${id}/publish`);
  const marked = async (deal: ListedDeal) => {
    const { tranches } = await desk.read(`deals/${deal.deal_id}`, await desk.investor());
    return tranches.map((each: { tranche: string; price: number | null; yield: number | null; wal: number | null }) => [
      each.tranche,
      each.price,
      each.yield,
      each.wal,
    ]);
  };

  await t.test('gives each priced tranche of the first scenario its mark, and is in the audit log', async () => {
    const deal = await listed();
    const id = await priced(deal, [
      [
        { tranche: 'A', price: 101.123456, yield: 4.5, spread_bp: 85.5, wal: 2.25, modified_duration: 2.1 },
        { tranche: 'B', price: 97, yield: 7 },
        { tranche: 'R', price: null },
      ],
      [{ tranche: 'A', price: 50, yield: 20 }],
    ]);
    const { result, changed } = await changesOf(gateway, () => publish(id));
    assert.deepEqual(changed, ['audit_log', 'latest_marks', 'mark_publications', 'marks']);
    const { published_at, ...data } = dataOf(result);
    assert.ok(!Number.isNaN(Date.parse(published_at)));
    assert.deepEqual([data.calculation_id, data.deal_id, data.as_of], [id, deal.deal_id, '2026-10-31']);
    assert.deepEqual(data.marks, [
      { tranche: 'A', price: 101.123456, yield: 4.5, spread_bp: 85.5, wal: 2.25, duration: 2.1 },
      { tranche: 'B', price: 97, yield: 7, spread_bp: null, wal: null, duration: null },
    ]);
    assert.deepEqual(await marked(deal), [
      ['A', 101.123456, 4.5, 2.25],
      ['B', 97, 7, null],
    ]);
    const [entry, ...more] = await desk.audited(id);
    assert.deepEqual(
      [entry?.action, entry?.actor, entry?.organization_id, entry?.after, more],
      [
        'calculation.published',
        desk.operator.key_id,
        desk.seller.organization_id,
        { deal_id: deal.deal_id, as_of: '2026-10-31', marks: data.marks },
        [],
      ],
    );
  });

  await t.test('leaves a tranche without a price at the mark that it had, and other deals alone', async () => {
    const [deal, other] = [await listed(), await listed()];
    dataOf(
      await publish(
        await priced(deal, [
          [
            { tranche: 'A', price: 99 },
            { tranche: 'B', price: 98 },
          ],
        ]),
      ),
    );
    await gateway.advance(1);
    dataOf(
      await publish(
        await priced(deal, [
          [
            { tranche: 'A', price: 102 },
            { tranche: 'B', price: null },
          ],
        ]),
      ),
    );
    assert.deepEqual(
      (await marked(deal)).map((each: unknown[]) => each[1]),
      [102, 98],
    );
    assert.deepEqual(
      (await marked(other)).map((each: unknown[]) => each[1]),
      [null, null],
    );
  });

  await t.test('a price of 0 is a price', async () => {
    const deal = await listed();
    assert.deepEqual(dataOf(await publish(await priced(deal, [[{ tranche: 'A', price: 0, yield: 0 }]]))).marks.length, 1);
    assert.deepEqual((await marked(deal))[0], ['A', 0, 0, null]);
  });

  await t.test('again brings the mark forward, with an entry for each time', async () => {
    const deal = await listed();
    const [one, two] = [
      await priced(deal, [[{ tranche: 'A', price: 99 }]]),
      await priced(deal, [[{ tranche: 'A', price: 101 }]]),
    ];
    for (const [id, price] of [
      [one, 99],
      [two, 101],
      [one, 99],
    ] as const) {
      await gateway.advance(1);
      dataOf(await publish(id));
      assert.equal((await marked(deal))[0][1], price);
    }
    assert.equal((await desk.audited(one)).length, 2);
    const [row] = await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.rows<{ count: number }>('select count(*)::int as count from marks where deal_id = $1', [deal.deal_id]),
    );
    assert.equal(row?.count, 2, 'a mark for each calculation');
  });

  await t.test('at once by several ends with one mark of the calculation', async () => {
    const deal = await listed();
    const id = await priced(deal, [[{ tranche: 'A', price: 99 }]]);
    const answers = await Promise.all([publish(id), publish(id), publish(id)]);
    assert.deepEqual(
      answers.map((answer) => answer.status),
      [200, 200, 200],
    );
    assert.deepEqual((await marked(deal))[0][1], 99);
  });

  await t.test('is for a completed PRICING calculation with purpose MARK', async () => {
    const deal = await listed();
    const tranches = [[{ tranche: 'A', price: 99 }]];
    for (const status of ['PENDING', 'RUNNING', 'FAILED']) {
      const id = await priced(deal, tranches, { status });
      const refused = await assertRefused(gateway, () => publish(id), [409, 'CONFLICT']);
      assert.equal(refused.body.current_status, status);
    }
    for (const about of [
      { purpose: 'ANALYSIS' },
      { type: 'CASHFLOW' },
      { type: 'RISK', purpose: 'ANALYSIS' },
      { type: 'SCENARIOS' },
    ]) {
      const id = await priced(deal, tranches, about);
      const refused = await assertRefused(gateway, () => publish(id), [422, 'UNPROCESSABLE']);
      assert.deepEqual([refused.body.errors?.[0].field, refused.body.errors?.[0].code], ['type', 'NOT_A_MARK']);
    }
  });

  await t.test('a calculation that priced nothing is refused, and one that priced some tranches names the others', async () => {
    const deal = await listed();
    for (const scenarios of [[], [[{ tranche: 'R', price: null }]]]) {
      const id = await priced(deal, scenarios);
      const refused = await assertRefused(gateway, () => publish(id), [422, 'UNPROCESSABLE']);
      assert.match(refused.body.message ?? '', /gives no tranche a price/);
    }
    assert.deepEqual(
      (await marked(deal)).map((each: unknown[]) => each[1]),
      [null, null],
    );
    const prices = [
      { tranche: 'A', price: 99 },
      { tranche: 'B', price: null },
    ];
    assert.deepEqual(dataOf(await publish(await priced(deal, [prices]))).without_price, ['B']);
    assert.deepEqual(
      (await marked(deal)).map((each: unknown[]) => each[1]),
      [99, null],
    );
  });
});
