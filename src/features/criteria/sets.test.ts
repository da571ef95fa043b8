import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PRIME, SC } from '../../../test/support/criteria.ts';
import { type Answer, type Gateway, startGateway, codeOf } from '../../../test/support/gateway.ts';
import { LOAN_TYPES } from '../../loans/types.ts';

const rulesOf = (rule: unknown) => ({ ...PRIME, loan_rules: [{ id: 'A', rule }] });

/** An originator and its calls about criteria sets. */
async function author(gateway: Gateway, name: string) {
  const as = await gateway.key('originator', name);
  const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
    gateway.call(method, `${SC}/criteria${path}`, { as, ...(body === undefined ? {} : { body }) });
  return {
    as,
    call,
    create: async (body: object = PRIME): Promise<string> => (await call('POST', '', body)).body.data.criteria_id,
    read: async (path: string) => (await call('GET', path)).body.data,
  };
}

test('a criteria set', async (t) => {
  await using gateway = await startGateway();

  await t.test('is kept as it was sent, with the defaults of what was left out', async () => {
    const { call } = await author(gateway, 'Keeper');
    const plain = (await call('POST', '', { loan_type: 'Personal', loan_rules: [] })).body.data;
    const { criteria_id, created_at: _, ...defaults } = plain;
    assert.match(criteria_id, /^crt_/);
    assert.deepEqual(defaults, {
      version: 1,
      name: 'Personal criteria',
      loan_type: 'Personal',
      missing_policy: 'fail',
      weight_field: 'current_balance',
      value_sets: {},
      custom_fields: {},
      loan_rules: [],
      pool_tests: [],
    });
    const full = {
      version: 1,
      name: 'Úplný set',
      loan_type: 'Auto',
      missing_policy: 'pass',
      weight_field: 'original_balance',
      as_of: '2026-11-30',
      value_sets: { states: ['TX', 'CA'] },
      custom_fields: { dealer_id: 'string' },
      loan_rules: [
        {
          id: 'A',
          description: 'in two states',
          severity: 'warn',
          waivable: false,
          rule: { field: 'state', op: 'in', value_set: 'states' },
        },
      ],
      pool_tests: [{ id: 'P', type: 'concentration', group_by: ['state'], top: 1, op: 'lte', value: 0.5 }],
    };
    const { criteria_id: id, created_at, ...kept } = (await call('POST', '', full)).body.data;
    assert.deepEqual(kept, full);
    assert.deepEqual((await call('GET', `/${id}`)).body.data, { criteria_id: id, created_at, ...full });
  });

  await t.test('that was read can be sent again as it is', async () => {
    const { call, create, read } = await author(gateway, 'Copier');
    const first = await read(`/${await create()}`);
    const again = await call('POST', '', first);
    assert.equal(again.status, 201, JSON.stringify(again.body));
    assert.deepEqual(again.body.data.loan_rules, first.loan_rules);
    assert.notEqual(again.body.data.criteria_id, first.criteria_id);
  });

  await t.test('has versions that never change, numbered as they come', async () => {
    const { call, create, read } = await author(gateway, 'Versions');
    const id = await create();
    const next = await call('POST', `/${id}/versions`, { ...PRIME, name: 'Prime 2', loan_rules: [] });
    assert.deepEqual([next.status, next.body.data.version, next.body.data.criteria_id], [201, 2, id]);
    const first = await read(`/${id}?version=1`);
    assert.deepEqual([first.name, first.loan_rules.length, first.version], ['Prime', 2, 1]);
    const newest = await read(`/${id}`);
    assert.deepEqual([newest.name, newest.loan_rules.length, newest.version], ['Prime 2', 0, 2]);
    assert.deepEqual(codeOf(await call('GET', `/${id}?version=3`)), [404, 'NOT_FOUND']);
    for (const version of ['0', '1.5', 'x', '1000001'])
      assert.deepEqual(codeOf(await call('GET', `/${id}?version=${version}`)), [400, 'VALIDATION_FAILED']);
    const database = gateway.deps.db.tx({ platform: true }, (tx) => tx.exec(`update criteria_versions set definition = '{}'`));
    await assert.rejects(database, 'not even the gateway changes one');
  });

  await t.test('gets a version each when several are added at once', async () => {
    const { call, create, read } = await author(gateway, 'Author');
    const id = await create();
    const answers = await Promise.all([1, 2, 3].map(() => call('POST', `/${id}/versions`, PRIME)));
    assert.deepEqual(answers.map(({ body }) => body.data.version).sort(), [2, 3, 4]);
    assert.equal((await read(`/${id}`)).version, 4);
  });

  await t.test('keeps its loan type in every version, and a refused version takes no number', async () => {
    const { call, create, read } = await author(gateway, 'Typed');
    const id = await create();
    assert.deepEqual(codeOf(await call('POST', `/${id}/versions`, { ...PRIME, loan_type: 'Personal' })), [
      422,
      'LOAN_TYPE_MISMATCH',
    ]);
    assert.equal((await call('POST', `/${id}/versions`, rulesOf({ field: 'shoe_size', op: 'gt', value: 1 }))).status, 422);
    assert.equal((await read(`/${id}`)).version, 1);
    assert.equal((await call('POST', `/${id}/versions`, PRIME)).body.data.version, 2);
  });

  await t.test('is listed in its latest version, newest set first, by loan type', async () => {
    const { call, create } = await author(gateway, 'Lister');
    const [auto, personal] = [await create(), await create({ loan_type: 'Personal', loan_rules: [] })];
    await call('POST', `/${auto}/versions`, { ...PRIME, name: 'Later' });
    const list = async (query: string) =>
      (await call('GET', query)).body.data.map((row: Record<string, unknown>) => [row.criteria_id, row.version]);
    assert.deepEqual(await list(''), [
      [personal, 1],
      [auto, 2],
    ]);
    assert.deepEqual(await list('?type=Auto'), [[auto, 2]]);
    assert.deepEqual(await list('?limit=1&page=2'), [[auto, 2]]);
    assert.deepEqual(await list('?type=Student'), []);
    assert.deepEqual(codeOf(await call('GET', '?type=Boat')), [400, 'VALIDATION_FAILED']);
  });

  await t.test('is its organization’s alone', async () => {
    const [ours, theirs] = [await author(gateway, 'Owner'), await author(gateway, 'Stranger')];
    const id = await ours.create();
    for (const each of [await theirs.call('GET', `/${id}`), await theirs.call('POST', `/${id}/versions`, PRIME)])
      assert.deepEqual(codeOf(each), [404, 'NOT_FOUND']);
    assert.deepEqual((await theirs.call('GET', '')).body.data, []);
    assert.equal((await ours.read(`/${id}`)).version, 1);
    for (const role of ['investor', 'operator'] as const) {
      const as = await gateway.key(role, `A ${role}`);
      const answers = [
        await gateway.call('GET', `${SC}/criteria/${id}`, { as }),
        await gateway.call('POST', `${SC}/criteria`, { as, body: PRIME }),
        await gateway.call('GET', `${SC}/templates`, { as }),
      ];
      for (const answer of answers) assert.deepEqual(codeOf(answer), [403, 'ROLE_FORBIDDEN'], role);
    }
  });
});

