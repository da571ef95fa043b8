import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, startGateway } from '../../../test/support/gateway.ts';
import { signedIn, type SignedIn } from '../../../test/support/people.ts';
import { doctor } from '../../commands/doctor.ts';
import { listOperators } from '../../events/queries.ts';

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

  const revoke = (keyId: string): Promise<Answer> => gateway.call('POST', `/v1/operator/keys/${keyId}/revoke`, { as: operator });
  const rolesOf = async (organization_id: string): Promise<string[]> =>
    (await gateway.call('GET', `/v1/operator/organizations/${organization_id}`, { as: operator })).body.data.roles;
  const roleOf = async ({ headers }: SignedIn): Promise<string> =>
    (await gateway.call('GET', '/auth/me', { headers })).body.data.role;
  const operators = (): Promise<string[]> => gateway.deps.db.tx({ platform: true }, (tx) => listOperators(tx));

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
    await revoke(key_id);
    assert.equal((await issue('Mistaken', 'both')).status, 201);
  });

  await t.test('what one was by mistake it is no longer once it has a key of the other kind', async () => {
    for (const [mistaken, meant, roles] of [
      ['operator', 'both', ['both']],
      ['originator', 'operator', ['operator']],
    ] as const) {
      const { organization_id, key_id } = (await issue(`Taken for ${mistaken}`, mistaken)).body.data;
      await revoke(key_id);
      assert.equal((await issue(`Taken for ${mistaken}`, meant)).status, 201);
      assert.deepEqual(await rolesOf(organization_id), roles);
      const person = await signedIn(gateway, organization_id, `${mistaken}@example.com`, ['ADMIN']);
      assert.equal(await roleOf(person), meant);
      assert.equal((await operators()).includes(organization_id), meant === 'operator');
    }
  });

  await t.test('the people of one that was made an operator by mistake are operators no more', async () => {
    const { organization_id, key_id } = (await issue('Lender', 'operator')).body.data;
    const person = await signedIn(gateway, organization_id, 'ada@lender.example', ['ADMIN']);
    assert.equal(await roleOf(person), 'operator');
    await revoke(key_id);
    assert.equal((await issue('Lender', 'originator')).status, 201);
    assert.equal(await roleOf(person), 'originator');
    const { status } = await gateway.call('GET', '/v1/operator/organizations', person);
    assert.equal(status, 403);
  });

  await t.test('the people of a customer whose keys have all ended are never made operators', async () => {
    const { organization_id, key_id } = (await issue('Quiet', 'investor')).body.data;
    const person = await signedIn(gateway, organization_id, 'ada@quiet.example', ['ADMIN']);
    await revoke(key_id);
    assert.match(await refused('Quiet', 'operator', 'ROLE_CONFLICT'), /its people would become operators/);
    assert.equal(await roleOf(person), 'investor');
    assert.equal((await issue('Quiet', 'both')).status, 201);
    assert.equal(await roleOf(person), 'both');
  });

  await t.test('a person of the operator cannot make a customer of their own organization when its keys have ended', async () => {
    const { organization_id, key_id } = (await issue('Second platform', 'operator')).body.data;
    const person = await signedIn(gateway, organization_id, 'ada@second.example', ['ADMIN']);
    await revoke(key_id);
    const body = { organization: 'Second platform', role: 'both', environment: 'development', requester: 'Ada', use_case: 'Try' };
    const { status, body: refusal } = await gateway.call('POST', '/v1/operator/keys', { ...person, body });
    assert.deepEqual([status, refusal.code], [409, 'ROLE_CONFLICT']);
    assert.equal(await roleOf(person), 'operator');
  });

  await t.test('one whose keys of both kinds left it with both roles is a customer to its people', async () => {
    const seller = await gateway.key('both', 'Both roles');
    const person = await signedIn(gateway, seller.organization_id, 'ada@roles.example', ['ADMIN']);
    const owner = await gateway.owner();
    await owner.query(`update organizations set roles = '{both,operator}' where organization_id = $1`, [seller.organization_id]);
    await owner.end();
    assert.equal(await roleOf(person), 'both');
    assert.ok(!(await operators()).includes(seller.organization_id));
    await gateway.key('investor', 'Both roles');
    assert.deepEqual(await rolesOf(seller.organization_id), ['both', 'investor']);
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
