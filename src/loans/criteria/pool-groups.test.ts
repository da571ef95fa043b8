import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PoolTest } from './language.ts';
import { groupLimits } from './pool-groups.ts';
import { runCriteria } from './run.ts';
import { measure } from './testing/run-small.ts';
import { type LoanValues, smallTape } from './testing/small-tape.ts';

const byState = { type: 'concentration', group_by: ['state'] } as const;
const inStates = (...loans: [string | null, number][]): LoanValues[] =>
  loans.map(([state, current_balance]) => ({ state, current_balance }));

async function groupsOf(loans: readonly LoanValues[], test_: object) {
  const [result] = await measure(loans, [{ ...byState, ...test_ }]);
  return (result?.groups ?? []).map(({ group, balance, loans: count, actual, limit, passed }) => [
    group,
    balance,
    count,
    actual,
    limit,
    passed,
  ]);
}

test('groups are listed with what breaks its limit first, then by size, each with its figures', async () => {
  const loans = inStates(['CA', 50.005], ['TX', 30], ['NY', 15], ['CA', 4.995]);
  assert.deepEqual(await groupsOf(loans, { value: 0.2, exceptions: { CA: 0.6 } }), [
    ['TX', '30.00', 1, '0.30000000', 0.2, false],
    ['CA', '55.00', 2, '0.55000000', 0.6, true],
    ['NY', '15.00', 1, '0.15000000', 0.2, true],
  ]);
});

test('at most twenty-five groups are listed, those that break their limit in any case', async () => {
  const loans = Array.from({ length: 40 }, (_, index): [string, number] => [`S${String(index).padStart(2, '0')}`, 100 - index]);
  const groups = await groupsOf(inStates(...loans), { value: 0.5 });
  assert.deepEqual([groups.length, groups[0]?.[0], groups.at(-1)?.[0]], [25, 'S00', 'S24']);
  const own = await groupsOf(inStates(...loans), { value: 0.5, exceptions: { S39: 0.001 } });
  assert.deepEqual([own.length, own[0]?.[0], own[0]?.[5]], [25, 'S39', false], 'the smallest group breaks a limit of its own');
});

test('of a test between two limits the groups above the upper one are offenders, or those below the lower one that none of them reaches', async () => {
  const offenders = async (loans: LoanValues[], more: object) => {
    const [result] = await measure(loans, [{ ...byState, op: 'between', ...more }]);
    const groups = (result?.groups ?? []).filter(({ passed }) => !passed).map(({ group }) => group);
    return [(result?.offenders ?? []).map(({ group }) => group), groups];
  };
  const above = inStates(['CA', 50], ['TX', 41], ['NY', 5], ['FL', 4]);
  assert.deepEqual(await offenders(above, { value: [0.1, 0.4] }), [
    ['CA', 'TX'],
    ['CA', 'TX'],
  ]);
  const below = inStates(['CA', 30], ['TX', 25], ['NY', 25], ['FL', 20]);
  const all = ['CA', 'NY', 'TX', 'FL'];
  const [broken] = await offenders(below, { value: [0.4, 0.6] });
  assert.deepEqual(broken?.toSorted(), all.toSorted());
  assert.deepEqual(await offenders(below, { value: [0.3, 0.6] }), [[], []]);
});

test('equal groups come in the order of their names, and the first of them is the largest', async () => {
  const loans = inStates(['TX', 10], ['CA', 10], ['AL', 10]);
  const [result] = await measure(loans, [{ ...byState, value: 0.5 }]);
  assert.deepEqual([result?.group, result?.groups?.map(({ group }) => group)], ['AL', ['AL', 'CA', 'TX']]);
});

