import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { holdsWithin } from '../../../test/support/until.ts';
import type { Database } from '../../platform/db/database.ts';
import { CURRENT_VERSION } from '../../platform/http/api-version.ts';
import { createAuthenticator } from './authenticate.ts';
import { issueKey, type KeyRequest } from './issue-key.ts';
import { platformActor } from '../../platform/http/platform-actor.ts';

const KEYS = '/v1/operator/keys';
const ORGANIZATIONS = '/v1/operator/organizations';
const REQUEST: KeyRequest = {
  organization: 'Acme',
  role: 'both',
  environment: 'development',
  requester: 'Ada Example',
  use_case: 'A first integration',
};

const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
const statusOf = async (gateway: Gateway, as: Holder | string): Promise<number> =>
  (await gateway.call('GET', '/v1/api/me', { as })).status;

/** Waits for the end of a key that was in use: a look-up may be remembered for up to two seconds. */
const endsWithin = (gateway: Gateway, holder: Holder | string, promisedMs: number): Promise<void> =>
  holdsWithin(promisedMs, performance.now(), async () => (await statusOf(gateway, holder)) === 401, 'the end of the key');

test('a key', async (t) => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  const act = (path: string, body?: unknown): Promise<Answer> =>
    gateway.call('POST', path, { as: operator, ...(body ? { body } : {}) });
  const issue = async (changes: Record<string, unknown> = {}): Promise<Holder & { expires_at: string }> => {
    const answer = await act(KEYS, { ...REQUEST, ...changes });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body.data;
  };
  const asOwner = async (sql: string, params: unknown[] = []): Promise<void> => {
    const owner = await gateway.owner();
    await owner.query(sql, params).finally(() => owner.end());
  };

  await t.test('is a signed token that names its key, organization, role and environment, and lives 90 days', async () => {
    const issued = await issue();
    assert.deepEqual(JSON.parse(Buffer.from(issued.token.split('.')[0] ?? '', 'base64url').toString()), {
      alg: 'EdDSA',
      typ: 'JWT',
    });
    const { iat, exp, ...claims } = claimsOf(issued.token) as { iat: number; exp: number };
    assert.deepEqual(claims, {
      iss: 'sluice',
      aud: 'development',
      sub: issued.organization_id,
      jti: issued.key_id,
      role: 'both',
    });
    assert.equal(exp - iat, 90 * 86_400);
    const me = (await gateway.call('GET', '/v1/api/me', { as: issued })).body.data;
    assert.deepEqual([me.key_id, me.organization, me.role, me.environment], [issued.key_id, 'Acme', 'both', 'development']);
    assert.equal(me.expires_at, issued.expires_at);
  });

  await t.test('brings its organization into being, and later keys of that name join it with their roles', async () => {
    const [first, second] = await Promise.all([
      issue({ organization: 'Joint', role: 'originator' }),
      issue({ organization: 'Joint', role: 'investor' }),
    ]);
    assert.equal(first.organization_id, second.organization_id);
    const { data } = (await gateway.call('GET', `${ORGANIZATIONS}?organization_id=${first.organization_id}`, { as: operator }))
      .body;
    assert.deepEqual([data[0].name, data[0].roles, data[0].environments], ['Joint', ['investor', 'originator'], ['development']]);
  });

  await t.test('keeps who asked for it and why; the token itself is nowhere in the database', async () => {
    const issued = await issue();
    const { data } = (await gateway.call('GET', `${KEYS}?organization_id=${issued.organization_id}&limit=1`, { as: operator }))
      .body;
    assert.deepEqual(
      [data[0].key_id, data[0].requester, data[0].use_case, data[0].status],
      [issued.key_id, 'Ada Example', 'A first integration', 'ACTIVE'],
    );
    const signature = issued.token.split('.')[2];
    for (const table of ['keys', 'organizations', 'audit_log', 'idempotency_keys']) {
      const found = await gateway.deps.db.tx({ platform: true }, (tx) =>
        tx.rows(`select 1 from ${table} row where row::text like '%' || $1 || '%'`, [signature]),
      );
      assert.deepEqual(found, [], table);
    }
  });

  await t.test('lives from 1 to 365 whole days', async () => {
    for (const expires_in_days of [0, 366, 1.5, '90', null]) {
      const refused = await act(KEYS, { ...REQUEST, expires_in_days });
      assert.deepEqual([refused.status, refused.body.errors?.[0].field], [400, 'expires_in_days'], String(expires_in_days));
    }
    const { token } = await issue({ expires_in_days: 365 });
    const { iat, exp } = claimsOf(token) as { iat: number; exp: number };
    assert.equal(exp - iat, 365 * 86_400);
  });

  await t.test('works in its own environment only', async () => {
    assert.equal(await statusOf(gateway, await issue({ environment: 'staging' })), 401);
    assert.equal(await statusOf(gateway, await issue({ environment: 'production' })), 401);
  });

  await t.test('ends when its time is over, also in the middle of its use', async () => {
    const issueBrief = () =>
      gateway.deps.db.tx({ platform: true }, (tx) =>
        issueKey(tx, platformActor('test'), { ...REQUEST, role: 'both', expires_in_seconds: 2 }, gateway.deps),
      );
    let brief = await issueBrief();
    const expired: string[] = [];
    // On a busy machine one may end before its first use.
    for (; (await statusOf(gateway, brief.token)) !== 200; brief = await issueBrief()) {
      assert.ok(brief.expires_at.getTime() <= Date.now(), 'it was refused before its end');
      expired.unshift(brief.key_id);
    }
    await endsWithin(gateway, brief.token, 2_500);
    const { data } = (await gateway.call('GET', `${KEYS}?status=EXPIRED`, { as: operator })).body;
    assert.deepEqual(
      data.map((key: { key_id: string }) => key.key_id),
      [brief.key_id, ...expired],
    );
  });

  await t.test('is what the key table says, whatever its token says', async () => {
    const [shortened, demoted, moved, gone] = [await issue(), await issue(), await issue(), await issue()];
    await asOwner(`update keys set expires_at = now() - interval '1 second' where key_id = $1`, [shortened.key_id]);
    await asOwner(`update keys set role = 'investor' where key_id = $1`, [demoted.key_id]);
    await asOwner('update keys set organization_id = $2 where key_id = $1', [moved.key_id, operator.organization_id]);
    await asOwner('delete from keys where key_id = $1', [gone.key_id]);
    for (const holder of [shortened, demoted, moved, gone]) assert.equal(await statusOf(gateway, holder), 401);
  });

  await t.test('that is revoked stops within two seconds for good, and the log says who, when and why', async () => {
    const issued = await issue();
    assert.equal(await statusOf(gateway, issued), 200);
    const revoked = await act(`${KEYS}/${issued.key_id}/revoke`, { reason: 'It leaked.' });
    assert.deepEqual([revoked.status, revoked.body.data.status], [200, 'REVOKED']);
    await endsWithin(gateway, issued, 2_000);
    const { data } = (
      await gateway.call('GET', `/v1/operator/audit?organization_id=${issued.organization_id}&limit=1`, { as: operator })
    ).body;
    assert.deepEqual(
      [data[0].action, data[0].entity_id, data[0].actor, data[0].reason],
      ['key.revoked', issued.key_id, operator.key_id, 'It leaked.'],
    );
    assert.deepEqual([data[0].before, data[0].after], [{ status: 'ACTIVE' }, { status: 'REVOKED' }]);
    const rotated = await act(`${KEYS}/${issued.key_id}/rotate`);
    assert.deepEqual([rotated.status, rotated.body.code], [409, 'CONFLICT']);
    assert.equal((await act(`${KEYS}/key_nope/revoke`)).status, 404);
  });

  await t.test('that is rotated works on for the overlap, beside the new one of the same holder, role and life', async () => {
    await gateway.advance(30 * 86_400);
    const old = await issue({ role: 'investor', expires_in_days: 10 });
    const rotated = await act(`${KEYS}/${old.key_id}/rotate`, { overlap_seconds: 3_600 });
    assert.equal(rotated.status, 201);
    const fresh = rotated.body.data as Holder;
    const { iat, exp, ...claims } = claimsOf(fresh.token) as { iat: number; exp: number };
    assert.deepEqual(claims, {
      iss: 'sluice',
      aud: 'development',
      sub: old.organization_id,
      jti: fresh.key_id,
      role: 'investor',
    });
    assert.equal(exp - iat, 10 * 86_400);
    assert.deepEqual([await statusOf(gateway, old), await statusOf(gateway, fresh)], [200, 200]);
    await asOwner(`update keys set revoked_at = revoked_at - interval '2 hours' where key_id = $1`, [old.key_id]);
    await endsWithin(gateway, old, 2_000);
    assert.equal(await statusOf(gateway, fresh), 200);
  });

  await t.test('that is rotated without overlap stops within two seconds', async () => {
    const old = await issue();
    assert.equal(await statusOf(gateway, old), 200);
    await act(`${KEYS}/${old.key_id}/rotate`, { overlap_seconds: 0 });
    await endsWithin(gateway, old, 2_000);
  });

  await t.test('of a suspended organization stops within two seconds and works again when it is resumed', async () => {
    const [one, two] = [await issue({ organization: 'Paused' }), await issue({ organization: 'Paused' })];
    assert.equal(await statusOf(gateway, one), 200);
    const suspended = await act(`${ORGANIZATIONS}/${one.organization_id}/suspend`, { reason: 'A review.' });
    assert.deepEqual([suspended.status, suspended.body.data.status], [200, 'SUSPENDED']);
    await endsWithin(gateway, one, 2_000);
    assert.equal(await statusOf(gateway, two), 401);
    assert.equal((await act(`${ORGANIZATIONS}/${one.organization_id}/resume`)).body.data.status, 'ACTIVE');
    const resumedAt = performance.now();
    await holdsWithin(2_000, resumedAt, async () => (await statusOf(gateway, one)) === 200, 'the key that works again');
  });
});

