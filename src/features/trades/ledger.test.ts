import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { assertRefused, dataOf, openDesk } from '../../../test/support/desk.ts';
import { type Holder, startGateway } from '../../../test/support/gateway.ts';
import { buy, insertMark, type ListedDeal } from '../../../test/support/market.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type LedgerVerdict, verifyLedger } from './ledger-queries.ts';

class RolledBack extends Error {}

test('the ledger', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const platform = <Result>(work: (tx: Tx) => Promise<Result>) => gateway.deps.db.tx({ platform: true }, work);
  /** A trade of an investor of its own that waits for its settlement. */
  const pending = async (amount = 1_000_000, deal?: ListedDeal, holder?: Holder) => {
    const [of, investor] = [deal ?? (await desk.list()), holder ?? (await desk.investor())];
    dataOf(await desk.order(of, investor, { amount }));
    dataOf(await desk.allocate(of));
    const [allocation] = await desk.allocations(of, investor);
    return { deal: of, investor, id: await desk.trade(allocation?.allocation_id ?? '', investor) };
  };
  const settled = async (amount?: number) => {
    const trade = await pending(amount);
    dataOf(await desk.decide(trade.id, 'settle'));
    return trade;
  };
  /** The verdict over a ledger in which something was changed; the change is rolled back. */
  const verdictAfter = async (sql: string, values: unknown[]): Promise<LedgerVerdict> => {
    let verdict: LedgerVerdict | undefined;
    const tampered = platform(async (tx) => {
      await tx.exec(sql, values);
      verdict = await verifyLedger(tx);
      throw new RolledBack();
    });
    await assert.rejects(tampered, RolledBack);
    if (!verdict) throw new Error('the ledger was not verified');
    return verdict;
  };

  await t.test('is valid when it is empty', async () => {
    assert.deepEqual(await platform(verifyLedger), { valid: true, entries: 0, problems: [] });
  });

  await t.test('has four entries for each settled trade and none for any other', async () => {
    const before = (await platform(verifyLedger)).entries;
    await settled();
    const failed = await pending();
    dataOf(await desk.decide(failed.id, 'fail'));
    const cancelled = await pending();
    dataOf(await desk.decide(cancelled.id, 'cancel'));
    await pending();
    const { valid, entries } = await platform(verifyLedger);
    assert.deepEqual([valid, entries - before], [true, 4]);
  });

  await t.test('takes no journal that does not balance, per account and tranche, and no change of what is booked', async () => {
    const { id, investor } = await settled();
    const other = (await pending()).id;
    const insert = (trade: string, legs: [string, string, string | null, number][]) =>
      platform(async (tx) => {
        for (const [party, account, tranche, amount] of legs) {
          await tx.exec(
            `insert into ledger_entries (journal_id, organization_id, account, tranche_id, amount, trade_id, booked_at)
             values ('jrn_x', $1, $2, $3, $4, $5, now())`,
            [party, account, tranche, amount, trade],
          );
        }
      });
    const { deal } = await pending();
    const [buyer, seller, tranche] = [investor.organization_id, desk.seller.organization_id, deal.tranches[0] as string];
    const cash = (amount: number): [string, string, null, number] => [buyer, 'CASH', null, amount];
    await assert.rejects(insert(other, [cash(4), [seller, 'CASH', null, -5]]), /does not balance/);
    await assert.rejects(insert(other, [cash(5), [seller, 'FACE', tranche, -5]]), /does not balance/);
    await assert.rejects(insert(other, [cash(5)]), /does not balance/);
    await assert.rejects(insert(id, [cash(5), [seller, 'CASH', null, -5]]), /ledger_entries_once/);
    await assert.rejects(
      insert(other, [
        [buyer, 'FACE', null, 5],
        [seller, 'FACE', null, -5],
      ]),
      /face_of_tranche/,
    );
    // Together they balance, and neither does: a journal is written by one statement.
    await assert.rejects(insert(other, [cash(5), [seller, 'CASH', null, -5]]), /journal jrn_x does not balance: CASH by 5/);
    for (const sql of ['update ledger_entries set amount = 0', 'delete from ledger_entries', 'truncate ledger_entries']) {
      await assert.rejects(
        platform((tx) => tx.exec(sql)),
        /append-only|permission denied/,
        sql,
      );
    }
    assert.equal((await platform(verifyLedger)).valid, true);
  });

  await t.test('judges all journals of a statement in one check, and refuses them all where one is out by a cent', async () => {
    const owner = await gateway.owner();
    try {
      const book = async (journals: number, difference: number) => {
        await owner.query(
          `begin; set local sluice.scope = 'platform'; alter table ledger_entries drop constraint ledger_entries_payment_id_fkey`,
        );
        const { rows } = await owner.query<{ 'QUERY PLAN': [{ Triggers: { 'Trigger Name': string; Calls: number }[] }] }>(
          `explain (analyze, format json) insert into ledger_entries (journal_id, organization_id, account, amount, payment_id, party, booked_at)
           select 'jrn_' || i, '${desk.seller.organization_id}', 'CASH',
             case when party = 'HOLDER' then i when i = ${journals} then ${difference} - i else -i end, 'pay_' || i, party, now()
           from generate_series(1, ${journals}) i, unnest(array['HOLDER', 'DEAL']) party`,
        );
        const triggers = rows[0]?.['QUERY PLAN'][0].Triggers ?? [];
        return triggers.find((each) => each['Trigger Name'] === 'ledger_entries_balance')?.Calls;
      };
      assert.equal(await book(500, 0), 1);
      await owner.query('rollback');
      await assert.rejects(book(500, 0.01), /journal jrn_500 does not balance: CASH by 0.01/);
    } finally {
      await owner.end();
    }
  });

  await t.test(
    'its verdict names a position with more or less than was delivered, one of nothing, and one that is missing',
    async () => {
      const { investor, deal } = await settled(500_000);
      const stranger = await desk.investor();
      const tranche = deal.tranches[0] as string;
      const where = 'where organization_id = $1 and tranche_id = $2';
      const own = [investor.organization_id, tranche];
      const insert = `insert into positions (position_id, organization_id, deal_id, tranche_id, face, paid, trade_date, created_at)
      select 'pos_x', $1, deal_id, tranche_id, 7, 7, '2026-11-20', now() from tranches where tranche_id = $2`;
      const cases: [string, unknown[], string][] = [
        [
          `update positions set face = face + 0.01 ${where}`,
          own,
          `position of ${own[0]} in ${tranche} is 500000.01, the ledger says 500000.00`,
        ],
        [
          `update positions set face = 499999.99 ${where}`,
          own,
          `position of ${own[0]} in ${tranche} is 499999.99, the ledger says 500000.00`,
        ],
        [`delete from positions ${where}`, own, `position of ${own[0]} in ${tranche} is 0, the ledger says 500000.00`],
        [
          insert,
          [stranger.organization_id, tranche],
          `position of ${stranger.organization_id} in ${tranche} is 7.00, the ledger says 0`,
        ],
      ];
      for (const [sql, values, problem] of cases) {
        const { valid, problems } = await verdictAfter(sql, values);
        assert.deepEqual([valid, problems], [false, [problem]]);
      }
      assert.equal((await platform(verifyLedger)).valid, true);
    },
  );

  await t.test(
    'positions are what a plain sum of the settled trades says, whatever settles, fails and is cancelled',
    async () => {
      const Trades = fc.array(
        fc.record({
          steps: fc.integer({ min: 1, max: 20 }),
          holder: fc.nat(1),
          act: fc.constantFrom('settle' as const, 'fail' as const, 'cancel' as const),
          price: fc.constantFrom(null, 98.5, 101.25),
        }),
        { minLength: 1, maxLength: 4 },
      );
      await fc.assert(
        fc.asyncProperty(Trades, async (trades) => {
          const holders = [await desk.investor(), await desk.investor()] as const;
          const expected = new Map<string, { face: number; cost: number }>();
          for (const { steps, holder, act, price } of trades) {
            const investor = holders[holder] as Holder;
            const deal = await desk.list();
            if (price !== null) await insertMark(gateway, deal.tranches[0] as string, { price, yield: 5 });
            const { id } = await pending(steps * 1_000, deal, investor);
            const { principal_amount } = await desk.read(`trades/${id}`, investor);
            dataOf(await desk.decide(id, act));
            if (act === 'settle')
              expected.set(`${investor.organization_id} ${deal.tranches[0]}`, { face: steps * 1_000, cost: principal_amount });
          }
          const found = new Map<string, { face: number; cost: number }>();
          for (const investor of holders) {
            const positions = await desk.read('portfolio/positions?limit=100', investor);
            for (const row of positions)
              found.set(`${investor.organization_id} ${row.tranche_id}`, { face: row.face, cost: row.cost_basis });
          }
          assert.deepEqual(new Map([...found].toSorted()), new Map([...expected].toSorted()));
          assert.equal((await platform(verifyLedger)).valid, true);
        }),
        { numRuns: 8 },
      );
    },
  );

  await t.test('two trades of one tranche are one position with the face and the cost of both', async () => {
    const deal = await desk.list({ tranches: [{ balance: 1_000_000 }] });
    const investor = await desk.investor();
    dataOf(await desk.order(deal, investor, { amount: 300_000 }));
    await desk.confirmed(deal, investor, 200_000);
    dataOf(await desk.allocate(deal));
    for (const { allocation_id } of await desk.allocations(deal, investor)) {
      dataOf(await desk.decide(await desk.trade(allocation_id, investor), 'settle'));
    }
    const positions = await desk.read('portfolio/positions', investor);
    assert.deepEqual(
      positions.map((row: { face: number; cost_basis: number }) => [row.face, row.cost_basis]),
      [[500_000, 500_000]],
    );
  });

  await t.test('a position costs what its trade has paid, to the cent', async () => {
    const deal = await desk.list();
    const investor = await desk.investor();
    // 100,264.585 is half a cent: a trade rounds it to the even cent, a sum in the database away from zero.
    await insertMark(gateway, deal.tranches[0] as string, { price: 100.264585, yield: 5 });
    const { id } = await pending(100_000, deal, investor);
    const { principal_amount } = dataOf(await desk.decide(id, 'settle'));
    const [position] = await desk.read('portfolio/positions', investor);
    assert.deepEqual([principal_amount, position.cost_basis], [100_264.58, 100_264.58]);
  });

  await t.test(
    'its verdict names a trade whose cash or face is not what was booked, and one that is booked and not settled',
    async () => {
      const { id, investor } = await settled(500_000);
      const { face, net_amount } = await desk.read(`trades/${id}`, investor);
      const booked = `the ledger has ${face.toFixed(2)} against ${net_amount.toFixed(2)}`;
      const cases: [string, string][] = [
        ['net_amount = net_amount + 0.01', `SETTLED with face 500000.00 against ${(net_amount + 0.01).toFixed(2)}`],
        ['face = face - 1', `SETTLED with face 499999.00 against ${net_amount.toFixed(2)}`],
        [`status = 'FAILED'`, `FAILED with face 500000.00 against ${net_amount.toFixed(2)}`],
      ];
      for (const [change, is] of cases) {
        const { valid, problems } = await verdictAfter(`update trades set ${change} where trade_id = $1`, [id]);
        assert.deepEqual([valid, problems], [false, [`trade ${id} is ${is}, ${booked}`]]);
      }
    },
  );

  await t.test('a trade that is booked already does not settle: 409, and nothing of it changes', async () => {
    const { id, investor } = await pending();
    await platform((tx) =>
      tx.exec(
        `insert into ledger_entries (journal_id, organization_id, account, tranche_id, amount, trade_id, booked_at)
         values ('jrn_y', $1, 'CASH', null, 5, $3, now()), ('jrn_y', $2, 'CASH', null, -5, $3, now())`,
        [investor.organization_id, desk.seller.organization_id, id],
      ),
    );
    await assertRefused(gateway, () => desk.decide(id, 'settle'), [409, 'INVALID_TRANSITION']);
    assert.equal((await desk.read(`trades/${id}`, investor)).status, 'PENDING_SETTLEMENT');
  });
});

