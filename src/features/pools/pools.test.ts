import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, type Gateway, type Holder, startGateway, codeOf } from '../../../test/support/gateway.ts';
import { approvedDeal, formPool, POOL_DATES, structureOver } from '../../../test/support/pools.ts';
import { autoTape, sendTape } from '../../../test/support/tapes.ts';

const statuses = (answers: readonly Answer[]) => answers.map((answer) => answer.status).sort((a, b) => a - b);
const rule = (condition: unknown, more: object = {}) => ({ id: 'score', rule: condition, ...more });
const scoreOf = (op: string, value: number) => ({ field: 'credit_score', op, value });

test('forming pools', async (t) => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  let sellers = 0;
  /** An originator of its own with approved Auto deals of these numbers of loans. */
  const seller = async (...rows: number[]) => {
    const ours = await gateway.key('originator', `Seller ${(sellers += 1)}`);
    const deals: string[] = [];
    for (const each of rows) deals.push(await approvedDeal(gateway, ours, operator, { rows: each }));
    return { ours, deals, call: callAs(gateway, ours), form: formAs(gateway, ours) };
  };

  await t.test('a pool holds the accepted loans of its deals with exact figures', async () => {
    const { call, form, deals } = await seller(60, 40);
    const { status, body } = await form(deals);
    assert.equal(status, 201);
    // Balances of the small tape are 18,000 + 10 × row.
    const balance = 60 * 18_000 + 10 * 1_770 + 40 * 18_000 + 10 * 780;
    const { loan_count, wac, wam, deal_id, offering, loan_type } = body.data;
    assert.deepEqual(
      [loan_count, body.data.balance, body.data.status, wac, wam, deal_id, offering, loan_type],
      [100, balance, 'DRAFT', 7.25, 50, null, '144A', 'Auto'],
    );
    const detail = (await call('GET', `/${body.data.pool_id}`)).body.data;
    assert.deepEqual(detail.tape_versions, Object.fromEntries(deals.map((deal) => [deal, 1])));
    assert.deepEqual([detail.structure, detail.structure_version, detail.warnings, detail.last_remittance], [null, 0, [], null]);
  });

  await t.test('pools are listed newest first by status and type, and another organization sees none of them', async () => {
    const { call, form, deals } = await seller(5, 5);
    const first = (await form([deals[0] ?? ''])).body.data.pool_id;
    const second = (await form([deals[1] ?? ''])).body.data.pool_id;
    await call('DELETE', `/${first}`);
    const listed = async (query: string, as = call) =>
      (await as('GET', query)).body.data.map((pool: { pool_id: string }) => pool.pool_id);
    assert.deepEqual(await listed(''), [second, first]);
    assert.deepEqual(await listed('?status=DRAFT'), [second]);
    assert.deepEqual(await listed('?status=CANCELLED&type=Auto'), [first]);
    assert.deepEqual(await listed('?type=Mortgage'), []);
    assert.deepEqual(await listed('?limit=1&page=2'), [first]);
    const stranger = await seller();
    assert.deepEqual(await listed('', stranger.call), []);
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { name: 'Mine' }],
      ['DELETE', '', undefined],
      ['PUT', '/structure', structureOver(80_000)],
      ['POST', '/lock', undefined],
      ['POST', '/issue', undefined],
    ] as const) {
      const answer = await stranger.call(method, `/${second}${path}`, body);
      assert.deepEqual(codeOf(answer), [404, 'NOT_FOUND'], `${method} ${path}`);
    }
    const investor = callAs(gateway, await gateway.key('investor', 'Looker'));
    assert.deepEqual(codeOf(await investor('GET', `/${second}`)), [403, 'ROLE_FORBIDDEN']);
    assert.equal((await call('GET', `/${second}`)).body.data.name, 'Harbor Auto 2026-1');
  });

  await t.test('a loan is in one live pool, and free again when that pool is cancelled', async () => {
    const { call, form, deals } = await seller(6, 4);
    const owner = (await form([deals[0] ?? ''])).body.data.pool_id;
    const refused = await form(deals);
    assert.deepEqual([...codeOf(refused), refused.body.pool_ids], [409, 'LOAN_ALREADY_POOLED', [owner]]);
    assert.match(refused.body.message ?? '', new RegExp(owner));
    assert.equal((await call('DELETE', `/${owner}`)).status, 200);
    assert.equal((await form(deals)).status, 201);
  });

  await t.test('two pools share a deal when their filters part its loans, down to the one loan on the line', async () => {
    const { form, deals } = await seller(10);
    // Scores of the small tape are 620 + row.
    const low = await form(deals, { filter: [rule(scoreOf('lte', 625))] });
    assert.deepEqual([low.status, low.body.data.loan_count], [201, 6]);
    const overlapping = await form(deals, { filter: [rule(scoreOf('gte', 625))] });
    assert.deepEqual([...codeOf(overlapping), overlapping.body.pool_ids], [409, 'LOAN_ALREADY_POOLED', [low.body.data.pool_id]]);
    const high = await form(deals, { filter: [rule(scoreOf('gt', 625))] });
    assert.deepEqual([high.status, high.body.data.loan_count], [201, 4]);
  });

  await t.test('of pools requested at once over the same loans one is formed', async () => {
    const { call, form, deals } = await seller(12);
    const answers = await Promise.all(Array.from({ length: 8 }, () => form(deals)));
    assert.deepEqual(statuses(answers), [201, ...Array.from({ length: 7 }, () => 409)]);
    assert.equal((await call('GET', '')).body.pagination.total, 1);
  });

  await t.test('of two pools that take the same deal over at once one gets it', async () => {
    const { call, form, deals } = await seller(5, 6, 7);
    const [a = '', b = '', wanted = ''] = deals;
    const pools = [(await form([a])).body.data.pool_id, (await form([b])).body.data.pool_id];
    const answers = await Promise.all([
      call('PATCH', `/${pools[0]}`, { deal_ids: [a, wanted] }),
      call('PATCH', `/${pools[1]}`, { deal_ids: [b, wanted] }),
    ]);
    assert.deepEqual(statuses(answers), [200, 409]);
    const counts = await Promise.all(pools.map(async (pool) => (await call('GET', `/${pool}`)).body.data.loan_count));
    assert.deepEqual(counts, answers[0]?.status === 200 ? [12, 6] : [5, 13]);
  });

  await t.test('changes of one pool at once leave it with the loans that it claims', async () => {
    const { call, form, deals } = await seller(5, 6);
    const pool = (await form(deals)).body.data.pool_id;
    const answers = await Promise.all(deals.map((deal) => call('PATCH', `/${pool}`, { deal_ids: [deal] })));
    assert.ok(
      answers.every((answer) => answer.status === 200 || answer.body.code === 'CONFLICT'),
      JSON.stringify(answers),
    );
    const [kept] = (await call('GET', `/${pool}`)).body.data.deal_ids;
    const [released] = deals.filter((deal) => deal !== kept);
    assert.deepEqual(codeOf(await form([kept])), [409, 'LOAN_ALREADY_POOLED']);
    assert.equal((await form([released ?? ''])).status, 201);
  });

  await t.test('only approved deals of one type are pooled, and another’s deal answers as an absent one', async () => {
    const { ours, form, deals } = await seller(5);
    const [approved = ''] = deals;
    const draft = await sendTape(gateway, ours, { loanType: 'Auto', bytes: autoTape(5) });
    const refused = await form([approved, draft.deal_id]);
    assert.deepEqual([...codeOf(refused), refused.body.deal_id], [409, 'CONFLICT', draft.deal_id]);
    const stranger = await seller();
    assert.deepEqual(codeOf(await stranger.form([approved])), [404, 'NOT_FOUND']);
    assert.deepEqual(codeOf(await form(['deal_nope'])), [404, 'NOT_FOUND']);
    const personal = await approvedDeal(gateway, ours, operator, { loanType: 'Personal', bytes: autoTape(5) });
    const mixed = await form([approved, personal]);
    assert.deepEqual([...codeOf(mixed), mixed.body.errors?.[0].field], [422, 'LOAN_TYPE_MISMATCH', 'deal_ids[1]']);
  });

  await t.test('dates the wrong way round, too much and repeated input are refused before any loan is selected', async () => {
    const { call, form, deals } = await seller(5);
    const late = await form(deals, { cut_off_date: '2027-01-01' });
    assert.deepEqual([...codeOf(late), late.body.errors?.[0].field], [422, 'UNPROCESSABLE', 'closing_date']);
    const same = await form(deals, { cut_off_date: '2026-12-15' });
    assert.equal(same.status, 201, 'a pool may close on its cut-off date');
    const [deal = ''] = deals;
    for (const body of [
      { deal_ids: [] },
      { deal_ids: [deal, deal] },
      { deal_ids: Array.from({ length: 51 }, (_, index) => `deal_${index}`) },
      { name: '' },
      { name: 'x'.repeat(201) },
      { cut_off_date: '2026-02-30' },
      { offering: '144B' },
      { filter: Array.from({ length: 201 }, () => rule(scoreOf('gte', 1))) },
      { sc_job_ids: Array.from({ length: 51 }, (_, index) => `scj_${index}`) },
    ]) {
      const answer = await call('POST', '', { name: 'Large', deal_ids: deals, ...POOL_DATES, ...body });
      assert.deepEqual(codeOf(answer), [400, 'VALIDATION_FAILED'], JSON.stringify(body).slice(0, 80));
    }
  });

  await t.test(
    'a filter keeps the loans that meet its rules; one without the value does not, and `warn` excludes none',
    async () => {
      const { ours } = await seller();
      const bytes = autoTape(10, (row, index) => {
        if (index === 9) row.FICO = '';
      });
      const deal = await approvedDeal(gateway, ours, operator, { bytes });
      const count = async (...filter: object[]) => {
        const formed = await formPool(gateway, ours, [deal], { filter });
        assert.equal(formed.status, 201, JSON.stringify(formed.body));
        await callAs(gateway, ours)('DELETE', `/${formed.body.data.pool_id}`);
        return formed.body.data.loan_count;
      };
      assert.equal(await count(rule(scoreOf('gte', 624))), 5);
      assert.equal(await count(rule(scoreOf('lt', 624))), 4);
      assert.equal(await count(rule(scoreOf('gte', 624), { severity: 'warn' })), 10);
      assert.equal(await count(rule(scoreOf('gte', 624)), { id: 'top', rule: scoreOf('lt', 627) }), 3);
    },
  );

  await t.test('a fault of a filter is named with its path, and a filter that leaves no loan forms no pool', async () => {
    const { call, form, deals } = await seller(5);
    const unknown = await form(deals, { filter: [rule({ field: 'shoe_size', op: 'gte', value: 1 })] });
    assert.deepEqual([...codeOf(unknown), unknown.body.errors?.[0].field], [422, 'UNKNOWN_FIELD', 'filter[0].rule.field']);
    const second = await form(deals, { filter: [rule(scoreOf('gte', 1)), rule(scoreOf('like', 1), { id: 'odd' })] });
    assert.equal(second.status, 422);
    assert.match(second.body.errors?.[0].field, /^filter\[1\]\.rule/);
    for (const { body } of [unknown, second]) {
      const [fault] = body.errors ?? [];
      assert.ok(String(body.message).includes(`${fault.field}: ${fault.message}`), String(body.message));
    }
    assert.deepEqual(codeOf(await form(deals, { filter: [rule(scoreOf('gte', 900))] })), [422, 'UNPROCESSABLE']);
    assert.equal((await call('GET', '')).body.pagination.total, 0);
  });

  await t.test('with a run of selection criteria only the loans that passed are pooled', async () => {
    const { ours, form, deals } = await seller(60, 40);
    const [first = '', second = ''] = deals;
    const runId = await startRun(gateway, ours, first, scoreOf('gte', 650));
    const early = await form([first], { sc_job_ids: [runId] });
    assert.deepEqual(codeOf(early), [409, 'CONFLICT'], 'it has not ended');
    await gateway.runJobs();
    const formed = await form([first, second], { sc_job_ids: [runId] });
    assert.deepEqual([formed.status, formed.body.data.loan_count], [201, 30 + 40], 'a deal without a run is pooled whole');
    const other = await form([second], { sc_job_ids: [runId] });
    assert.deepEqual([...codeOf(other), other.body.errors?.[0].code], [422, 'UNPROCESSABLE', 'OTHER_DEAL']);
    assert.deepEqual(codeOf(await form([first], { sc_job_ids: ['scj_nope'] })), [404, 'NOT_FOUND']);
    const stranger = await seller(5);
    assert.deepEqual(codeOf(await stranger.form(stranger.deals, { sc_job_ids: [runId] })), [404, 'NOT_FOUND']);
  });

  await t.test('a run over other loans than those that the deal has now is refused', async () => {
    const { ours, form, deals } = await seller(10);
    const runId = await startRun(gateway, ours, deals[0] ?? '', scoreOf('gte', 625));
    await gateway.runJobs();
    const change = (assignment: string) =>
      gateway.deps.db.tx({ platform: true }, (tx) => tx.exec(`update sc_jobs set ${assignment} where sc_job_id = $1`, [runId]));
    await change(`loans_key = 'mapped/before'`);
    const remapped = await form(deals, { sc_job_ids: [runId] });
    assert.deepEqual(codeOf(remapped), [409, 'CONFLICT']);
    assert.match(remapped.body.message ?? '', /mapping of the tape was changed/);
    await change('tape_version = 2');
    const older = await form(deals, { sc_job_ids: [runId] });
    assert.deepEqual(codeOf(older), [409, 'CONFLICT']);
    assert.match(older.body.message ?? '', /version 2 of the tape, but the deal has version 1 now/);
  });

  await t.test('a pool warns where original balances are used', async () => {
    const { ours, call, form } = await seller();
    const bytes = autoTape(5).replace('Current Balance', 'Column nobody knows');
    const dealId = await approvedDeal(gateway, ours, operator, { bytes });
    const made = (await form([dealId])).body.data;
    assert.equal(made.balance, 5 * 20_000 + 100);
    const { warnings } = (await call('GET', `/${made.pool_id}`)).body.data;
    assert.deepEqual(warnings, [`the tape of ${dealId} has no current balances: original balances are used instead`]);
  });

  await t.test('a repeated request with one Idempotency-Key forms one pool', async () => {
    const { ours, call, deals } = await seller(5);
    const send = () =>
      gateway.call('POST', '/v1/api/originator/pools', {
        as: ours,
        headers: { 'idempotency-key': 'form-once' },
        body: { name: 'Once', deal_ids: deals, ...POOL_DATES },
      });
    const [a, b] = [await send(), await send()];
    assert.deepEqual([a.status, b.status, b.headers['idempotency-replayed']], [201, 201, 'true']);
    assert.deepEqual(a.body.data, b.body.data);
    assert.equal((await call('GET', '')).body.pagination.total, 1);
  });

  await t.test('a changed pool selects its loans again, and its structure must still fit', async () => {
    const { call, form, deals } = await seller(60, 40);
    const [first = '', second = ''] = deals;
    const pool = (await form(deals)).body.data;
    await call('PUT', `/${pool.pool_id}/structure`, structureOver(pool.balance));
    const smaller = await call('PATCH', `/${pool.pool_id}`, { deal_ids: [first] });
    assert.deepEqual(codeOf(smaller), [422, 'TRANCHES_EXCEED_POOL']);
    assert.equal((await call('GET', `/${pool.pool_id}`)).body.data.loan_count, 100, 'a refused change changes nothing');
    await call('PUT', `/${pool.pool_id}/structure`, structureOver(500_000));
    const fits = await call('PATCH', `/${pool.pool_id}`, { deal_ids: [first] });
    assert.deepEqual([fits.status, fits.body.data.loan_count, fits.body.data.status], [200, 60, 'STRUCTURED']);
    assert.equal((await form([second])).status, 201, 'the loans that were left out are free');
  });

  await t.test('a change of name or offering keeps loans and structure', async () => {
    const { call, form, deals } = await seller(6);
    const { pool_id, balance } = (await form(deals)).body.data;
    await call('PUT', `/${pool_id}/structure`, structureOver(balance));
    const before = (await call('GET', `/${pool_id}`)).body.data;
    const changed = await call('PATCH', `/${pool_id}`, { name: 'Renamed', offering: 'REG_S', deal_ids: deals });
    assert.deepEqual([changed.status, changed.body.data.name, changed.body.data.offering], [200, 'Renamed', 'REG_S']);
    const after = (await call('GET', `/${pool_id}`)).body.data;
    const { updated_at: _, ...kept } = after;
    assert.deepEqual({ ...kept, updated_at: before.updated_at }, { ...before, name: 'Renamed', offering: 'REG_S' });
    const late = await call('PATCH', `/${pool_id}`, { closing_date: '2026-11-29' });
    assert.deepEqual(codeOf(late), [422, 'UNPROCESSABLE']);
  });
});

const callAs = (gateway: Gateway, as: Holder) => (method: string, path: string, body?: unknown) =>
  gateway.call(method, `/v1/api/originator/pools${path}`, { as, ...(body === undefined ? {} : { body }) });

const formAs =
  (gateway: Gateway, as: Holder) =>
  (deals: string[], more: Record<string, unknown> = {}): Promise<Answer> =>
    formPool(gateway, as, deals, more);

/** Queues a run of criteria with one rule; the id of the run. */
async function startRun(gateway: Gateway, as: Holder, dealId: string, condition: unknown): Promise<string> {
  const criteria = await gateway.call('POST', '/v1/api/originator/sc/criteria', {
    as,
    body: { name: 'Score', loan_type: 'Auto', loan_rules: [{ id: 'score', rule: condition }] },
  });
  const run = await gateway.call('POST', `/v1/api/originator/sc/deals/${dealId}/run`, {
    as,
    body: { criteria_id: criteria.body.data.criteria_id },
  });
  return run.body.data.sc_job_id;
}
