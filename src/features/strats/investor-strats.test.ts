import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused, dataOf, openDesk } from '../../../test/support/desk.ts';
import { startGateway } from '../../../test/support/gateway.ts';
import { approvedDeal, formPool, issuedDeal, structureOver } from '../../../test/support/pools.ts';
import { autoTape } from '../../../test/support/tapes.ts';

type Group = { key: string; lower: number | null; upper: number | null; loan_count: number; balance: number; share: number };

const counts = (groups: readonly Group[]) => groups.map(({ key, loan_count }) => `${key}: ${loan_count}`);

test('what investors read of the loans of a deal', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  // Of 60 loans three have a score below 580, two are late, one has no score; two are in Ohio and one in Utah.
  const bytes = autoTape(60, (row, index) => {
    row.FICO = index < 3 ? '560' : index === 3 ? '' : index < 30 ? '610' : '720';
    row['Days Past Due'] = index === 10 ? '95' : index === 11 ? '40' : '0';
    row['Obligor ID'] = `P-${index % 6}`;
    row.State = index < 2 ? 'OH' : index === 2 ? 'UT' : index < 40 ? 'TX' : 'CA';
  });
  const pool = dataOf(await formPool(gateway, desk.seller, [await approvedDeal(gateway, desk.seller, desk.operator, { bytes })]));
  dataOf(await desk.send('PUT', `/v1/api/originator/pools/${pool.pool_id}/structure`, desk.seller, structureOver(pool.balance)));
  const dealId = await issuedDeal(gateway, desk.seller, desk.operator, pool.pool_id);
  const investor = await desk.investor();
  const base = `/v1/api/investor/deals/${dealId}/analytics`;
  const get = (path: string, as = investor) => desk.send('GET', `${base}${path}`, as);
  const disclose = async (level: string, fields: string[]) =>
    dataOf(await desk.send('PUT', `/v1/api/originator/pools/${pool.pool_id}/disclosure`, desk.seller, { level, fields }));
  const own = async (path: string) =>
    dataOf(await desk.send('GET', `/v1/api/originator/analytics/pools/${pool.pool_id}${path}`, desk.seller));

  await t.test('joins bands of a few loans with the next, and adds up to the whole', async () => {
    const { groups, total, ...rest } = dataOf(await get('/strats?by=credit_score'));
    assert.deepEqual(counts(groups), ['below 620: 29', '700 to below 740, and (missing): 31']);
    assert.deepEqual([groups[0].lower, groups[0].upper], [null, 620]);
    assert.equal(total.balance, pool.balance);
    assert.equal(Math.round((groups[0].balance + groups[1].balance) * 100), Math.round(total.balance * 100));
    assert.equal('tape_versions' in rest, false);
    assert.equal((await own('/strats?by=credit_score')).groups.length, 4);
  });

  await t.test('takes bands and a second field of one’s own where all that they show is disclosed loan by loan', async () => {
    await disclose('LOAN_LEVEL', ['credit_score', 'state']);
    const needs = async (query: string) => {
      const { status, body } = await get(`/strats?${query}`);
      return [status, body.code, ...(body.errors ?? []).map(({ field, name }) => `${field} ${String(name)}`)];
    };
    const refused = [422, 'FIELD_NOT_DISCLOSED'];
    assert.deepEqual(await needs('by=credit_score&bands=600,700'), [...refused, 'bands current_balance']);
    await disclose('LOAN_LEVEL', ['credit_score', 'state', 'current_balance']);
    assert.deepEqual(await needs('by=interest_rate&bands=5'), [...refused, 'by interest_rate']);
    assert.deepEqual(await needs('by=state&then_by=days_past_due'), [...refused, 'then_by days_past_due']);
    const banded = dataOf(await get('/strats?by=credit_score&bands=600,700'));
    assert.deepEqual(counts(banded.groups), ['below 700: 29', '700 and above, and (missing): 31']);
    assert.deepEqual(Object.keys(banded.groups[0].averages), ['wa_credit_score'], 'averages of disclosed fields alone');
    const nested = dataOf(await get('/strats?by=state&then_by=credit_score'));
    assert.equal(nested.then_by, 'credit_score');
    const inner = nested.groups.flatMap(({ groups }: { groups: Group[] }) => groups);
    assert.ok(inner.length > 2 && inner.every(({ loan_count }: Group) => loan_count >= 5));
    const usual = dataOf(await get('/strats?by=interest_rate'));
    assert.ok('wac' in usual.total.averages, 'the usual groups are those of an aggregate');
    await disclose('AGGREGATE', ['credit_score', 'state', 'current_balance']);
    assert.equal((await get('/strats?by=credit_score&bands=600,700')).status, 422);
  });

  await t.test('puts values of a few loans together without a name', async () => {
    const { groups } = dataOf(await get('/strats?by=state'));
    assert.deepEqual(counts(groups), ['TX: 37', '(other): 23']);
    assert.deepEqual(counts(dataOf(await get('/strats?by=loan_id')).groups), ['(other): 60']);
  });

  await t.test('names no obligor but by the token that is disclosed of it', async () => {
    const keysBy = async (query: string): Promise<string[]> =>
      dataOf(await get(`/strats?${query}`)).groups.map(({ key }: Group) => key);
    const ofOwner = (await own('/strats?by=obligor_id')).groups.map(({ key }: Group) => key);
    const ranked = ['Obligor 1', 'Obligor 2', 'Obligor 3', 'Obligor 4', 'Obligor 5', 'Obligor 6'];
    assert.deepEqual(await keysBy('by=obligor_id'), ranked);
    await disclose('LOAN_LEVEL', ['state', 'current_balance']);
    assert.deepEqual(await keysBy('by=obligor_id'), ranked);
    await disclose('LOAN_LEVEL', ['obligor_id', 'state', 'current_balance']);
    const loans = dataOf(await desk.send('GET', `/v1/api/investor/deals/${dealId}/loans?limit=500`, investor));
    const tokens = loans.map((loan: { obligor_id: string }) => loan.obligor_id);
    assert.deepEqual(new Set(await keysBy('by=obligor_id')), new Set(tokens));
    assert.ok(!tokens.some((token: string) => ofOwner.includes(token)), 'what its owner sees is another token');
    const nested = dataOf(await get('/strats?by=state&then_by=obligor_id')).groups as (Group & { groups: Group[] })[];
    const inner = nested.flatMap(({ groups }) => groups.map(({ key }) => key));
    assert.ok(inner.every((key) => tokens.includes(key) || key === '(other)') && inner.some((key) => tokens.includes(key)));
    await disclose('AGGREGATE', []);
  });

  await t.test('gives concentrations without names, and no bucket of a few late loans', async () => {
    const profile = dataOf(await get('/risk'));
    const whole = await own('/risk');
    assert.deepEqual(
      profile.delinquency.map((each: Group & { name: string }) => `${each.name}: ${each.loan_count}`),
      ['0-119: 60', '120+: 0'],
    );
    assert.deepEqual(
      profile.top_states.map((each: { name: string }) => each.name),
      ['TX', '(other)'],
    );
    assert.deepEqual(profile.hhi, whole.hhi);
    assert.deepEqual(profile.total, whole.total);
    const named = JSON.stringify(profile.top_obligors);
    for (const { name } of whole.top_obligors ?? []) assert.equal(named.includes(name), false);
  });

  await t.test('follows vintages of at least five loans, and no deal that the pool was made of', async () => {
    const { vintages, ...rest } = dataOf(await get('/vintage?by=month'));
    assert.ok(vintages.every((each: Group) => each.loan_count >= 5));
    assert.equal(
      vintages.reduce((sum: number, each: Group) => sum + each.loan_count, 0),
      60,
    );
    assert.equal('roll_rates' in rest, false);
  });

  await t.test('takes no bands and no second field of its own', async () => {
    for (const [query, field] of [
      ['by=credit_score&bands=561,562', 'bands'],
      ['by=state&then_by=credit_score', 'then_by'],
    ]) {
      const refused = await get(`/strats?${query}`);
      assert.deepEqual([refused.status, refused.body.errors?.map((each) => each.field)], [422, [field]]);
    }
    await assertRefused(gateway, () => get('/strats?by=deal_id'), [422, 'UNKNOWN_FIELD']);
  });

  await t.test('is for investors who see the deal', async () => {
    for (const path of ['/strats?by=state', '/vintage', '/risk']) {
      await assertRefused(gateway, () => get(path, desk.seller), [403, 'ROLE_FORBIDDEN']);
      await assertRefused(gateway, () => desk.send('GET', `/v1/api/investor/deals/deal_absent/analytics${path}`, investor), [
        404,
        'NOT_FOUND',
      ]);
    }
    dataOf(await desk.operate('POST', `deals/${dealId}/withdraw`, { reason: 'Test' }));
    for (const path of ['/strats?by=state', '/vintage', '/risk'])
      await assertRefused(gateway, () => get(path), [404, 'NOT_FOUND']);
  });
});