test('the verdict names accounts that do not add up to nothing, and the journal that does not balance', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const [deal, investor] = [await desk.list(), await desk.investor()];
  const tradeId = await buy(gateway, desk.operator, investor, deal, 200_000);
  const verify = () => gateway.deps.db.tx({ platform: true }, verifyLedger);
  assert.equal((await verify()).valid, true);
  const owner = await gateway.owner();
  await owner.query('set session_replication_role = replica');
  await owner.query(`select set_config('sluice.scope', 'platform', false)`);
  await owner.query(`update ledger_entries set amount = amount + 1 where trade_id = $1 and account = 'FACE' and amount > 0`, [
    tradeId,
  ]);
  await owner.query(`update ledger_entries set amount = amount - 0.01 where trade_id = $1 and account = 'CASH' and amount > 0`, [
    tradeId,
  ]);
  await owner.end();
  const { valid, problems } = await verify();
  const [tranche] = deal.tranches;
  const net = (await desk.read(`trades/${tradeId}`, investor)).net_amount.toFixed(2);
  const journal = problems.find((problem) => /^journal jrn_\w+ does not balance$/.test(problem));
  assert.equal(valid, false);
  assert.deepEqual(
    problems.toSorted(),
    [
      'CASH adds up to -0.01, expected 0',
      `FACE ${tranche} adds up to 1.00, expected 0`,
      journal,
      `position of ${investor.organization_id} in ${tranche} is 200000.00, the ledger says 200001.00`,
      `trade ${tradeId} is SETTLED with face 200000.00 against ${net}, the ledger has 200001.00 against ${net}`,
    ].toSorted(),
  );
});