test('the largest groups together have one verdict: none of them has a limit of its own', async () => {
  const loans = inStates(['CA', 40], ['TX', 30], ['NY', 20], ['FL', 10]);
  const [broken, kept] = await measure(loans, [
    { ...byState, top: 2, value: 0.69 },
    { ...byState, top: 2, value: 0.7 },
  ]);
  assert.deepEqual([broken?.group, broken?.actual, broken?.passed, broken?.limit], [null, '0.70000000', false, 0.69]);
  assert.deepEqual(
    broken?.groups?.map(({ group, limit, passed }) => [group, limit, passed]),
    [
      ['CA', null, false],
      ['TX', null, false],
      ['NY', null, true],
      ['FL', null, true],
    ],
  );
  assert.ok(kept?.groups?.every(({ passed }) => passed));
});

test('more groups asked for than there are is all of them', async () => {
  const [result] = await measure(inStates(['CA', 40], ['TX', 60]), [{ ...byState, top: 1_000, value: 0.99 }]);
  assert.deepEqual([result?.actual, result?.excess_balance], ['1.00000000', '1.00']);
});

test('limits by rank go with the size of the groups, further groups have the limit of the test', async () => {
  const loans = inStates(['TX', 20], ['CA', 50], ['NY', 30]);
  const limits = { value: 0.1, rank_limits: [0.5, 0.3] };
  assert.deepEqual(
    (await groupsOf(loans, limits)).map(([group, , , , limit, passed]) => [group, limit, passed]),
    [
      ['TX', 0.1, false],
      ['CA', 0.5, true],
      ['NY', 0.3, true],
    ],
  );
});

test('the group nearest to its limit decides, however small it is, and its limit is the limit of the result', async () => {
  const loans = inStates(['CA', 60], ['TX', 30], ['NY', 10]);
  const [result] = await measure(loans, [{ ...byState, value: 0.5, exceptions: { CA: 0.9, TX: 0.5, NY: 0.11 } }]);
  assert.deepEqual(
    [result?.group, result?.limit, result?.actual, result?.headroom, result?.excess_balance, result?.passed],
    ['NY', 0.11, '0.10000000', '0.01000000', '0.00', true],
  );
});

test('a limit for a group that the pool does not have changes nothing', async () => {
  const [result] = await measure(inStates(['CA', 60], ['TX', 40]), [{ ...byState, value: 0.6, exceptions: { ZZ: 0, '': 0 } }]);
  assert.deepEqual([result?.passed, result?.group], [true, 'CA']);
});

test('loans without a group are one group, which may have its own limit', async () => {
  const loans = inStates([null, 50], [' ', 10], ['CA', 40]);
  const [result] = await measure(loans, [{ ...byState, value: 0.5, exceptions: { '(MISSING)': 0.6 } }]);
  assert.deepEqual([result?.group, result?.limit, result?.actual, result?.passed], ['(missing)', 0.6, '0.60000000', true]);
});

test('numbers, dates and flags make groups by their value, without zeros at their end', async () => {
  const loans = [
    { current_balance: 1, ltv: 80, origination_date: '2020-01-31', co_obligor: true },
    { current_balance: 1, ltv: 80.5, origination_date: '2020-01-31', co_obligor: false },
    { current_balance: 2, ltv: 100, origination_date: null, co_obligor: null },
    { current_balance: 4, ltv: 0, origination_date: '2020-02-01', co_obligor: true },
  ];
  const labels = async (field: string) =>
    (await measure(loans, [{ type: 'concentration', group_by: [field], value: 1 }]))[0]?.groups?.map(({ group }) => group);
  assert.deepEqual(await labels('ltv'), ['0', '100', '80', '80.5']);
  assert.deepEqual(await labels('origination_date'), ['2020-02-01', '(missing)', '2020-01-31']);
  assert.deepEqual(await labels('co_obligor'), ['true', '(missing)', 'false']);
});

test('groups of several fields are named by all of them', async () => {
  const loans = [
    { current_balance: 3, state: 'CA', ltv: 80 },
    { current_balance: 2, state: 'CA', ltv: null },
    { current_balance: 1, state: null, ltv: 80 },
  ];
  const [result] = await measure(loans, [
    { type: 'concentration', group_by: ['state', 'ltv'], value: 1, exceptions: { 'ca|80': 0.4 } },
  ]);
  assert.deepEqual(
    result?.groups?.map(({ group, passed }) => [group, passed]),
    [
      ['CA | 80', false],
      ['CA | (missing)', true],
      ['(missing) | 80', true],
    ],
  );
});

