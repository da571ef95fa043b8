import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, startGateway } from '../../../test/support/gateway.ts';
import { approvedDeal, formPool, issuedDeal, POOL_DATES, structuredPool, structureOver } from '../../../test/support/pools.ts';
import { autoTape, sendTape } from '../../../test/support/tapes.ts';

const codes = (answer: Answer) => [answer.status, answer.body.code];

test('pools', async (t) => {
  await using gateway = await startGateway();
  const [ours, theirs, operator] = [
    await gateway.key('originator', 'Ours'),
    await gateway.key('originator', 'Theirs'),
    await gateway.key('operator', 'Platform'),
  ];
  const call = (method: string, path: string, body?: unknown, as = ours) =>
    gateway.call(method, `/v1/api/originator/pools${path}`, { as, ...(body === undefined ? {} : { body }) });
  const first = await approvedDeal(gateway, ours, operator, { rows: 60 });
  const second = await approvedDeal(gateway, ours, operator, { rows: 40 });

  await t.test('a pool holds the accepted loans of its deals with exact figures', async () => {
    const { status, body } = await formPool(gateway, ours, [first, second]);
    assert.equal(status, 201);
    // Balances of the small tape are 18,000 + 10 × row.
    const balance = 60 * 18_000 + 10 * 1_770 + 40 * 18_000 + 10 * 780;
    const { loan_count, wac, wam, deal_id, offering, loan_type } = body.data;
    assert.deepEqual(
      [loan_count, body.data.balance, body.data.status, wac, wam, deal_id, offering, loan_type],
      [100, balance, 'DRAFT', 7.25, 50, null, '144A', 'Auto'],
    );
    const detail = (await call('GET', `/${body.data.pool_id}`)).body.data;
    assert.deepEqual(detail.tape_versions, { [first]: 1, [second]: 1 });
    assert.deepEqual([detail.structure, detail.structure_version, detail.warnings], [null, 0, []]);
    assert.equal((await call('GET', '')).body.pagination.total, 1);
    assert.equal((await call('DELETE', `/${body.data.pool_id}`)).status, 200);
  });

  await t.test('a loan is in one live pool, and free again when that pool is cancelled', async () => {
    const held = await formPool(gateway, ours, [first]);
    const refused = await formPool(gateway, ours, [second, first]);
    assert.deepEqual(codes(refused), [409, 'LOAN_ALREADY_POOLED']);
    assert.deepEqual(refused.body.pool_ids, [held.body.data.pool_id]);
    assert.equal((await call('DELETE', `/${held.body.data.pool_id}`)).status, 200);
    const again = await formPool(gateway, ours, [second, first]);
    assert.equal(again.status, 201);
    assert.equal((await call('DELETE', `/${again.body.data.pool_id}`)).status, 200);
  });

  await t.test('of pools asked for at once over the same loans one is formed', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => formPool(gateway, ours, [first])));
    assert.deepEqual(
      answers.map((answer) => answer.status).sort((a, b) => a - b),
      [201, ...Array.from({ length: 7 }, () => 409)],
    );
    const formed = answers.find((answer) => answer.status === 201);
    await call('DELETE', `/${formed?.body.data.pool_id}`);
  });

  await t.test('only approved deals of one type are pooled, and another’s deal answers as an absent one', async () => {
    const draft = await sendTape(gateway, ours, { loanType: 'Auto', bytes: autoTape(5) });
    assert.deepEqual(codes(await formPool(gateway, ours, [draft.deal_id])), [409, 'CONFLICT']);
    assert.deepEqual(codes(await formPool(gateway, theirs, [first])), [404, 'NOT_FOUND']);
    assert.deepEqual(codes(await formPool(gateway, ours, ['deal_nope'])), [404, 'NOT_FOUND']);
    const personal = await approvedDeal(gateway, ours, operator, { loanType: 'Personal', bytes: autoTape(5) });
    assert.deepEqual(codes(await formPool(gateway, ours, [first, personal])), [422, 'LOAN_TYPE_MISMATCH']);
    assert.deepEqual(codes(await formPool(gateway, ours, [first], { cut_off_date: '2027-01-01' })), [422, 'UNPROCESSABLE']);
    assert.deepEqual(codes(await formPool(gateway, ours, [first], { sc_job_ids: ['scj_nope'] })), [404, 'NOT_FOUND']);
  });

  await t.test('a filter keeps the loans that keep its rules, and names the path of a fault', async () => {
    const rule = (condition: unknown) => [{ id: 'score', rule: condition }];
    // Scores of the small tape are 620 + row.
    const formed = await formPool(gateway, ours, [first], { filter: rule({ field: 'credit_score', op: 'gte', value: 640 }) });
    assert.deepEqual([formed.status, formed.body.data.loan_count], [201, 40]);
    const rest = await formPool(gateway, ours, [first], { filter: rule({ field: 'credit_score', op: 'lt', value: 640 }) });
    assert.deepEqual([rest.status, rest.body.data.loan_count], [201, 20], 'the other loans of the deal are free');
    for (const made of [formed, rest]) await call('DELETE', `/${made.body.data.pool_id}`);
    const unknown = await formPool(gateway, ours, [first], { filter: rule({ field: 'shoe_size', op: 'gte', value: 1 }) });
    assert.deepEqual([...codes(unknown), unknown.body.errors?.[0].field], [422, 'UNKNOWN_FIELD', 'filter[0].rule.field']);
    const none = await formPool(gateway, ours, [first], { filter: rule({ field: 'credit_score', op: 'gte', value: 900 }) });
    assert.deepEqual(codes(none), [422, 'UNPROCESSABLE']);
  });

  await t.test('with a run of selection criteria only the loans that passed are pooled', async () => {
    const criteria = await gateway.call('POST', '/v1/api/originator/sc/criteria', {
      as: ours,
      body: {
        name: 'Score',
        loan_type: 'Auto',
        loan_rules: [{ id: 'score', rule: { field: 'credit_score', op: 'gte', value: 650 } }],
      },
    });
    const run = await gateway.call('POST', `/v1/api/originator/sc/deals/${first}/run`, {
      as: ours,
      body: { criteria_id: criteria.body.data.criteria_id },
    });
    const runId = run.body.data.sc_job_id;
    assert.deepEqual(
      codes(await formPool(gateway, ours, [first], { sc_job_ids: [runId] })),
      [409, 'CONFLICT'],
      'it has not ended',
    );
    await gateway.runJobs();
    const formed = await formPool(gateway, ours, [first, second], { sc_job_ids: [runId] });
    assert.deepEqual([formed.status, formed.body.data.loan_count], [201, 30 + 40]);
    await call('DELETE', `/${formed.body.data.pool_id}`);
    assert.deepEqual(codes(await formPool(gateway, ours, [second], { sc_job_ids: [runId] })), [422, 'UNPROCESSABLE']);
  });

  await t.test('a pool warns where original balances are used', async () => {
    const bytes = autoTape(5).replace('Current Balance', 'Column nobody knows');
    const dealId = await approvedDeal(gateway, ours, operator, { bytes });
    const made = (await formPool(gateway, ours, [dealId])).body.data;
    assert.equal(made.balance, 5 * 20_000 + 100);
    const { warnings } = (await call('GET', `/${made.pool_id}`)).body.data;
    assert.deepEqual(warnings, [`the tape of ${dealId} has no current balances: original balances are used instead`]);
  });

  await t.test('a repeated request with one Idempotency-Key forms one pool', async () => {
    const send = () =>
      gateway.call('POST', '/v1/api/originator/pools', {
        as: ours,
        headers: { 'idempotency-key': 'form-once' },
        body: { name: 'Once', deal_ids: [first], ...POOL_DATES },
      });
    const [a, b] = [await send(), await send()];
    assert.deepEqual([a.status, b.status, b.headers['idempotency-replayed']], [201, 201, 'true']);
    assert.deepEqual(a.body.data, b.body.data);
    await call('DELETE', `/${a.body.data.pool_id}`);
  });

  await t.test('a structure is refused with the path of every fault', async () => {
    const pool = (await formPool(gateway, ours, [first])).body.data;
    const good = structureOver(pool.balance) as { tranches: { balance: number }[]; waterfall: { to: string[] }[] };
    const unknown = structuredClone(good);
    unknown.waterfall[1] = { ...unknown.waterfall[1], to: ['A-1', 'Q'] };
    const refused = await call('PUT', `/${pool.pool_id}/structure`, unknown);
    assert.deepEqual(codes(refused), [422, 'WATERFALL_INVALID']);
    assert.ok(refused.body.errors?.some((error) => error.field === 'waterfall[1].to[1]'));
    const large = structuredClone(good);
    (large.tranches[0] as { balance: number }).balance = pool.balance;
    assert.deepEqual(codes(await call('PUT', `/${pool.pool_id}/structure`, large)), [422, 'TRANCHES_EXCEED_POOL']);
    assert.equal((await call('GET', `/${pool.pool_id}`)).body.data.status, 'DRAFT');
    assert.equal((await call('PUT', `/${pool.pool_id}/structure`, { tranches: [] })).status, 400);
    const put = await call('PUT', `/${pool.pool_id}/structure`, good);
    assert.deepEqual([put.status, put.body.data.status, put.body.data.structure_version], [200, 'STRUCTURED', 1]);
    assert.deepEqual(put.body.data.structure, good);
    await call('DELETE', `/${pool.pool_id}`);
  });

  await t.test('a changed pool is formed anew, and its structure must still fit', async () => {
    const pool = (await formPool(gateway, ours, [first, second])).body.data;
    await call('PUT', `/${pool.pool_id}/structure`, structureOver(pool.balance));
    const smaller = await call('PATCH', `/${pool.pool_id}`, { deal_ids: [first] });
    assert.deepEqual(codes(smaller), [422, 'TRANCHES_EXCEED_POOL']);
    const renamed = await call('PATCH', `/${pool.pool_id}`, { name: 'Renamed', offering: 'REG_S' });
    assert.deepEqual([renamed.status, renamed.body.data.name, renamed.body.data.offering], [200, 'Renamed', 'REG_S']);
    await call('PUT', `/${pool.pool_id}/structure`, structureOver(500_000));
    const fits = await call('PATCH', `/${pool.pool_id}`, { deal_ids: [first] });
    assert.deepEqual([fits.status, fits.body.data.loan_count, fits.body.data.status], [200, 60, 'STRUCTURED']);
    const other = await formPool(gateway, ours, [second]);
    assert.equal(other.status, 201, 'the loans that were left out are free');
    await call('DELETE', `/${other.body.data.pool_id}`);
    await call('DELETE', `/${pool.pool_id}`);
  });

  await t.test('a pool moves only as its table of moves says', async () => {
    const pool = (await formPool(gateway, ours, [first])).body.data;
    const refused = await call('POST', `/${pool.pool_id}/lock`);
    assert.deepEqual([...codes(refused), refused.body.current_status], [409, 'INVALID_TRANSITION', 'DRAFT']);
    assert.deepEqual(refused.body.allowed, ['STRUCTURED', 'CANCELLED']);
    await call('PUT', `/${pool.pool_id}/structure`, structureOver(pool.balance));
    assert.deepEqual(codes(await call('POST', `/${pool.pool_id}/issue`)), [409, 'INVALID_TRANSITION']);
    assert.equal((await call('POST', `/${pool.pool_id}/lock`)).body.data.status, 'LOCKED');
    for (const [method, path, body] of [
      ['PUT', '/structure', structureOver(pool.balance)],
      ['PATCH', '', { name: 'Late' }],
      ['DELETE', '', undefined],
      ['POST', '/lock', undefined],
    ] as const) {
      assert.deepEqual(
        codes(await call(method, `/${pool.pool_id}${path}`, body)),
        [409, 'INVALID_TRANSITION'],
        `${method} ${path}`,
      );
    }
    assert.equal((await call('GET', `/${pool.pool_id}`, undefined, theirs)).status, 404);
    const early = await gateway.call('POST', `/v1/operator/pools/${pool.pool_id}/issue`, { as: operator });
    assert.deepEqual(codes(early), [409, 'CONFLICT']);
    const asked = await call('POST', `/${pool.pool_id}/issue`);
    assert.deepEqual([asked.status, asked.body.data.status], [202, 'LOCKED']);
    assert.ok(asked.body.data.issue_requested_at);
  });

  await t.test('the operator’s issue puts the deal on the market without its residual', async () => {
    const listed = await gateway.call('GET', '/v1/operator/pools?status=LOCKED', { as: operator });
    const [pool] = listed.body.data;
    assert.equal(pool.organization_id, ours.organization_id);
    const issued = await gateway.call('POST', `/v1/operator/pools/${pool.pool_id}/issue`, { as: operator });
    assert.deepEqual([issued.status, issued.body.data.status], [200, 'ISSUED']);
    const investor = await gateway.key('investor', 'Buyer');
    const deal = (await gateway.call('GET', `/v1/api/investor/deals/${issued.body.data.deal_id}`, { as: investor })).body.data;
    assert.deepEqual([deal.market_status, deal.status, deal.tranches.length], ['MARKETING', 'APPROVED', 2]);
    const sum = deal.tranches.reduce((total: number, tranche: { balance: number }) => total + tranche.balance, 0);
    assert.equal(deal.dealSize, sum);
    const again = await gateway.call('POST', `/v1/operator/pools/${pool.pool_id}/issue`, { as: operator });
    assert.deepEqual(codes(again), [409, 'INVALID_TRANSITION']);
    assert.equal((await call('GET', `/${pool.pool_id}`)).body.data.deal_id, issued.body.data.deal_id);
  });

  await t.test('a pool closes with its deal, and its loans are free when the deal is withdrawn', async () => {
    const [closing, withdrawn] = [
      await structuredPool(gateway, ours, operator, 10),
      await structuredPool(gateway, ours, operator, 10),
    ];
    for (const [pool, status, expected] of [
      [closing, 'CLOSED', 'CLOSED'],
      [withdrawn, 'WITHDRAWN', 'CANCELLED'],
    ] as const) {
      const dealId = await issuedDeal(gateway, ours, operator, pool.pool_id);
      await gateway.deps.db.tx({ platform: true }, (tx) =>
        tx.exec('update securitization_deals set market_status = $2 where deal_id = $1', [dealId, status]),
      );
      assert.equal((await call('GET', `/${pool.pool_id}`)).body.data.status, expected);
    }
    assert.deepEqual(codes(await formPool(gateway, ours, closing.deal_ids)), [409, 'LOAN_ALREADY_POOLED']);
    assert.equal((await formPool(gateway, ours, withdrawn.deal_ids)).status, 201);
  });
});
