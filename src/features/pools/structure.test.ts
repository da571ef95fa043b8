import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway, codeOf } from '../../../test/support/gateway.ts';
import { buy } from '../../../test/support/market.ts';
import { approvedDeal, formPool, issuedDeal, structureOver } from '../../../test/support/pools.ts';
import { asId } from '../../platform/ids.ts';
import { withdrawSecuritization } from '../lifecycle/withdraw-securitization.ts';

/* oxlint-disable-next-line typescript/no-explicit-any */
type Draft = any;

/** A change that spoils a valid structure, the code of the response, and the path of the first error. */
const FAULTS: [string, (structure: Draft) => void, string, string][] = [
  ['a step pays a tranche that does not exist', (s) => s.waterfall[1].to.push('Q'), 'WATERFALL_INVALID', 'waterfall[1].to[2]'],
  ['a step pays a fee that does not exist', (s) => (s.waterfall[0].to = ['trustee']), 'WATERFALL_INVALID', 'waterfall[0].to[0]'],
  ['a step fills an account that does not exist', (s) => (s.accounts = []), 'WATERFALL_INVALID', 'waterfall[3].to[0]'],
  ['a step waits for no known trigger', (s) => (s.waterfall[1].when = 'dq'), 'WATERFALL_INVALID', 'waterfall[1].when'],
  ['two tranches have one name', (s) => (s.tranches[1].tranche = 'A-1'), 'WATERFALL_INVALID', 'tranches[1]'],
  ['the last step is no residual', (s) => s.waterfall.pop(), 'WATERFALL_INVALID', 'waterfall[3]'],
  ['a note gets no interest', (s) => (s.waterfall[1].to = ['A-1']), 'WATERFALL_INVALID', 'tranches[1]'],
  ['a note gets no principal', (s) => (s.waterfall[2].to = ['A-1']), 'WATERFALL_INVALID', 'tranches[1]'],
  ['a fee has no amount', (s) => delete s.fees[0].percent, 'WATERFALL_INVALID', 'fees[0]'],
  ['a trigger tests against nothing', (s) => delete s.triggers[0].value, 'WATERFALL_INVALID', 'triggers[0]'],
  ['a trigger has no comparison', (s) => delete s.triggers[0].op, 'WATERFALL_INVALID', 'triggers[0].op'],
  [
    'two tranches wait for each other',
    (s) => {
      Object.assign(s.tranches[0], { interest: 'ACCRUE_UNTIL', accrue_until: ['B'] });
      Object.assign(s.tranches[1], { interest: 'ACCRUE_UNTIL', accrue_until: ['A-1'] });
    },
    'WATERFALL_INVALID',
    'tranches[0].accrue_until',
  ],
  [
    'the first payment is before the closing',
    (s) => Object.assign(s.payment, { first_payment_date: '2026-12-15', first_accrual: 'ACTUAL' }),
    'WATERFALL_INVALID',
    'payment.first_payment_date',
  ],
  ['the notes are a cent larger than the pool', (s) => (s.tranches[0].balance += 1), 'TRANCHES_EXCEED_POOL', 'tranches'],
  ['a tranche twice in a list', (s) => s.waterfall[1].to.push(s.waterfall[1].to[0]), 'WATERFALL_INVALID', 'waterfall[1].to'],
  [
    'an empty list of amounts',
    (s) => (s.waterfall[2].amount = { min_of: [] }),
    'WATERFALL_INVALID',
    'waterfall[2].amount.min_of',
  ],
];

