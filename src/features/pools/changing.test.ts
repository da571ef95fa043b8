import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, type Gateway, startGateway, codeOf } from '../../../test/support/gateway.ts';
import { selector } from '../../../test/support/criteria.ts';
import { waitingForLock } from '../../../test/support/desk.ts';
import { approvedDeal, formPool, POOL_DATES, structureOver } from '../../../test/support/pools.ts';
import { autoTape } from '../../../test/support/tapes.ts';

const scoreOf = (op: string, value: number) => [{ id: 'score', rule: { field: 'credit_score', op, value } }];

test('a pool that is changed', async (t) => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  /** An originator with approved deals of these numbers of loans and a pool over the first of them. */
  const seller = async (name: string, ...rows: number[]) => {
    const as = await gateway.key('originator', name);
    const deals: string[] = [];
    for (const each of rows) deals.push(await approvedDeal(gateway, as, operator, { rows: each }));
    const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
      gateway.call(method, `/v1/api/originator/pools${path}`, { as, ...(body === undefined ? {} : { body }) });
    const formed = await formPool(gateway, as, deals.slice(0, 1));
    assert.equal(formed.status, 201, JSON.stringify(formed.body));
    const id: string = formed.body.data.pool_id;
    return {
      as,
      deals,
      call,
      id,
      change: (body: object) => call('PATCH', `/${id}`, body),
      pool: async () => (await call('GET', `/${id}`)).body.data,
      form: (dealIds: string[], more: Record<string, unknown> = {}) => formPool(gateway, as, dealIds, more),
    };
  };

  await t.test('takes in further deals with their loans, and gives back those that it leaves', async () => {
    const { deals, change, pool, form } = await seller('Growing', 6, 4);
    const [first = '', second = ''] = deals;
    const grown = await change({ deal_ids: deals });
    assert.deepEqual([grown.status, grown.body.data.loan_count, grown.body.data.deal_ids], [200, 10, deals]);
    assert.deepEqual((await pool()).tape_versions, { [first]: 1, [second]: 1 });
    assert.deepEqual(codeOf(await form([second])), [409, 'LOAN_ALREADY_POOLED']);
    assert.equal((await change({ deal_ids: [first] })).body.data.loan_count, 6);
    assert.equal((await form([second])).status, 201);
  });

  await t.test('selects its loans by a filter that comes, changes and goes', async () => {
    const { change, form, deals, pool } = await seller('Filtered', 10);
    // Scores of the small tape are 620 + row.
    assert.equal((await change({ filter: scoreOf('lt', 625) })).body.data.loan_count, 5);
    assert.equal((await form(deals, { filter: scoreOf('gte', 625) })).body.data.loan_count, 5, 'the others are free');
    const refused = await change({ filter: scoreOf('lte', 625) });
    assert.deepEqual(codeOf(refused), [409, 'LOAN_ALREADY_POOLED']);
    assert.deepEqual([(await pool()).loan_count, (await pool()).filter], [5, scoreOf('lt', 625)]);
    assert.equal((await change({ filter: scoreOf('lt', 623) })).body.data.loan_count, 3);
    assert.deepEqual(codeOf(await change({ filter: null })), [409, 'LOAN_ALREADY_POOLED'], 'without a filter it wants them all');
  });

  await t.test('has its former loans deleted from the store, but for those that a calculation names', async () => {
    const { as, change, call, id, pool } = await seller('Tidy', 10);
    const rows = <Row>(sql: string, values: unknown[] = []): Promise<Row[]> =>
      gateway.deps.db.tx({ platform: true }, (tx) => tx.rows<Row>(sql, values));
    const keys = async () => (await rows<{ loans_key: string }>('select loans_key from pools where pool_id = $1', [id]))[0];
    const removed = async () =>
      (
        await rows<{ object_key: string }>('select object_key from removed_objects where organization_id = $1', [
          as.organization_id,
        ])
      ).map((row) => row.object_key);
    const former = (await keys())?.loans_key ?? '';
    assert.equal((await change({ filter: scoreOf('lt', 628) })).status, 200);
    assert.deepEqual(await removed(), [former]);
    assert.equal((await call('PUT', `/${id}/structure`, structureOver((await pool()).balance))).status, 200);
    const path = `/v1/api/originator/analytics/pools/${id}/calculations`;
    const calculated = await gateway.call('POST', path, { as, body: { type: 'CASHFLOW' } });
    assert.equal(calculated.status, 202, JSON.stringify(calculated.body));
    assert.equal((await change({ name: 'Tidier', filter: scoreOf('gte', 600) })).status, 200);
    assert.deepEqual(await removed(), [former], 'a calculation names the second');

    // A calculation that is requested while the loans are changed names those that the pool has afterwards.
    let meanwhile: Promise<Answer> | undefined;
    await gateway.deps.db.tx({ organization: as.organization_id }, async (tx) => {
      await tx.exec('update pools set loans_key = $2 where pool_id = $1', [id, former]);
      meanwhile = gateway.call('POST', path, { as, body: { type: 'CASHFLOW' } });
      await Promise.race([waitingForLock(gateway), meanwhile]);
    });
    const asked = await meanwhile;
    assert.ok(asked);
    assert.equal(asked.status, 202, JSON.stringify(asked.body));
    const [named] = await rows(`select inputs -> 'pool' ->> 'loans_key' as key from calculations where calculation_id = $1`, [
      asked.body.data.calculation_id,
    ]);
    assert.deepEqual(named, { key: former });
  });

  await t.test('stands in its own way in no selection: loans that it holds already stay its own', async () => {
    const { change } = await seller('Own loans', 10);
    assert.equal((await change({ filter: scoreOf('lt', 628) })).body.data.loan_count, 8);
    assert.equal((await change({ filter: scoreOf('gte', 622) })).body.data.loan_count, 8);
    assert.equal((await change({ filter: null })).body.data.loan_count, 10);
  });

  await t.test('is refused what cannot be, and is afterwards as it was', async () => {
    const { change, pool, as } = await seller('Refused', 6);
    const before = await pool();
    const personal = await approvedDeal(gateway, as, operator, { loanType: 'Personal', bytes: autoTape(4) });
    const [held] = before.deal_ids;
    const refusals: [object, number, string][] = [
      [{ deal_ids: [held, personal] }, 422, 'LOAN_TYPE_MISMATCH'],
      [{ deal_ids: [held, 'deal_none'] }, 404, 'NOT_FOUND'],
      [{ deal_ids: [] }, 400, 'VALIDATION_FAILED'],
      [{ deal_ids: [held, held] }, 400, 'VALIDATION_FAILED'],
      [{ filter: scoreOf('gte', 900) }, 422, 'UNPROCESSABLE'],
      [{ filter: [{ id: 'x', rule: { field: 'shoe_size', op: 'gte', value: 1 } }] }, 422, 'UNKNOWN_FIELD'],
      [{ filter: [{ id: 'x', rulle: {}, rule: { field: 'credit_score', op: 'gte', value: 1 } }] }, 422, 'UNKNOWN_FIELD'],
      [{ sc_job_ids: ['scj_none'] }, 404, 'NOT_FOUND'],
      [{ cut_off_date: '2026-12-16' }, 422, 'UNPROCESSABLE'],
      [{ closing_date: '2026-11-29' }, 422, 'UNPROCESSABLE'],
      [{ closing_date: '2026-02-30' }, 400, 'VALIDATION_FAILED'],
      [{ offering: '144B' }, 400, 'VALIDATION_FAILED'],
      [{ name: '' }, 400, 'VALIDATION_FAILED'],
      [{ name: null }, 400, 'VALIDATION_FAILED'],
    ];
    for (const [body, status, code] of refusals)
      assert.deepEqual(codeOf(await change(body)), [status, code], JSON.stringify(body));
    assert.deepEqual(await pool(), before);
  });

  await t.test('may move its dates, up to a closing on the cut-off', async () => {
    const { change } = await seller('Dated', 6);
    const later = await change({ cut_off_date: '2026-12-15' });
    assert.deepEqual(
      [later.status, later.body.data.cut_off_date, later.body.data.closing_date],
      [200, '2026-12-15', '2026-12-15'],
    );
    assert.equal((await change({ closing_date: '2027-03-31' })).body.data.closing_date, '2027-03-31');
  });

  await t.test('may be of another loan type, with all of its deals', async () => {
    const { change, as } = await seller('Retyped', 6);
    const personal = await approvedDeal(gateway, as, operator, { loanType: 'Personal', bytes: autoTape(4) });
    const changed = await change({ deal_ids: [personal] });
    assert.deepEqual([changed.status, changed.body.data.loan_type, changed.body.data.loan_count], [200, 'Personal', 4]);
  });

  await t.test('is written down with what it became, and nothing is where the change was refused', async () => {
    const { change, as, id } = await seller('Logged', 6);
    const renamed = await change({ name: 'Renamed' });
    await change({ closing_date: '2026-11-29' });
    for (const same of [{}, { name: 'Renamed' }]) assert.deepEqual((await change(same)).body, renamed.body);
    const { body } = await gateway.call('GET', `/v1/api/audit?entity_id=${id}`, { as });
    assert.deepEqual(
      body.data.map((entry: { action: string; after: { name: string } }) => [entry.action, entry.after.name]),
      [
        ['pool.changed', 'Renamed'],
        ['pool.formed', 'Harbor Auto 2026-1'],
      ],
    );
  });

  await t.test('is not overwritten by a change that began before: whoever comes later reads it and tries again', async () => {
    const { change, pool, deals, form } = await seller('Overtaken', 6, 4);
    const overtaken = await whileSelecting(
      gateway,
      () => change({ deal_ids: deals }),
      async () => assert.equal((await change({ name: 'First' })).status, 200),
    );
    assert.deepEqual(codeOf(overtaken), [409, 'CONFLICT']);
    assert.deepEqual([(await pool()).name, (await pool()).loan_count], ['First', 6]);
    assert.equal((await form(deals.slice(1))).status, 201, 'the loans that it wanted are free');
  });

  await t.test('is not formed of a deal that was withdrawn while its loans were selected', async () => {
    const { form, deals, call } = await seller('Withdrawn meanwhile', 6, 4);
    const [, second = ''] = deals;
    const refused = await whileSelecting(
      gateway,
      () => form([second]),
      async () => {
        const path = `/v1/operator/deals/${second}/withdraw`;
        const withdrawn = await gateway.call('POST', path, { as: operator, body: { reason: 'Sold.' } });
        assert.equal(withdrawn.status, 200, JSON.stringify(withdrawn.body));
      },
    );
    assert.deepEqual([...codeOf(refused), refused.body.current_status], [409, 'CONFLICT', 'WITHDRAWN']);
    assert.equal((await call('GET', '')).body.pagination.total, 1);
  });

  await t.test('while its structure is put keeps one of the two', async () => {
    const { call, change, id, pool } = await seller('Contested', 6);
    const { balance } = await pool();
    const answers = await Promise.all([change({ name: 'Other' }), call('PUT', `/${id}/structure`, structureOver(balance))]);
    assert.ok(
      answers.every((answer) => answer.status === 200 || answer.body.code === 'CONFLICT'),
      JSON.stringify(answers),
    );
    const after = await pool();
    assert.equal(after.name, answers[0]?.status === 200 ? 'Other' : 'Harbor Auto 2026-1');
    assert.equal(after.status, answers[1]?.status === 200 ? 'STRUCTURED' : 'DRAFT');
  });

  await t.test('that was cancelled is not changed and not formed anew, and its name is free', async () => {
    const { call, change, id, form, deals } = await seller('Cancelled', 6);
    const cancelled = await call('DELETE', `/${id}`);
    assert.deepEqual([cancelled.status, cancelled.body.data.pool_id, cancelled.body.data.status], [200, id, 'CANCELLED']);
    const refused = await change({ name: 'Late' });
    assert.deepEqual(
      [...codeOf(refused), refused.body.current_status, refused.body.allowed],
      [409, 'INVALID_TRANSITION', 'CANCELLED', []],
    );
    assert.deepEqual(codeOf(await call('DELETE', `/${id}`)), [409, 'INVALID_TRANSITION']);
    assert.equal((await form(deals)).status, 201);
  });
});