test('the Herfindahl index and a plain figure list no groups', async () => {
  const results = await measure(inStates(['CA', 60], ['TX', 40]), [
    { type: 'hhi', group_by: ['state'], value: 0.6 },
    { type: 'share', where: { field: 'state', op: 'eq', value: 'CA' }, value: 0.5 },
  ]);
  assert.deepEqual(
    results.map(({ actual, group, groups, excess_balance }) => [actual, group, groups, excess_balance]),
    [
      ['0.52000000', null, undefined, null],
      ['0.60000000', null, undefined, '10.00'],
    ],
  );
});

test('headroom and excess are measured from the bound that is nearest or broken', async () => {
  const share = (op: string, value: unknown) => ({ type: 'share', where: { field: 'state', op: 'eq', value: 'CA' }, op, value });
  const results = await measure(inStates(['CA', 60], ['TX', 40]), [
    share('between', [0.5, 0.9]),
    share('between', [0.1, 0.65]),
    share('between', [0.7, 0.9]),
    share('between', [0.1, 0.2]),
    share('gt', 0.6),
    share('gte', 0.6),
    share('lt', 0.6),
  ]);
  assert.deepEqual(
    results.map(({ passed, headroom, excess_balance }) => [passed, headroom, excess_balance]),
    [
      [true, '0.10000000', '0.00'],
      [true, '0.05000000', '0.00'],
      [false, '-0.10000000', '10.00'],
      [false, '-0.40000000', '40.00'],
      [false, '0.00000000', '0.00'],
      [true, '0.00000000', '0.00'],
      [false, '0.00000000', '0.00'],
    ],
  );
});

test('a result repeats what the test is: its name, severity, population, operator and limit', async () => {
  const [plain, full] = await measure(inStates(['CA', 1]), [
    { type: 'count', value: 5 },
    { id: 'N', description: 'Number of loans', type: 'count', population: 'all', severity: 'warn', op: 'between', value: [1, 2] },
  ]);
  const { rule_id, name, severity, population, op, limit, type } = plain ?? {};
  assert.deepEqual([rule_id, name, severity, population, op, limit, type], ['P0', 'P0', 'fail', 'eligible', 'lte', 5, 'count']);
  assert.deepEqual(
    [full?.rule_id, full?.name, full?.severity, full?.population, full?.op, full?.limit],
    ['N', 'Number of loans', 'warn', 'all', 'between', [1, 2]],
  );
});

test('every group over its limit is an offender, the worst first, each by its own limit', async () => {
  const loans = inStates(['CA', 50], ['TX', 30], ['NY', 15], ['FL', 5]);
  const [single, own, passes] = await measure(loans, [
    { ...byState, value: 0.2 },
    { ...byState, value: 0.4, exceptions: { FL: 0.01, CA: 0.49 } },
    { ...byState, value: 0.5 },
  ]);
  assert.deepEqual(single?.offenders, [
    { group: 'CA', limit: 0.2, actual: '0.50000000', excess_balance: '30.00', headroom: '-0.30000000' },
    { group: 'TX', limit: 0.2, actual: '0.30000000', excess_balance: '10.00', headroom: '-0.10000000' },
  ]);
  assert.deepEqual(own?.offenders, [
    { group: 'FL', limit: 0.01, actual: '0.05000000', excess_balance: '4.00', headroom: '-0.04000000' },
    { group: 'CA', limit: 0.49, actual: '0.50000000', excess_balance: '1.00', headroom: '-0.01000000' },
  ]);
  assert.deepEqual([passes?.passed, passes?.offenders, passes?.more_offenders], [true, [], false]);
});

