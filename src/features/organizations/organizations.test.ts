import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, type Holder, startGateway } from '../../../test/support/gateway.ts';

const ORGANIZATIONS = '/v1/operator/organizations';
const PROFILE = {
  kyc_status: 'VERIFIED',
  kyc_expires_on: '2030-12-31',
  sanctions_status: 'CLEAR',
  qib: true,
  accredited: true,
  us_person: false,
  tax_form: 'W8_FORM',
  erisa_plan: false,
};

test('the operator’s acts on an organization', async (t) => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  const act = (organizationId: string, name: string, as = operator, body?: unknown): Promise<Answer> =>
    gateway.call('POST', `${ORGANIZATIONS}/${organizationId}/${name}`, { as, ...(body === undefined ? {} : { body }) });
  const setProfile = (organizationId: string, body: unknown, as = operator): Promise<Answer> =>
    gateway.call('PUT', `${ORGANIZATIONS}/${organizationId}/profile`, { as, body });
  const list = async (query: string): Promise<Answer['body']> =>
    (await gateway.call('GET', `${ORGANIZATIONS}?${query}`, { as: operator })).body;
  const audited = async (organizationId: string) =>
    (await gateway.call('GET', `/v1/operator/audit?organization_id=${organizationId}`, { as: operator })).body.data.filter(
      (entry: { entity_type: string }) => entry.entity_type === 'organization',
    );

  await t.test('are no customer’s and none on an organization that does not exist', async () => {
    const customer = await gateway.key('both', 'Customer');
    const neighbour = await gateway.key('both', 'Neighbour');
    for (const target of [customer, neighbour]) {
      assert.equal((await act(target.organization_id, 'suspend', customer)).status, 403);
      assert.equal((await setProfile(target.organization_id, PROFILE, customer)).status, 403);
    }
    assert.equal((await gateway.call('GET', ORGANIZATIONS, { as: customer })).status, 403);
    for (const name of ['suspend', 'resume']) assert.equal((await act('org_none', name)).status, 404);
    assert.equal((await setProfile('org_none', PROFILE)).status, 404);
    assert.equal((await list(`organization_id=${neighbour.organization_id}`)).data[0].status, 'ACTIVE');
  });

  await t.test('are none on the operator’s own organization', async () => {
    const mixed = await gateway.mixedKey(await gateway.key('both', 'Mixed'));
    for (const as of [operator, mixed]) {
      const answers = [
        await act(as.organization_id, 'suspend', as),
        await act(as.organization_id, 'resume', as),
        await setProfile(as.organization_id, PROFILE, as),
      ];
      for (const { status, body } of answers) assert.deepEqual([status, body.code], [403, 'OWN_ORGANIZATION']);
      assert.deepEqual(await audited(as.organization_id), []);
    }
  });

  await t.test('suspend and resume it, each with its reason in the audit log', async () => {
    const { organization_id } = await gateway.key('investor', 'Reviewed');
    const statuses = async () => (await list(`organization_id=${organization_id}&status=SUSPENDED`)).pagination.total;
    assert.equal((await act(organization_id, 'suspend', operator, { reason: 'A review.' })).body.data.status, 'SUSPENDED');
    assert.equal(await statuses(), 1);
    assert.equal((await act(organization_id, 'suspend')).status, 200, 'suspended again it stays suspended');
    assert.equal((await act(organization_id, 'resume')).body.data.status, 'ACTIVE');
    assert.equal(await statuses(), 0);
    const entries = await audited(organization_id);
    assert.deepEqual(
      entries.map((entry: Record<string, unknown>) => [entry.action, entry.actor, entry.reason]),
      [
        ['organization.resume', operator.key_id, null],
        ['organization.suspend', operator.key_id, null],
        ['organization.suspend', operator.key_id, 'A review.'],
      ],
    );
  });

  await t.test('that come at once leave one state, and every one of them is in the audit log', async () => {
    const { organization_id } = await gateway.key('investor', 'Contested');
    const acts = ['suspend', 'resume', 'suspend', 'resume', 'suspend', 'resume'];
    const answers = await Promise.all(acts.map((name) => act(organization_id, name)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    const entries = await audited(organization_id);
    assert.equal(entries.length, acts.length);
    assert.equal((await list(`organization_id=${organization_id}`)).data[0].status, entries[0].after.status);
    for (const [index, entry] of entries.slice(0, -1).entries()) assert.deepEqual(entry.before, entries[index + 1].after);
  });

  await t.test('set its profile as a whole: fields that are left out are gone, unknown ones are never kept', async () => {
    const { organization_id } = await gateway.key('investor', 'Profiled', { profile: 'none' });
    const limited = await setProfile(organization_id, { ...PROFILE, concentration_limit: 1_000_000.5, unknown: true });
    assert.deepEqual([limited.status, limited.body.data.profile], [200, { ...PROFILE, concentration_limit: 1_000_000.5 }]);
    assert.deepEqual((await setProfile(organization_id, PROFILE)).body.data.profile, PROFILE);
    assert.deepEqual((await list(`organization_id=${organization_id}`)).data[0].profile, PROFILE);
    const [last, first] = await audited(organization_id);
    assert.deepEqual([first.before, last.before.concentration_limit, last.after], [null, 1_000_000.5, PROFILE]);
  });

  await t.test('refuse a profile that is incomplete or has values outside its terms', async () => {
    const { organization_id } = await gateway.key('investor', 'Misprofiled');
    const before = (await list(`organization_id=${organization_id}`)).data[0].profile;
    const { qib: _, ...incomplete } = PROFILE;
    const wrong = [
      incomplete,
      { ...PROFILE, kyc_status: 'FINE' },
      { ...PROFILE, kyc_expires_on: '2030-02-30' },
      { ...PROFILE, qib: 'yes' },
      { ...PROFILE, concentration_limit: -1 },
      { ...PROFILE, concentration_limit: 0.001 },
    ];
    for (const body of wrong) assert.equal((await setProfile(organization_id, body)).status, 400, JSON.stringify(body));
    assert.deepEqual((await list(`organization_id=${organization_id}`)).data[0].profile, before);
  });

  await t.test('take amounts and dates up to their limits', async () => {
    const { organization_id } = await gateway.key('investor', 'Limits');
    const wrong = [
      { concentration_limit: 0 },
      { concentration_limit: 90_071_992_547_409.92 },
      { concentration_limit: '1' },
      { kyc_expires_on: '2030-1-1' },
      { kyc_expires_on: 20_301_231 },
      { tax_form: 'W7_FORM' },
      { sanctions_status: null },
      { erisa_plan: null },
    ];
    for (const changes of wrong)
      assert.equal((await setProfile(organization_id, { ...PROFILE, ...changes })).status, 400, JSON.stringify(changes));
    const right = [
      { concentration_limit: 0.01 },
      { concentration_limit: 90_071_992_547_409.91 },
      { concentration_limit: null },
      { kyc_expires_on: '2028-02-29' },
      { kyc_expires_on: null, tax_form: null },
    ];
    for (const changes of right)
      assert.deepEqual((await setProfile(organization_id, { ...PROFILE, ...changes })).body.data.profile, {
        ...PROFILE,
        ...changes,
      });
  });

  await t.test('leave its records, its roles and its name alone', async () => {
    const holder = await gateway.key('both', 'Untouched');
    const before = (await list(`organization_id=${holder.organization_id}`)).data[0];
    await act(holder.organization_id, 'suspend');
    const { status, ...suspended } = (await list(`organization_id=${holder.organization_id}`)).data[0];
    const { status: was, ...rest } = before;
    assert.deepEqual([was, status, suspended], ['ACTIVE', 'SUSPENDED', rest]);
  });

  await t.test('keep a suspended organization from every act until it is resumed, and no other one', async () => {
    const [paused, free] = [await gateway.key('both', 'Paused'), await gateway.key('both', 'Free')];
    await act(paused.organization_id, 'suspend', operator, { reason: 'A review.' });
    const calls = (as: Holder) =>
      Promise.all(
        ['/v1/api/me', '/v1/api/alerts', '/v1/api/originator/loans', '/v1/api/investor/deals'].map(
          async (path) => (await gateway.call('GET', path, { as })).status,
        ),
      );
    assert.deepEqual([await calls(paused), await calls(free)], [Array(4).fill(401), Array(4).fill(200)]);
  });

  await t.test('need a reason that is a line of text, or none', async () => {
    const { organization_id } = await gateway.key('investor', 'Reasons');
    for (const reason of ['', 'x'.repeat(1_001), 7, 'a\u202eb']) {
      assert.equal((await act(organization_id, 'suspend', operator, { reason })).status, 400, String(reason).slice(0, 20));
    }
    assert.equal((await list(`organization_id=${organization_id}`)).data[0].status, 'ACTIVE');
    assert.equal((await act(organization_id, 'suspend', operator, { reason: 'x'.repeat(1_000) })).status, 200);
  });
});

test('organizations are listed newest first, by status and by id, in pages', async () => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  const [first, second] = [await gateway.key('both', 'First'), await gateway.key('investor', 'Second')];
  await gateway.call('POST', `${ORGANIZATIONS}/${first.organization_id}/suspend`, { as: operator });
  const names = async (query: string) =>
    (await gateway.call('GET', `${ORGANIZATIONS}?${query}`, { as: operator })).body.data.map((row: { name: string }) => row.name);
  assert.deepEqual(await names(''), ['Second', 'First', 'Platform']);
  assert.deepEqual([await names('status=SUSPENDED'), await names('status=ACTIVE')], [['First'], ['Second', 'Platform']]);
  assert.deepEqual([await names('limit=1&page=2'), await names('page=4')], [['First'], []]);
  assert.deepEqual(await names(`organization_id=${second.organization_id}&status=SUSPENDED`), []);
  assert.equal((await gateway.call('GET', `${ORGANIZATIONS}?status=CLOSED`, { as: operator })).status, 400);
});