test('a pool of the loans that passed', async (t) => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  const approve = (dealId: string) => gateway.call('POST', `/v1/operator/deals/${dealId}/approve`, { as: operator });

  await t.test('holds those that passed every run that it names', async () => {
    const own = await selector(gateway, 'Several');
    await approve(own.dealId);
    const below = await own.save({
      loan_type: 'Auto',
      loan_rules: [{ id: 'S', rule: { field: 'credit_score', op: 'lt', value: 645 } }],
    });
    const [from, to] = [(await own.run()).sc_job_id, (await own.run({ criteria_id: below })).sc_job_id];
    const count = async (...ids: string[]) => {
      const formed = await formPool(gateway, own.as, [own.dealId], { sc_job_ids: ids });
      await gateway.call('DELETE', `/v1/api/originator/pools/${formed.body.data.pool_id}`, { as: own.as });
      return formed.body.data.loan_count;
    };
    assert.deepEqual([await count(from), await count(to), await count(from, to)], [10, 25, 5]);
  });

  await t.test('takes waived loans for passed ones', async () => {
    const own = await selector(gateway, 'Waived');
    await approve(own.dealId);
    const { exception_file_id } = await own.run();
    const { waiver_id } = (await own.waive(exception_file_id, ['A000001', 'A000002'])).body.data;
    await gateway.call('POST', `/v1/operator/waivers/${waiver_id}/approve`, { as: operator });
    const { sc_job_id, waived } = await own.run();
    const formed = await formPool(gateway, own.as, [own.dealId], { sc_job_ids: [sc_job_id] });
    assert.deepEqual([waived, formed.body.data.loan_count], [2, 12]);
  });

  await t.test('is not formed of a run that was cancelled', async () => {
    const own = await selector(gateway, 'Cancelled run');
    await approve(own.dealId);
    const id = await own.queue();
    await own.call('DELETE', `/jobs/${id}`);
    const refused = await formPool(gateway, own.as, [own.dealId], { sc_job_ids: [id] });
    assert.deepEqual(codeOf(refused), [409, 'CONFLICT']);
    assert.match(refused.body.message ?? '', /is CANCELLED/);
  });
});