test('a key that is revoked while a look-up of it takes long is not remembered from the end of that, nor until a clock that was set back comes there again', async (t) => {
  await using gateway = await startGateway();
  const { db, tokens: keys, config } = gateway.deps;
  const operator = await gateway.key('operator', 'Platform');
  const holder = await gateway.key('both', 'Slow');
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  let steadyMs = 0;
  const slow: Database = {
    ...db,
    tx: async (scope, work) => {
      const found = await db.tx(scope, work);
      await gateway.call('POST', `${KEYS}/${holder.key_id}/revoke`, { as: operator });
      steadyMs += 2_000;
      t.mock.timers.setTime(Date.now() - 3_600_000);
      return found;
    },
  };
  const authenticate = createAuthenticator({ db: slow, keys, environment: config.environment }, () => steadyMs);
  const ask = async () => ((await authenticate(`Bearer ${holder.token}`, CURRENT_VERSION)) as { refused?: string }).refused;
  assert.equal(await ask(), undefined, 'it was in force when it was looked up');
  assert.equal(await ask(), 'KEY_REVOKED');
});

test('the compliance profile of a new organization', async (t) => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  const profileOf = async (
    changes: Record<string, unknown>,
  ): Promise<{ organization_id: string; profile: Record<string, unknown> | null }> => {
    const { body } = await gateway.call('POST', KEYS, { as: operator, body: { ...REQUEST, ...changes } });
    return (await gateway.call('GET', `${ORGANIZATIONS}?organization_id=${body.data.organization_id}`, { as: operator })).body
      .data[0];
  };

  await t.test('passes every check where nothing is real, and is empty in production until somebody has looked', async () => {
    assert.equal((await profileOf({ organization: 'Try' })).profile?.kyc_status, 'VERIFIED');
    assert.equal((await profileOf({ organization: 'Stage', environment: 'staging' })).profile?.sanctions_status, 'CLEAR');
    assert.equal((await profileOf({ organization: 'Real', environment: 'production' })).profile, null);
    assert.equal((await profileOf({ organization: 'Unknown', profile: 'none' })).profile, null);
  });

  await t.test('is in the log, with the key that made the organization', async () => {
    const entries = async (organization: string) => {
      const { organization_id } = await profileOf({ organization });
      const path = `/v1/operator/audit?organization_id=${organization_id}&action=key.issued`;
      const { data } = (await gateway.call('GET', path, { as: operator })).body;
      return data.map((entry: { after: { new_organization: unknown } }) => entry.after.new_organization);
    };
    const { profile } = await profileOf({ organization: 'Told' });
    assert.deepEqual(await entries('Told'), [null, { name: 'Told', profile }]);
    await profileOf({ organization: 'Told bare', profile: 'none' });
    assert.deepEqual(await entries('Told bare'), [null, { name: 'Told bare', profile: null }]);
  });

  await t.test('is not changed by a later key', async () => {
    assert.equal((await profileOf({ organization: 'Unseen', environment: 'production' })).profile, null);
    assert.equal((await profileOf({ organization: 'Unseen', environment: 'development', profile: 'verified' })).profile, null);
  });

  await t.test('is set by the operator as a whole, and the log keeps what it was and what it became', async () => {
    const { organization_id, profile: before } = await profileOf({ organization: 'Set' });
    const after = { ...before, kyc_status: 'REJECTED', concentration_limit: 1_000_000.5 };
    const path = `${ORGANIZATIONS}/${organization_id}/profile`;
    const set = await gateway.call('PUT', path, { as: operator, body: { ...after, unknown: true } });
    assert.deepEqual([set.status, set.body.data.profile], [200, after], JSON.stringify(set.body));
    const [entry] = (await gateway.call('GET', `/v1/operator/audit?organization_id=${organization_id}&limit=1`, { as: operator }))
      .body.data;
    assert.deepEqual([entry.action, entry.before, entry.after], ['organization.profile_set', before, after]);
    const half = await gateway.call('PUT', path, { as: operator, body: { kyc_status: 'VERIFIED' } });
    assert.equal(half.status, 400);
    const endless = { ...before, kyc_expires_on: null };
    const unending = await gateway.call('PUT', path, { as: operator, body: endless });
    assert.deepEqual([unending.status, unending.body.data.profile], [200, endless]);
  });
});