test('a criteria set that is wrong is refused with the path of what is wrong, and none is kept', async () => {
  await using gateway = await startGateway();
  const { as, call } = await author(gateway, 'Faulty');
  const faults: [object, string, string][] = [
    [rulesOf({ all: [{ field: 'shoe_size', op: 'gt', value: 1 }] }), 'UNKNOWN_FIELD', 'loan_rules[0].rule.all[0].field'],
    [rulesOf({ field: 'state', op: 'gt', value: 1 }), 'INVALID_RULE', 'loan_rules[0].rule'],
    [
      { ...rulesOf({ field: 'race', op: 'eq', value: 'x' }), custom_fields: { race: 'string' } },
      'PROHIBITED_FIELD',
      'custom_fields.race',
    ],
    [
      { ...PRIME, pool_tests: [{ id: 'P', type: 'concentration', group_by: ['shoe_size'], op: 'lte', value: 1 }] },
      'UNKNOWN_FIELD',
      'pool_tests[0].group_by[0]',
    ],
    [{ ...PRIME, weight_field: 'shoe_size' }, 'UNKNOWN_FIELD', 'weight_field'],
    [{ ...PRIME, missing_polcy: 'pass' }, 'UNKNOWN_FIELD', 'missing_polcy'],
    [
      { ...PRIME, loan_rules: [{ id: 'R', waiveable: true, rule: { field: 'ltv', op: 'lte', value: 1 } }] },
      'UNKNOWN_FIELD',
      'loan_rules[0].waiveable',
    ],
    [rulesOf({ field: 'ltv', op: 'lte', value: 1, on_mising: 'pass' }), 'UNKNOWN_FIELD', 'loan_rules[0].rule.on_mising'],
  ];
  const notNumbers = ['620', true, [620], null].map((value): [object, string, string] => [
    rulesOf({
      all: [
        { field: 'shoe_size', op: 'gt', value: 1 },
        { field: 'ltv', op: 'lte', value },
      ],
    }),
    'VALIDATION_FAILED',
    'loan_rules[0].rule.all[1].value',
  ]);
  for (const [body, code, field] of [...faults, ...notNumbers]) {
    const refused = await call('POST', '', body);
    assert.deepEqual(codeOf(refused), [code === 'VALIDATION_FAILED' ? 400 : 422, code], JSON.stringify(refused.body));
    const fields = refused.body.errors?.map((each) => each.field) ?? [];
    assert.ok(
      fields.some((each) => each.startsWith(field)),
      `${field} is not in ${fields.join(', ')}`,
    );
  }
  for (const body of [{ ...PRIME, loan_rules: 'x' }, { ...PRIME, loan_type: 'Boat' }, { name: 'x' }, [], 'x']) {
    assert.deepEqual(codeOf(await call('POST', '', body)), [400, 'VALIDATION_FAILED'], JSON.stringify(body));
  }
  // What others are shown can turn no text beside it.
  const [plain] = PRIME.loan_rules;
  for (const shown of ['a\u202eb', ' ']) {
    for (const body of [
      { ...PRIME, name: shown },
      { ...PRIME, loan_rules: [{ ...plain, id: shown }] },
      { ...PRIME, loan_rules: [{ ...plain, description: shown }] },
    ])
      assert.deepEqual(codeOf(await call('POST', '', body)), [400, 'VALIDATION_FAILED'], JSON.stringify(body));
  }
  const rule = '{"id": "R", "rule": {"field": "current_balance", "op": "gt", "value": 123456789012345678.91}}';
  const rounded = await gateway.call('POST', '/v1/api/originator/sc/criteria', {
    as,
    raw: `{"name": "Large", "loan_type": "Auto", "loan_rules": [${rule}]}`,
    headers: { 'content-type': 'application/json' },
  });
  assert.deepEqual(
    [codeOf(rounded), rounded.body.errors?.map(({ field }) => field)],
    [[400, 'VALIDATION_FAILED'], ['loan_rules.0.rule.value']],
  );
  assert.deepEqual((await call('GET', '')).body.data, []);
});