test('structures and moves of pools', async (t) => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  let sellers = 0;
  const seller = async () => {
    const ours = await gateway.key('originator', `Seller ${(sellers += 1)}`);
    const call = (method: string, path: string, body?: unknown) =>
      gateway.call(method, `/v1/api/originator/pools${path}`, { as: ours, ...(body === undefined ? {} : { body }) });
    const drafted = async () => {
      const deal = await approvedDeal(gateway, ours, operator, { rows: 10 });
      return (await formPool(gateway, ours, [deal])).body.data;
    };
    const structured = async () => {
      const pool = await drafted();
      return (await call('PUT', `/${pool.pool_id}/structure`, structureOver(pool.balance))).body.data;
    };
    const issue = (poolId: string) => gateway.call('POST', `/v1/operator/pools/${poolId}/issue`, { as: operator });
    return { ours, call, drafted, structured, issue };
  };

  await t.test('a structure is stored as it was put, under a version that rises', async () => {
    const { call, drafted } = await seller();
    const pool = await drafted();
    const structure = structureOver(pool.balance);
    const put = await call('PUT', `/${pool.pool_id}/structure`, structure);
    assert.deepEqual([put.status, put.body.data.status, put.body.data.structure_version], [200, 'STRUCTURED', 1]);
    assert.deepEqual([put.body.data.structure, put.body.data.last_remittance], [structure, null]);
    assert.deepEqual((await call('GET', `/${pool.pool_id}`)).body.data, put.body.data);
    const again = await call('PUT', `/${pool.pool_id}/structure`, structureOver(pool.balance, { triggers: [] }));
    assert.deepEqual([again.body.data.structure_version, again.body.data.structure.triggers], [2, []]);
  });

  await t.test('every fault of a structure is refused with its code and its path, and changes nothing', async () => {
    const { call, drafted } = await seller();
    const pool = await drafted();
    // Notes as large as the pool: a cent more is too much.
    const full = structureOver(pool.balance) as Draft;
    const other = full.tranches.slice(1).reduce((sum: number, each: { balance: number }) => sum + each.balance, 0);
    full.tranches[0].balance = pool.balance - other;
    for (const [name, spoil, code, path] of FAULTS) {
      const structure = structuredClone(full);
      spoil(structure);
      const refused = await call('PUT', `/${pool.pool_id}/structure`, structure);
      assert.deepEqual([...codeOf(refused), refused.body.errors?.[0].field], [422, code, path], name);
    }
    const { status, structure_version } = (await call('GET', `/${pool.pool_id}`)).body.data;
    assert.deepEqual([status, structure_version], ['DRAFT', 0]);
    assert.equal((await call('PUT', `/${pool.pool_id}/structure`, full)).status, 200, 'without a fault it is valid');
  });

  await t.test('all faults of a structure are named at once, and excess is not the code when there is another', async () => {
    const { call, drafted } = await seller();
    const pool = await drafted();
    const structure = structureOver(pool.balance * 2) as Draft;
    structure.waterfall[1].to = ['A-1', 'Q'];
    const refused = await call('PUT', `/${pool.pool_id}/structure`, structure);
    assert.equal(refused.body.code, 'WATERFALL_INVALID');
    const found = refused.body.errors?.map((error) => `${error.field} ${error.code}`);
    assert.deepEqual(found, [
      'waterfall[1].to[1] WATERFALL_INVALID',
      'tranches[1] WATERFALL_INVALID',
      'tranches TRANCHES_EXCEED_POOL',
    ]);
  });

  await t.test('a misspelt word anywhere in a structure is refused with its path and what was meant', async () => {
    const { call, drafted } = await seller();
    const pool = await drafted();
    const misspelt: [(structure: Draft) => void, string, string][] = [
      [(s) => (s.acounts = []), 'acounts', 'accounts'],
      [(s) => (s.tranches[0].senority = 1), 'tranches[0].senority', 'seniority'],
      [(s) => (s.tranches[0].coupon.raet = 1), 'tranches[0].coupon.raet', 'rate'],
      [(s) => (s.waterfall[2].amuont = 'ALL'), 'waterfall[2].amuont', 'amount'],
      [(s) => (s.waterfall[2].amount = { target: 'OC', percent: 5, of: 'NOTES', flor: 1 }), 'waterfall[2].amount.flor', 'floor'],
      [(s) => (s.triggers[0].curabel = true), 'triggers[0].curabel', 'curable'],
    ];
    for (const [spoil, field, nearest] of misspelt) {
      const structure = structuredClone(structureOver(pool.balance)) as Draft;
      spoil(structure);
      const refused = await call('PUT', `/${pool.pool_id}/structure`, structure);
      assert.deepEqual(codeOf(refused), [422, 'UNKNOWN_FIELD'], field);
      assert.deepEqual([refused.body.errors?.[0].field, refused.body.errors?.[0].nearest], [field, nearest]);
    }
    assert.equal((await call('GET', `/${pool.pool_id}`)).body.data.structure_version, 0);
  });

  await t.test('a structure of the wrong shape or too large is 400', async () => {
    const { call, drafted } = await seller();
    const pool = await drafted();
    const good = structureOver(pool.balance) as Draft;
    const many = Array.from({ length: 1_001 }, (_, index) => ({ pay: 'PRINCIPAL', to: [`A-${index}`] }));
    for (const body of [
      { tranches: [] },
      { ...good, waterfall: many },
      { ...good, tranches: good.tranches.map((each: object) => ({ ...each, balance: -1 })) },
      { ...good, triggers: [{ trigger: 'odd', metric: 'RAINFALL', op: 'gt', value: 1 }] },
    ]) {
      assert.deepEqual(codeOf(await call('PUT', `/${pool.pool_id}/structure`, body)), [400, 'VALIDATION_FAILED']);
    }
  });

  await t.test('a pool makes the moves of its table, from every status, and no other', async () => {
    const { ours, call, drafted, structured, issue } = await seller();
    const investor = await gateway.key('investor', 'Closer');
    const draft = await drafted();
    const ready = await structured();
    const locked = await structured();
    const issued = await structured();
    const closed = await structured();
    const cancelled = await drafted();
    await call('POST', `/${locked.pool_id}/lock`);
    await issuedDeal(gateway, ours, operator, issued.pool_id);
    await closeDeal(await issuedDeal(gateway, ours, operator, closed.pool_id), investor);
    await call('DELETE', `/${cancelled.pool_id}`);
    const actions = {
      structure: (pool: Draft) => call('PUT', `/${pool.pool_id}/structure`, structureOver(pool.balance)),
      change: (pool: Draft) => call('PATCH', `/${pool.pool_id}`, { name: 'Late' }),
      cancel: (pool: Draft) => call('DELETE', `/${pool.pool_id}`),
      lock: (pool: Draft) => call('POST', `/${pool.pool_id}/lock`),
      request: (pool: Draft) => call('POST', `/${pool.pool_id}/issue`),
      unrequest: (pool: Draft) => call('POST', `/${pool.pool_id}/withdraw-issue-request`),
      issue: (pool: Draft) => issue(pool.pool_id),
    };
    const refusals: [Draft, string, (keyof typeof actions)[], string[]][] = [
      [draft, 'DRAFT', ['lock', 'request', 'unrequest', 'issue'], ['STRUCTURED', 'CANCELLED']],
      [ready, 'STRUCTURED', ['request', 'unrequest', 'issue'], ['STRUCTURED', 'LOCKED', 'CANCELLED']],
      [locked, 'LOCKED', ['structure', 'change', 'cancel', 'lock'], ['ISSUED']],
      [issued, 'ISSUED', ['structure', 'change', 'cancel', 'lock', 'request', 'issue'], ['CLOSED', 'CANCELLED']],
      [closed, 'CLOSED', ['structure', 'change', 'cancel', 'lock', 'request', 'issue'], []],
      [cancelled, 'CANCELLED', ['structure', 'change', 'cancel', 'lock', 'request', 'issue'], []],
    ];
    for (const [pool, status, names, allowed] of refusals) {
      for (const name of names) {
        const refused = await actions[name](pool);
        assert.deepEqual(
          [...codeOf(refused), refused.body.current_status, refused.body.allowed],
          [409, 'INVALID_TRANSITION', status, allowed],
          `${name} of a ${status} pool`,
        );
      }
      assert.equal((await call('GET', `/${pool.pool_id}`)).body.data.status, status);
    }
  });

  await t.test('a pool is locked once however often it is asked at once', async () => {
    const { call, structured } = await seller();
    const pool = await structured();
    const answers = await Promise.all(Array.from({ length: 5 }, () => call('POST', `/${pool.pool_id}/lock`)));
    assert.deepEqual(answers.map((each) => each.status).sort(), [200, 409, 409, 409, 409]);
  });

  await t.test(
    'the operator issues what the originator requested: before it is 409, a second request keeps its time',
    async () => {
      const { call, structured, issue } = await seller();
      const pool = await structured();
      await call('POST', `/${pool.pool_id}/lock`);
      assert.deepEqual(codeOf(await issue(pool.pool_id)), [409, 'CONFLICT']);
      const requested = await call('POST', `/${pool.pool_id}/issue`);
      assert.deepEqual([requested.status, requested.body.data.status], [202, 'LOCKED']);
      const again = await call('POST', `/${pool.pool_id}/issue`);
      assert.equal(again.body.data.issue_requested_at, requested.body.data.issue_requested_at);
      assert.equal(again.headers.etag, requested.headers.etag, 'it changes nothing of the pool');
      const answers = await Promise.all(Array.from({ length: 4 }, () => issue(pool.pool_id)));
      assert.deepEqual(answers.map((each) => each.status).sort(), [200, 409, 409, 409], 'issued at once, issued once');
      assert.deepEqual(codeOf(await issue('pool_nope')), [404, 'NOT_FOUND']);
    },
  );

  await t.test('a request that is withdrawn is none: the operator cannot issue, and it can be made again', async () => {
    const { ours, call, structured, issue } = await seller();
    const { pool_id } = await structured();
    const withdraw = (as = ours) => gateway.call('POST', `/v1/api/originator/pools/${pool_id}/withdraw-issue-request`, { as });
    await call('POST', `/${pool_id}/lock`);
    const none = await withdraw();
    assert.deepEqual([...codeOf(none), none.body.current_status], [409, 'INVALID_TRANSITION', 'LOCKED']);
    await call('POST', `/${pool_id}/issue`);
    assert.deepEqual(codeOf(await withdraw(await gateway.key('originator', 'Another seller'))), [404, 'NOT_FOUND']);
    const answers = await Promise.all([withdraw(), withdraw(), withdraw()]);
    assert.deepEqual(answers.map((each) => each.status).sort(), [200, 409, 409]);
    const { data } = answers.find((each) => each.status === 200)?.body ?? {};
    assert.deepEqual([data.status, data.issue_requested_at], ['LOCKED', null]);
    assert.deepEqual(codeOf(await issue(pool_id)), [409, 'CONFLICT']);
    const { data: log } = (await gateway.call('GET', `/v1/api/audit?entity_id=${pool_id}`, { as: ours })).body;
    assert.deepEqual([log[0].action, log[0].actor], ['pool.issue_request_withdrawn', ours.key_id]);
    await call('POST', `/${pool_id}/issue`);
    const race = await Promise.all([issue(pool_id), withdraw()]);
    assert.deepEqual(race.map((each) => each.status).sort(), [200, 409], 'issued or withdrawn, never both');
  });

  await t.test('no operator issues a pool of its own organization', async () => {
    const { ours, call, structured } = await seller();
    const pool = await structured();
    await call('POST', `/${pool.pool_id}/lock`);
    await call('POST', `/${pool.pool_id}/issue`);
    const as = await gateway.mixedKey(ours);
    const refused = await gateway.call('POST', `/v1/operator/pools/${pool.pool_id}/issue`, { as });
    assert.deepEqual(codeOf(refused), [403, 'OWN_ORGANIZATION']);
    assert.equal((await call('GET', `/${pool.pool_id}`)).body.data.status, 'LOCKED');
  });

  await t.test('the issue puts the deal on the market without its residual, and the operator lists the pool', async () => {
    const { ours, call, structured } = await seller();
    const pool = await structured();
    const dealId = await issuedDeal(gateway, ours, operator, pool.pool_id);
    const listed = await gateway.call('GET', `/v1/operator/pools?status=ISSUED&deal_id=${dealId}`, { as: operator });
    assert.deepEqual(
      listed.body.data.map((each: Draft) => [each.pool_id, each.organization_id]),
      [[pool.pool_id, ours.organization_id]],
    );
    const investor = await gateway.key('investor', 'Buyer');
    const deal = (await gateway.call('GET', `/v1/api/investor/deals/${dealId}`, { as: investor })).body.data;
    assert.deepEqual([deal.market_status, deal.status, deal.tranches.length], ['MARKETING', 'APPROVED', 2]);
    const sum = deal.tranches.reduce((total: number, tranche: { balance: number }) => total + tranche.balance, 0);
    assert.equal(deal.dealSize, sum);
    assert.equal((await call('GET', `/${pool.pool_id}`)).body.data.deal_id, dealId);
  });

  await t.test('the loans of a withdrawn deal are free, those of a closed deal are not', async () => {
    const { ours, call, structured } = await seller();
    const [closing, withdrawn] = [await structured(), await structured()];
    await closeDeal(await issuedDeal(gateway, ours, operator, closing.pool_id), await gateway.key('investor', 'Last'));
    const dealId = asId('deal', await issuedDeal(gateway, ours, operator, withdrawn.pool_id));
    await gateway.deps.db.tx({ platform: true }, (tx) =>
      withdrawSecuritization(tx, { actor_id: 'key_test', organization_id: null }, { deal_id: dealId, reason: 'no demand' }),
    );
    assert.equal((await call('GET', `/${closing.pool_id}`)).body.data.status, 'CLOSED');
    assert.equal((await call('GET', `/${withdrawn.pool_id}`)).body.data.status, 'CANCELLED');
    assert.deepEqual(codeOf(await formPool(gateway, ours, closing.deal_ids)), [409, 'LOAN_ALREADY_POOLED']);
    assert.equal((await formPool(gateway, ours, withdrawn.deal_ids)).status, 201);
  });

  /** Sells a piece of the deal to the investor, and closes the deal. */
  async function closeDeal(dealId: string, investor: Awaited<ReturnType<typeof gateway.key>>): Promise<void> {
    const { tranches } = (await gateway.call('GET', `/v1/api/investor/deals/${dealId}`, { as: investor })).body.data;
    const deal = { deal_id: dealId, pool_id: '', tranches: tranches.map((each: Draft) => each.tranche_id) };
    await buy(gateway, operator, investor, deal, 10_000);
    const closed = await gateway.call('POST', `/v1/operator/deals/${dealId}/close`, { as: operator });
    assert.equal(closed.status, 200, JSON.stringify(closed.body));
  }
});