test('pools are listed by the time of their creation too, and the operator sees those of all', async () => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  const [one, two] = [await gateway.key('originator', 'One'), await gateway.key('originator', 'Two')];
  const formed = async (as: typeof one) =>
    (await formPool(gateway, as, [await approvedDeal(gateway, as, operator, { rows: 5 })], POOL_DATES)).body.data;
  const [first, second] = [await formed(one), await formed(two)];
  const ids = async (path: string, as = one) =>
    (await gateway.call('GET', path, { as })).body.data.map((pool: { pool_id: string }) => pool.pool_id);
  const own = '/v1/api/originator/pools';
  assert.deepEqual(
    [await ids(`${own}?from=${first.created_at}`), await ids(`${own}?to=${first.created_at}`)],
    [[first.pool_id], [first.pool_id]],
  );
  assert.deepEqual([await ids(`${own}?to=2020-01-01`), await ids(`${own}?from=2999-01-01`)], [[], []]);
  assert.deepEqual(codeOf(await gateway.call('GET', `${own}?from=2021-01-02&to=2021-01-01`, { as: one })), [
    422,
    'RANGE_REVERSED',
  ]);
  const all = '/v1/operator/pools';
  assert.deepEqual(await ids(all, operator), [second.pool_id, first.pool_id]);
  assert.deepEqual(await ids(`${all}?organization_id=${one.organization_id}`, operator), [first.pool_id]);
  assert.deepEqual(await ids(`${all}?deal_id=${second.deal_ids[0]}`, operator), [second.pool_id]);
  assert.deepEqual(await ids(`${all}?status=ISSUED`, operator), []);
});

/** Makes a request that selects loans, and does something else between the selection and the transaction that writes the pool. */
async function whileSelecting(gateway: Gateway, request: () => Promise<Answer>, meanwhile: () => Promise<void>): Promise<Answer> {
  const { store } = gateway.deps;
  const put = store.put.bind(store);
  store.put = async (...given) => {
    store.put = put;
    await meanwhile();
    return put(...given);
  };
  return request();
}