test('a misspelt word of a criteria set is refused with what was meant', async () => {
  await using gateway = await startGateway();
  const { call } = await author(gateway, 'Misspelt');
  const refused = await call('POST', '', { ...PRIME, weigth_field: 'current_balance' });
  assert.deepEqual(
    refused.body.errors?.map(({ field, code, nearest }) => [field, code, nearest]),
    [['weigth_field', 'UNKNOWN_FIELD', 'weight_field']],
  );
  assert.match(String(refused.body.message), /did you mean weight_field\?/);
});

test('of several faults the gravest gives the code, and every one is named', async () => {
  await using gateway = await startGateway();
  const { call } = await author(gateway, 'Grave');
  const rule = (id: string, field: string, op: string) => ({ id, rule: { field, op, value: 1 } });
  const both = { ...PRIME, loan_rules: [rule('A', 'state', 'gt'), rule('B', 'shoe_size', 'gt')] };
  const refused = await call('POST', '', both);
  assert.deepEqual(codeOf(refused), [422, 'UNKNOWN_FIELD']);
  assert.deepEqual(
    refused.body.errors?.map((each) => each.code),
    ['INVALID_RULE', 'UNKNOWN_FIELD'],
  );
  const worst = { ...both, custom_fields: { race: 'string' }, loan_rules: [...both.loan_rules, rule('C', 'race', 'eq')] };
  assert.deepEqual(codeOf(await call('POST', '', worst)), [422, 'PROHIBITED_FIELD']);
});

test('the templates of a loan type are its own and those of any, each with its source', async () => {
  await using gateway = await startGateway();
  const as = await gateway.key('originator');
  const list = async (query = ''): Promise<Record<string, string>[]> =>
    (await gateway.call('GET', `${SC}/templates${query}`, { as })).body.data;
  const all = await list();
  for (const { id, text, source } of all) assert.ok(id && text && source, JSON.stringify({ id, text, source }));
  assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
  for (const type of LOAN_TYPES) {
    const expected = all.filter(({ loan_type }) => loan_type === type || loan_type === 'Any').map(({ id }) => id);
    assert.deepEqual(
      (await list(`?type=${encodeURIComponent(type)}`)).map(({ id }) => id),
      expected,
      type,
    );
  }
});
