import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cents } from '../../../test/support/cents.ts';
import fc from '../../../test/support/property.ts';
import { dataOf, type Desk, heldOpen, openDesk, waitingForLock } from '../../../test/support/desk.ts';
import { codeOf, type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { PAYMENT_DATES, type Period, type Serviced, servicedDeal, soldTrades } from '../../../test/support/servicing.ts';
import { asId } from '../../platform/ids.ts';
import { verifyLedger } from '../trades/ledger-queries.ts';
import { applyDueRemittances } from './apply-remittances.ts';
import { lockServicedPool } from './serviced-pool.ts';

const FIRST: Period = { principal: 20_000 };
const SECOND: Period = { principal: 15_000 };

type Paid = {
  payment_id: string;
  tranche: string;
  period: number;
  payment_date: string;
  record_date: string;
  interest: number;
  principal: number;
  writedown: number;
  factor_before: number;
  factor_after: number;
  restates: string | null;
};

type Line = { what: string; path: string; difference: number | null };

const problems = async ({ deps }: Gateway): Promise<string[]> => (await deps.db.tx({ platform: true }, verifyLedger)).problems;
const paidTo = async (desk: Desk, holder: Holder, { deal_id }: Serviced): Promise<Paid[]> =>
  dataOf(await desk.get(`portfolio/payments?limit=100&deal_id=${deal_id}`, holder)) as Paid[];
const total = (rows: readonly Paid[], of: 'interest' | 'principal' | 'writedown'): number =>
  rows.reduce((sum, row) => sum + cents(row[of]), 0);

/** A deal with holders of A-1 and B of record, whose reports were applied on their payment dates. */
async function paidDeal(
  desk: Desk,
  holders: [Holder, number, number?][],
  periods: Period[],
): Promise<{ deal: Serviced; ids: string[] }> {
  const deal = await servicedDeal(desk);
  for (const trade of await soldTrades(desk, deal, holders)) dataOf(await desk.decide(trade, 'settle'));
  const ids: string[] = [];
  for (const index of periods.keys()) {
    await desk.gateway.setClock(`${PAYMENT_DATES[index]}T15:00:00Z`);
    ids.push(dataOf(await deal.send(deal.report(...periods.slice(0, index + 1)))).remittance_id);
  }
  return { deal, ids };
}

test('the ledger agrees with a report that has what is left in one figure, and with the figures that replace it', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const { deal, ids } = await paidDeal(desk, [[await desk.investor(), 100_000]], []);
  assert.deepEqual(ids, []);
  await gateway.setClock(`${PAYMENT_DATES[0]}T15:00:00Z`);
  const sent = dataOf(await deal.send({ ...deal.report(FIRST), residual: 321.09 }));
  assert.deepEqual(await problems(gateway), []);
  dataOf(await deal.restate(sent.remittance_id, { ...deal.report(FIRST), residual: 300 }));
  assert.deepEqual(await problems(gateway), []);
  const row = { tranche: 'R', interest_paid: 12.5, principal_paid: 0, beginning_balance: 0, ending_balance: 0 };
  const { tranches, ...rest } = deal.report(FIRST);
  dataOf(await deal.restate(sent.remittance_id, { ...rest, residual: 12.5, tranches: [...tranches, row] }));
  assert.deepEqual(await problems(gateway), []);
});