test('offenders beyond the groups that are shown are named too, up to a thousand, and then it is said', async () => {
  const many = (count: number) =>
    inStates(...Array.from({ length: count }, (_, index): [string, number] => [`S${String(index).padStart(4, '0')}`, 100]));
  const [forty] = await measure(many(40), [{ ...byState, value: 0.02 }]);
  assert.deepEqual([forty?.groups?.length, forty?.offenders.length, forty?.more_offenders], [25, 40, false]);
  assert.equal(forty?.offenders.at(-1)?.group, 'S0039');
  const [full, cut] = [
    (await measure(many(1_000), [{ ...byState, value: 0 }]))[0],
    (await measure(many(1_001), [{ ...byState, value: 0 }]))[0],
  ];
  assert.deepEqual([full?.offenders.length, full?.more_offenders], [1_000, false]);
  assert.deepEqual([cut?.offenders.length, cut?.more_offenders], [1_000, true]);
});

test('groups that break one limit together are its offenders together; a test without groups has none', async () => {
  const loans = inStates(['CA', 40], ['TX', 30], ['NY', 20], ['FL', 10]);
  const [together, share, hhi] = await measure(loans, [
    { ...byState, top: 2, value: 0.6 },
    { type: 'share', where: { field: 'state', op: 'eq', value: 'CA' }, value: 0.1 },
    { type: 'hhi', group_by: ['state'], value: 0.1 },
  ]);
  assert.deepEqual(
    together?.offenders.map(({ group, limit, actual, headroom }) => [group, limit, actual, headroom]),
    [
      ['CA', null, '0.40000000', null],
      ['TX', null, '0.30000000', null],
    ],
  );
  assert.deepEqual([share?.passed, share?.offenders, hhi?.passed, hhi?.offenders], [false, [], false, []]);
});

test('one group at its limit exactly is no offender, and one below a lower limit is', async () => {
  const loans = inStates(['CA', 50], ['TX', 50]);
  const [at, strict, low] = await measure(loans, [
    { ...byState, value: 0.5 },
    { ...byState, op: 'lt', value: 0.5 },
    { ...byState, op: 'gte', value: 0.6 },
  ]);
  assert.deepEqual(at?.offenders, []);
  for (const result of [strict, low])
    assert.deepEqual(
      result?.offenders.map(({ group }) => group),
      ['CA', 'TX'],
    );
});

test('the groups that several tests measure are sorted once for all of them', async (context) => {
  await using tape = await smallTape('Auto', inStates(['CA', 50], ['TX', 30], ['NY', 20]));
  const first = context.mock.method(tape.engine, 'first');
  const limits = [{ exceptions: { ca: 0.6 } }, { rank_limits: [0.4] }, { top: 2 }, {}];
  const pool_tests = limits.map(
    (each, index): PoolTest => ({ type: 'concentration', group_by: ['state'], id: `P${index}`, op: 'lte', value: 0.5, ...each }),
  );
  const { pool_tests: results } = await runCriteria({ ...tape, set: { loan_type: 'Auto', loan_rules: [], pool_tests } });
  assert.deepEqual(
    results.map(({ passed, group }) => [passed, group]),
    [
      [true, 'CA'],
      [false, 'CA'],
      [false, null],
      [true, 'CA'],
    ],
  );
  const measured = first.mock.calls.map(({ arguments: [sql] }) => sql).filter((sql) => sql.includes('groups_0'));
  assert.deepEqual(
    measured.map((sql) => sql.match(/row_number\(\) OVER/g)?.length),
    [1],
  );
});

test('the names with a limit of their own are read once, however many groups there are, and of two spellings the first counts', () => {
  let read = 0;
  const exceptions = new Proxy(
    { CA: 0.6, ' ca ': 0.1, TX: 0.7 },
    {
      ownKeys(target) {
        read += 1;
        return Reflect.ownKeys(target);
      },
    },
  );
  const limitOf = groupLimits({ ...byState, id: 'P', op: 'lte', value: 0.5, exceptions, group_by: ['state'] });
  assert.deepEqual([...['ca', 'tx', 'ny'].map((key) => limitOf(key, 0)), read], [0.6, 0.7, 0.5, 1]);
});
