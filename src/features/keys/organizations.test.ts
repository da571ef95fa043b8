import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, startGateway } from '../../../test/support/gateway.ts';
import { doctor } from '../../commands/doctor.ts';

test('organizations are told apart', async (t) => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  const issue = (organization: string, role = 'both'): Promise<Answer> =>
    gateway.call('POST', '/v1/operator/keys', {
      as: operator,
      body: { organization, role, environment: 'development', requester: 'Ada', use_case: 'Try' },
    });
  const refused = async (organization: string, role: string, code: string): Promise<string> => {
    const { status, body } = await issue(organization, role);
    assert.deepEqual([status, body.code], [409, code], `${organization} ${role}`);
    return body.message ?? '';
  };
  const nameOf = async (organization_id: string): Promise<string> =>
    (await gateway.call('GET', `/v1/operator/organizations?organization_id=${organization_id}`, { as: operator })).body.data[0]
      .name;

  await t.test('a name that differs only in case or look from another one is refused, and the other one is named', async () => {
    const acme = (await issue('Acme Capital')).body.data.organization_id;
    for (const name of ['ACME Capital', '\u0410cme Capital', 'Acme CapitaI', 'Ａｃｍｅ Capital']) {
      const message = await refused(name, 'both', 'NAME_TAKEN');
      assert.ok(message.includes(acme) && message.includes('"Acme Capital"'), message);
    }
    assert.equal((await issue('Acme Partners')).status, 201);
  });

  await t.test(
    'a name is kept trimmed and without invisible characters, and so spelled it is the same organization',
    async () => {
      const first = (await issue(' Bo\u200blt\u00a0 Credit ')).body.data.organization_id;
      assert.equal(await nameOf(first), 'Bolt Credit');
      assert.equal((await issue('Bolt Credit')).body.data.organization_id, first);
      const nothing = await issue('\u200b\u3164');
      assert.deepEqual([nothing.status, nothing.body.errors?.[0].field], [400, 'organization']);
    },
  );

  await t.test('asked for at once, names that look alike make one organization', async () => {
    const answers = await Promise.all(['Delta One', 'DELTA ONE', 'delta one', 'Dеlta One'].map((name) => issue(name)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409]);
  });

  await t.test('names that clashed before are kept, and their organizations get further keys by their own spelling', async () => {
    const owner = await gateway.owner();
    await owner.query(
      `insert into organizations (organization_id, name, created_at) values ('org_old1', 'Omega', now() - interval '2 days'),
         ('org_old2', 'OMEGA', now() - interval '1 day'), ('org_old3', ' Omega\u200b', now())`,
    );
    await owner.end();
    assert.equal((await issue('Another')).status, 201);
    for (const [name, id] of [
      ['Omega', 'org_old1'],
      ['OMEGA', 'org_old2'],
      [' Omega\u200b', 'org_old3'],
    ] as const) {
      assert.equal((await issue(name)).body.data.organization_id, id);
    }
    assert.match(await refused('omega', 'both', 'NAME_TAKEN'), /org_old1/);
  });

  await t.test('an organization holds operator keys or customer keys, never both', async () => {
    await issue('Seller', 'originator');
    assert.equal((await issue('Seller', 'investor')).status, 201);
    assert.match(await refused('Seller', 'operator', 'ROLE_CONFLICT'), /holds customer keys/);
    for (const role of ['originator', 'investor', 'both']) await refused('Platform', role, 'ROLE_CONFLICT');
    assert.equal((await issue('Platform', 'operator')).status, 201);
    const made = await Promise.all(['operator', 'both'].map((role) => issue('At once', role)));
    assert.deepEqual(made.map(({ status }) => status).sort(), [201, 409]);
  });

  await t.test('a key that was issued by mistake and revoked stands in nobody’s way', async () => {
    const { key_id } = (await issue('Mistaken', 'operator')).body.data;
    await refused('Mistaken', 'both', 'ROLE_CONFLICT');
    await gateway.call('POST', `/v1/operator/keys/${key_id}/revoke`, { as: operator });
    assert.equal((await issue('Mistaken', 'both')).status, 201);
  });

  await t.test('where both exist from before, the keys go on and the doctor names the organization', async () => {
    const seller = await gateway.key('both', 'Both kinds');
    const mixed = await gateway.mixedKey(seller);
    const statuses = [seller, mixed].map(async (as) => (await gateway.call('GET', '/v1/api/me', { as })).status);
    assert.deepEqual(await Promise.all(statuses), [200, 200]);
    for (const role of ['operator', 'both']) await refused('Both kinds', role, 'ROLE_CONFLICT');
    const lines: string[] = [];
    const { dataDir } = gateway.deps.config;
    await doctor({ SLUICE_DATA_DIR: dataDir, DATABASE_URL: gateway.deps.databaseUrl }, (line) => lines.push(line));
    const warnings = lines.filter((line) => line.startsWith('WARN'));
    assert.equal(warnings.length, 1);
    for (const part of [seller.organization_id, '"Both kinds"', seller.key_id, mixed.key_id])
      assert.ok(warnings[0]?.includes(part));
  });
});