test('an applied report that is restated', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const [first, second, later] = [await desk.investor(), await desk.investor(), await desk.investor()];

  await t.test('books the differences to the holders of record of its period, dated the business date', async () => {
    const { deal, ids } = await paidDeal(
      desk,
      [
        [first, 100_000],
        [second, 33_000],
      ],
      [FIRST],
    );
    const [id = ''] = ids;
    const [original] = await paidTo(desk, first, deal);
    // A Saturday: the business date is the Tuesday after Martin Luther King day.
    await gateway.setClock('2027-01-16T15:00:00Z');
    const restated = dataOf(await deal.restate(id, deal.report({ principal: 12_000, loss: 1_000 })));
    assert.deepEqual([restated.status, restated.version, restated.remittance_id], ['APPLIED', 2, id]);
    const [correction, ...rest] = await paidTo(desk, first, deal);
    assert.ok(original && correction);
    assert.deepEqual(rest, [original], 'the payment that was booked stays as it was');
    const factor = (paid: number) => Number(((deal.a - paid) / deal.a).toFixed(8));
    assert.deepEqual(
      [correction.restates, correction.payment_date, correction.record_date, correction.period, correction.interest],
      [original.payment_id, '2027-01-19', '2027-01-14', 1, 0],
    );
    assert.deepEqual([correction.factor_before, correction.factor_after], [factor(20_000), factor(12_000)]);
    const share = Math.round((1_200_000 * 100_000) / deal.a);
    assert.equal(cents(correction.principal), share - cents(original.principal));
    const [position] = await desk.read('portfolio/positions', first);
    assert.equal(position.factor, factor(12_000));
    assert.deepEqual(await problems(gateway), []);
  });

  await t.test('keeps its former figures readable, with what followed from them', async () => {
    const { deal, ids } = await paidDeal(desk, [[first, 10_000]], [FIRST]);
    const [id = ''] = ids;
    const before = await deal.read(id);
    assert.deepEqual(before.versions, []);
    dataOf(await deal.restate(id, deal.report({ principal: 12_000 })));
    const after = await deal.read(id);
    const [former, ...more] = after.versions;
    assert.equal(more.length, 0);
    assert.deepEqual(
      [former.version, former.report, former.tranches, former.pool],
      [1, before.report, before.tranches, before.pool],
    );
    assert.equal(former.replaced_at, after.restated_at);
    assert.deepEqual([after.version, after.report.tranches[0].principal_paid], [2, 12_000]);
    assert.equal(after.tranches[0].balance, deal.a - 12_000);
    assert.equal(after.applied_at, before.applied_at);
  });

  await t.test('nets to nothing when it is restated back', async () => {
    const { deal, ids } = await paidDeal(
      desk,
      [
        [first, 100_000],
        [second, 33_000],
        [second, 7_000, 1],
      ],
      [FIRST],
    );
    const [id = ''] = ids;
    const before = { first: await paidTo(desk, first, deal), second: await paidTo(desk, second, deal) };
    dataOf(await deal.restate(id, deal.report({ principal: 7_777.77, writedown: 1_234.56, interestOnA: 1 })));
    dataOf(await deal.restate(id, deal.report(FIRST)));
    for (const [holder, booked] of [
      [first, before.first],
      [second, before.second],
    ] as const)
      for (const amount of ['interest', 'principal', 'writedown'] as const)
        assert.equal(total(await paidTo(desk, holder, deal), amount), total(booked, amount), amount);
    assert.deepEqual([(await deal.read(id)).version, (await deal.read(id)).versions.length], [3, 2]);
    assert.deepEqual(await problems(gateway), []);
  });

  await t.test('is not paid to who bought after its record date, and is told to the owner and to all holders', async () => {
    const deal = await servicedDeal(desk);
    const [early = '', late = ''] = await soldTrades(desk, deal, [
      [first, 100_000],
      [later, 50_000],
    ]);
    dataOf(await desk.decide(early, 'settle'));
    await gateway.setClock('2027-01-15T15:00:00Z');
    const { remittance_id } = dataOf(await deal.send(deal.report(FIRST)));
    dataOf(await desk.decide(late, 'settle'));
    dataOf(await deal.restate(remittance_id, deal.report({ principal: 5_000 })));
    assert.equal((await paidTo(desk, first, deal)).length, 2);
    assert.deepEqual(await paidTo(desk, later, deal), []);
    for (const [as, paid] of [
      [desk.seller, 2],
      [first, 2],
      [later, 0],
    ] as const) {
      const about = async (name: string) =>
        dataOf(await desk.send('GET', `/v1/api/events?limit=100&type=${name}`, as)).filter(
          (each: { data: { deal_id: string } }) => each.data.deal_id === deal.deal_id,
        );
      const [event, ...more] = await about('remittance.restated');
      assert.deepEqual(event.data, {
        remittance_id,
        pool_id: deal.pool_id,
        deal_id: deal.deal_id,
        period: 1,
        payment_date: PAYMENT_DATES[0],
        version: 2,
      });
      assert.deepEqual([more.length, (await about('payment.made')).length], [0, paid]);
    }
  });

  await t.test('must tie, for the same period and payment date, and differ from what is in force', async () => {
    const { deal, ids } = await paidDeal(desk, [], [FIRST]);
    const [id = ''] = ids;
    const refused = async (body: object) => {
      const answer = await deal.restate(id, body);
      return [...codeOf(answer), answer.body.errors?.map((each) => each.field).join()];
    };
    const good = deal.report({ principal: 12_000 });
    assert.deepEqual(await refused({ ...good, period: 2 }), [422, 'REMITTANCE_DOES_NOT_TIE', 'period,period']);
    assert.deepEqual(await refused({ ...good, payment_date: '2027-01-14' }), [422, 'REMITTANCE_DOES_NOT_TIE', 'payment_date']);
    const untied = structuredClone(good);
    untied.collateral.ending_pool_balance += 0.01;
    assert.deepEqual(await refused(untied), [422, 'REMITTANCE_DOES_NOT_TIE', 'collateral.ending_pool_balance']);
    const { lines } = (await deal.restate(id, untied)).body;
    assert.deepEqual(
      lines.filter(({ what }: Line) => what === 'TIE').map(({ path, difference }: Line) => [path, difference]),
      [['collateral.ending_pool_balance', 0.01]],
    );
    const same = await deal.restate(id, deal.report(FIRST));
    assert.deepEqual(codeOf(same), [409, 'CONFLICT']);
    assert.match(same.body.message ?? '', /nothing to restate/);
    assert.equal((await deal.read(id)).version, 1);
  });

  await t.test('of an earlier period must leave the later ones tied; their figures follow', async () => {
    const { deal, ids } = await paidDeal(desk, [[first, 100_000]], [FIRST, { ...SECOND, loss: 1_000 }]);
    const [id = '', lastId = ''] = ids;
    const refused = await deal.restate(id, deal.report({ principal: 12_000 }));
    assert.deepEqual([...codeOf(refused), refused.body.period], [409, 'CONFLICT', 2]);
    assert.match(refused.body.message ?? '', /It is APPLIED: .*bring the rest into the latest applied period/);
    // Principal that turns out to be losses leaves the balances as they were; interest was 100 too much.
    const other = deal.report({ principal: 20_000, interestOnA: (deal.report(FIRST).tranches[0]?.interest_paid ?? 0) - 100 });
    Object.assign(other.collateral, { scheduled_principal: 15_000, gross_losses: 5_000 });
    dataOf(await deal.restate(id, other));
    const last = await deal.read(lastId);
    assert.equal(last.pool.cumulative_net_loss, Number(((100 * 6_000) / deal.pool).toFixed(6)));
    const [correction] = await paidTo(desk, first, deal);
    assert.deepEqual([correction?.period, correction?.principal], [1, 0]);
    assert.equal(cents(correction?.interest ?? 0), -Math.round((10_000 * 100_000) / deal.a));
    const [position] = (await desk.read('portfolio/positions', first)).filter(
      (each: { deal_id: string }) => each.deal_id === deal.deal_id,
    );
    assert.equal(position.factor, Number(((deal.a - 35_000) / deal.a).toFixed(8)));
  });

  await t.test('raises an alert for a trigger that its figures put on', async () => {
    const { deal, ids } = await paidDeal(desk, [], [FIRST]);
    const breaches = async () =>
      dataOf(await desk.send('GET', '/v1/api/alerts?type=trigger.breached', desk.seller)).filter(
        (each: { entity_id: string }) => each.entity_id === deal.pool_id,
      ).length;
    assert.equal(await breaches(), 0);
    dataOf(await deal.restate(ids[0] ?? '', deal.report({ principal: 20_000, loss: 30_000 })));
    assert.equal(await breaches(), 1);
    dataOf(await deal.restate(ids[0] ?? '', deal.report({ principal: 20_000, loss: 31_000 })));
    assert.equal(await breaches(), 1, 'one that was on before raises no further alert');
  });

  await t.test('is in the audit log; a SCHEDULED one is not restated', async () => {
    const { deal, ids } = await paidDeal(desk, [], [FIRST]);
    dataOf(await deal.restate(ids[0] ?? '', deal.report({ principal: 12_000 })));
    const entry = (await desk.audited(ids[0] ?? '')).find((each) => each.action === 'remittance.restated');
    assert.deepEqual([entry?.actor, entry?.after?.version], [desk.seller.key_id, 2]);
    const ahead = dataOf(await deal.send(deal.report({ principal: 12_000 }, SECOND)));
    const refused = await deal.restate(ahead.remittance_id, deal.report({ principal: 12_000 }, { principal: 1 }));
    assert.deepEqual([...codeOf(refused), refused.body.current_status], [409, 'CONFLICT', 'SCHEDULED']);
  });

  await t.test('twice at once is restated once', async () => {
    const { deal, ids } = await paidDeal(desk, [[first, 100_000]], [FIRST]);
    const body = deal.report({ principal: 12_000 });
    const answers = await Promise.all(Array.from({ length: 3 }, () => deal.restate(ids[0] ?? '', body)));
    assert.deepEqual(
      answers.map((each) => each.status).sort((one, other) => one - other),
      [200, 409, 409],
    );
    assert.equal((await paidTo(desk, first, deal)).length, 2);
    assert.deepEqual(await problems(gateway), []);
  });

  await t.test('while the next one is applied, is one before or after the other', async () => {
    const { deal, ids } = await paidDeal(desk, [[first, 100_000]], [FIRST]);
    dataOf(await deal.send(deal.report(FIRST, SECOND)));
    const other = deal.report({ principal: 20_000, interestOnA: 1 });
    const release = await heldOpen(gateway, (tx) =>
      lockServicedPool(tx, desk.seller.organization_id, asId('pool', deal.pool_id)),
    );
    await gateway.setClock(`${PAYMENT_DATES[1]}T15:00:00Z`);
    const both = Promise.all([deal.restate(ids[0] ?? '', other), applyDueRemittances(gateway.deps.db)]);
    await waitingForLock(gateway, 2);
    await release();
    const [restated, applied] = await both;
    // Reports of other deals may have come due too.
    assert.deepEqual([restated.status, applied > 0], [200, true]);
    assert.equal((await paidTo(desk, first, deal)).length, 3);
    const [position] = (await desk.read('portfolio/positions', first)).filter(
      (each: { deal_id: string }) => each.deal_id === deal.deal_id,
    );
    assert.equal(position.factor, Number(((deal.a - 35_000) / deal.a).toFixed(8)));
    assert.deepEqual(await problems(gateway), []);
  });

  await t.test('from before payments were booked has its differences booked, which correct no payment', async () => {
    const { deal, ids } = await paidDeal(
      desk,
      [
        [first, 100_000],
        [second, 30_000, 1],
      ],
      [FIRST],
    );
    const owner = await gateway.owner();
    try {
      // As the reports are that were applied before there were payments.
      await owner.query('alter table ledger_entries disable trigger user');
      await owner.query('alter table payments disable trigger user');
      await owner.query(`delete from ledger_entries where payment_id in (select payment_id from payments where deal_id = $1)`, [
        deal.deal_id,
      ]);
      await owner.query(`delete from payments where deal_id = $1`, [deal.deal_id]);
    } finally {
      await owner.query('alter table ledger_entries enable trigger user');
      await owner.query('alter table payments enable trigger user');
      await owner.end();
    }
    dataOf(await deal.restate(ids[0] ?? '', deal.report({ principal: 12_000 })));
    const [correction, ...more] = await paidTo(desk, first, deal);
    assert.deepEqual([more.length, correction?.restates, correction?.interest], [0, null, 0]);
    const share = (amount: number) => Math.round((amount * 100_000) / deal.a);
    assert.equal(cents(correction?.principal ?? 0), share(1_200_000) - share(2_000_000));
    assert.deepEqual([await paidTo(desk, second, deal), await problems(gateway)], [[], []]);

    // A second restatement books what it changes of the first, to all who held face, whether that one booked them something or not.
    dataOf(await deal.restate(ids[0] ?? '', deal.report({ principal: 15_500, writedown: 800 })));
    const [again, before, ...none] = await paidTo(desk, first, deal);
    assert.deepEqual([none.length, before, again?.restates, again?.interest], [0, correction, null, 0]);
    assert.equal(cents(again?.principal ?? 0), share(1_550_000) - share(1_200_000));
    const [onB, ...others] = await paidTo(desk, second, deal);
    assert.deepEqual([others.length, onB?.principal, cents(onB?.writedown ?? 0)], [0, 0, Math.round((80_000 * 30_000) / deal.b)]);
    assert.deepEqual(await problems(gateway), []);

    dataOf(await deal.restate(ids[0] ?? '', deal.report(FIRST)));
    for (const [holder, amount] of [
      [first, 'principal'],
      [second, 'writedown'],
    ] as const)
      assert.equal(total(await paidTo(desk, holder, deal), amount), 0, 'restated back, nothing is left of the corrections');
    assert.deepEqual(await problems(gateway), []);

    const rows = await gateway.owner();
    try {
      await rows.query('alter table payments disable trigger user');
      await rows.query('update payments set principal = principal + 1 where payment_id = $1', [again?.payment_id]);
    } finally {
      await rows.query('alter table payments enable trigger user');
      await rows.end();
    }
    assert.deepEqual(
      (await problems(gateway)).filter((problem) => problem.includes(ids[0] ?? '')),
      [`the payments of ${ids[0]} on A-1 are 1.00, its report changed by 0`],
    );
  });
});

test('whatever is reported and restated: the ledger is valid, holders add up to the tranche, positions to its balance', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const holders = [await desk.investor(), await desk.investor(), await desk.investor()];
  const upTo = (most: number) => fc.integer({ min: 0, max: most * 100 }).map((each) => each / 100);
  const period = fc.record(
    { principal: upTo(90_000), loss: upTo(9_000), writedown: upTo(20_000), interestOnA: upTo(9_000) },
    { noNullPrototype: true },
  );
  const face = fc.integer({ min: 1, max: 99 }).map((each) => each * 1_000);
  await fc.assert(
    fc.asyncProperty(fc.tuple(face, face, face), fc.array(period, { minLength: 1, maxLength: 4 }), async (faces, versions) => {
      const [original = FIRST, ...others] = versions;
      const { deal, ids } = await paidDeal(
        desk,
        holders.map((holder, index): [Holder, number, number] => [holder, faces[index] ?? 0, index === 2 ? 1 : 0]),
        [original],
      );
      let now = original;
      for (const next of [...others, original]) {
        const answer = await deal.restate(ids[0] ?? '', deal.report(next));
        assert.ok(answer.status === 200 || JSON.stringify(next) === JSON.stringify(now), JSON.stringify(answer.body));
        now = next;
        const rows = dataOf(await desk.operate('GET', `payments?limit=100&deal_id=${deal.deal_id}`)) as Paid[];
        for (const row of deal.report(now).tranches) {
          const own = rows.filter((each) => each.tranche === row.tranche);
          assert.deepEqual(
            [total(own, 'interest'), total(own, 'principal'), total(own, 'writedown')],
            [cents(row.interest_paid), cents(row.principal_paid), cents(row.write_down ?? 0)],
          );
        }
        const balances = await gateway.deps.db.tx({ platform: true }, (tx) =>
          tx.rows<{ off: number; tolerance: number }>(
            `select abs(p.face * t.factor - p.face * t.current_balance / t.original_balance)::float8 as off, (p.face * 0.00000001)::float8 as tolerance
             from positions p join tranches t using (tranche_id) where p.deal_id = $1`,
            [deal.deal_id],
          ),
        );
        assert.equal(balances.length, 3);
        for (const { off, tolerance } of balances) assert.ok(off <= tolerance, `${off}`);
      }
      for (const holder of holders) {
        const rows = await paidTo(desk, holder, deal);
        const corrections = rows.filter((each) => each.restates !== null);
        for (const amount of ['interest', 'principal', 'writedown'] as const) assert.equal(total(corrections, amount), 0, amount);
      }
      assert.deepEqual(await problems(gateway), []);
    }),
    { numRuns: 6 },
  );
});
