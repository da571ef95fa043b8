import assert from 'node:assert/strict';
import { createHmac, createPublicKey } from 'node:crypto';
import { test } from 'node:test';
import type { JWK } from 'jose';
import { CookieJar } from '../../../test/support/browser.ts';
import { heldOpen, waitingForLock } from '../../../test/support/desk.ts';
import { type Gateway, startGateway } from '../../../test/support/gateway.ts';
import { CLIENT, TestProvider } from '../../../test/support/identity-provider.ts';
import type { Right } from '../../platform/http/member-rights.ts';
import type { Tx } from '../../platform/db/database.ts';
import { addMember, changeMember } from '../members/change-members.ts';
import { platformActor } from '../../platform/http/platform-actor.ts';
import type { Id } from '../../platform/ids.ts';
import { findSession } from './queries.ts';
import { hashOf } from './session.ts';
import { chooseOrganization, signOut } from './sign-in.ts';

const ANN = { subject: 'ann', email: 'Ann@Example.com', email_verified: true, name: 'Ann Lee' };

/** A gateway on a socket, and a provider that knows it. */
async function open() {
  const provider = await TestProvider.start();
  const gateway = await startGateway({
    SLUICE_OIDC_ISSUER: provider.issuer,
    SLUICE_OIDC_CLIENT_ID: CLIENT.id,
    SLUICE_OIDC_CLIENT_SECRET: CLIENT.secret,
  });
  const url = await gateway.app.listen({ port: 0, host: '127.0.0.1' });
  gateway.deps.setPublicUrl(url);
  await provider.serve(url);
  return {
    provider,
    gateway,
    url,
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      await provider.stop();
    },
  };
}
type Opened = Awaited<ReturnType<typeof open>>;

const add = (gateway: Gateway, organization_id: Id<'org'>, email: string, rights: Right[] = ['VIEW']) =>
  gateway.deps.db.tx({ platform: true }, (tx) =>
    addMember(tx, platformActor('test'), { organization_id, email, name: 'A person', rights }),
  );

const login = ({ url }: Opened, jar: CookieJar, path = '/auth/login') =>
  jar.open(`${url}${path}`, (next) => next.includes('/console'));

async function me({ url }: Opened, jar: CookieJar) {
  const response = await jar.request(`${url}/auth/me`);
  return { status: response.status, body: (await response.json()) as { data: { csrf: string; [field: string]: unknown } } };
}

const send = (opened: Opened, jar: CookieJar, method: string, path: string, csrf: string | null, body?: object) =>
  jar.request(`${opened.url}${path}`, {
    method,
    headers: { ...(csrf === null ? {} : { 'x-sluice-csrf': csrf }), ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });

const codeOf = async (response: Response): Promise<[number, string]> => [
  response.status,
  ((await response.json()) as { code: string }).code,
];

test('a member signs in at the provider and acts with their rights, as themselves in the audit log', async () => {
  await using opened = await open();
  const { gateway, provider, url } = opened;
  const seller = await gateway.key('originator', 'Seller');
  const member = await add(gateway, seller.organization_id, 'ann@example.com', ['EDIT', 'VIEW']);
  provider.account = ANN;
  const jar = new CookieJar();
  assert.deepEqual((await me(opened, jar)).status, 401);
  const { next, response } = await login(opened, jar, '/auth/login?return_to=%2Fconsole%3Fa%3D1');
  assert.equal(next, `${url}/console?a=1`);
  const flags = response.headers.getSetCookie().find((each) => each.startsWith('sluice_session='));
  for (const flag of ['HttpOnly', 'SameSite=Lax', 'Path=/']) assert.ok(flags?.includes(flag), flag);
  const { body } = await me(opened, jar);
  const { csrf, expires_at, ...rest } = body.data;
  assert.ok(typeof csrf === 'string' && typeof expires_at === 'string');
  assert.deepEqual(rest, {
    member_id: member.member_id,
    email: 'ann@example.com',
    name: 'A person',
    organization_id: seller.organization_id,
    organization: 'Seller',
    organizations: [{ organization_id: seller.organization_id, name: 'Seller', role: 'originator' }],
    rights: ['EDIT', 'VIEW'],
    role: 'originator',
    environment: 'development',
  });
  const current = (await (await jar.request(`${url}/v1/api/me`)).json()) as { data: Record<string, unknown> };
  assert.deepEqual([current.data.key_id, current.data.member_id], [null, member.member_id]);
  const deal = { loanType: 'Auto', fileFormat: 'text/csv', fileName: 'auto.csv' };
  const initiate = '/v1/api/originator/loans/initiate';
  assert.deepEqual(await codeOf(await send(opened, jar, 'POST', initiate, null, deal)), [403, 'CSRF_FAILED']);
  assert.deepEqual(await codeOf(await send(opened, jar, 'POST', initiate, 'x'.repeat(43), deal)), [403, 'CSRF_FAILED']);
  const made = await send(opened, jar, 'POST', initiate, csrf, deal);
  assert.equal(made.status, 201);
  const { deal_id } = ((await made.json()) as { data: { deal_id: string } }).data;
  const history = (await gateway.call('GET', `/v1/api/originator/loans/${deal_id}`, { as: seller })).body.data.history;
  assert.equal(history[0].actor, member.member_id);
  // EDIT is neither APPROVE nor ADMIN, and no right reaches what the organization's role does not.
  const refused = await send(opened, jar, 'POST', `/v1/api/originator/loans/${deal_id}/withdraw`, csrf, {});
  assert.deepEqual(await codeOf(refused), [403, 'RIGHT_REQUIRED']);
  assert.deepEqual(await codeOf(await send(opened, jar, 'GET', '/v1/operator/deals', csrf)), [403, 'ROLE_FORBIDDEN']);
  // A key wins over the cookie, and neither counts elsewhere.
  const keyed = await jar.request(`${url}/v1/api/me`, { headers: { authorization: `Bearer ${seller.token}` } });
  assert.equal(((await keyed.json()) as { data: { key_id: string } }).data.key_id, seller.key_id);
  assert.equal((await jar.request(`${url}/mcp`, { method: 'POST', headers: { 'x-sluice-csrf': csrf } })).status, 401);
});

test('what the provider has not verified, or nobody has added, is nobody', async () => {
  await using opened = await open();
  const { gateway, provider } = opened;
  const seller = await gateway.key('originator', 'Seller');
  await add(gateway, seller.organization_id, 'ann@example.com');
  const attempts = [{ ...ANN, email_verified: false }, { subject: 'ann' }, { ...ANN, email: 'ann@example.com.attacker.net' }];
  for (const account of attempts) {
    provider.account = account;
    const jar = new CookieJar();
    const { response } = await login(opened, jar);
    assert.equal(response.status, 403);
    assert.match(await response.text(), /NOT_A_MEMBER/);
    assert.equal((await me(opened, jar)).status, 401);
  }
  provider.account = ANN;
  assert.equal((await login(opened, new CookieJar())).next, `${opened.url}/console`);
  // From then on the subject is the person: another account with the same address is somebody else.
  provider.account = { ...ANN, subject: 'another ann' };
  assert.equal((await login(opened, new CookieJar())).response.status, 403);
});

test('an id token of another issuer, audience, nonce, time or key is not accepted; a clock that is half a minute off is', async () => {
  await using opened = await open();
  const { gateway, provider } = opened;
  const seller = await gateway.key('originator', 'Seller');
  await add(gateway, seller.organization_id, 'ann@example.com');
  provider.account = ANN;
  const seconds = (): number => Math.floor(Date.now() / 1000);
  const wrong: Record<string, Record<string, unknown>> = {
    issuer: { iss: 'http://127.0.0.1:1' },
    audience: { aud: 'another client' },
    nonce: { nonce: 'another' },
    'no nonce': { nonce: undefined },
    ended: { exp: seconds() - 120 },
  };
  for (const [name, claims] of Object.entries(wrong)) {
    provider.tamper = (sent) => ({ claims: { ...sent, ...claims } });
    const { response } = await login(opened, new CookieJar());
    assert.equal(response.status, 403, name);
    assert.match(await response.text(), /SIGN_IN_REFUSED/, name);
  }
  provider.tamper = (claims) => ({ claims, foreignKey: true });
  assert.equal((await login(opened, new CookieJar())).response.status, 403, 'signature');
  const part = (of: object | string): string =>
    Buffer.from(typeof of === 'string' ? of : JSON.stringify(of)).toString('base64url');
  const unsigned: Record<string, (claims: object, jwk: JWK) => string> = {
    'no algorithm': (claims) => `${part({ alg: 'none' })}.${part(claims)}.`,
    'the public key as a secret': (claims, jwk) => {
      const text = `${part({ alg: 'HS256', kid: jwk.kid })}.${part(claims)}`;
      const pem = createPublicKey({ key: { ...jwk }, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
      return `${text}.${createHmac('sha256', pem).update(text).digest('base64url')}`;
    },
    'a signature that is no base64': (claims, jwk) => `${part({ alg: 'ES256', kid: jwk.kid })}.${part(claims)}.abcde`,
  };
  for (const [name, make] of Object.entries(unsigned)) {
    provider.tamper = (claims, jwk) => ({ claims, token: make(claims, jwk) });
    assert.equal((await login(opened, new CookieJar())).response.status, 403, name);
  }
  provider.tamper = (sent) => ({ claims: { ...sent, iat: seconds() + 30, exp: seconds() - 30 } });
  assert.equal((await login(opened, new CookieJar())).next, `${opened.url}/console`);
  provider.tamper = null;
  await provider.rotateKey();
  assert.equal((await login(opened, new CookieJar())).next, `${opened.url}/console`, 'a new key of the provider');
});

test('a subject that no database keeps is refused, and a name with invisible characters is left out', async () => {
  await using opened = await open();
  const { gateway, provider } = opened;
  const seller = await gateway.key('originator', 'Seller');
  await add(gateway, seller.organization_id, 'ann@example.com');
  provider.account = ANN;
  const told = { email: ANN.email, email_verified: true };
  for (const sub of ['', 'a\u0000b', 'x'.repeat(3_000)]) {
    provider.tamper = (claims) => ({ claims: { ...claims, ...told, sub } });
    const { response } = await login(opened, new CookieJar());
    assert.deepEqual([response.status, /SIGN_IN_REFUSED/.test(await response.text())], [403, true], sub.slice(0, 10));
  }
  for (const name of ['A\u0000n', 'A\u202en']) {
    provider.tamper = (claims) => ({ claims: { ...claims, ...told, name } });
    const jar = new CookieJar();
    await login(opened, jar);
    assert.equal((await me(opened, jar)).body.data.name, 'A person');
  }
});

test('a callback works once, in the browser that has begun, and leads nowhere else', async () => {
  await using opened = await open();
  const { gateway, provider, url } = opened;
  const seller = await gateway.key('originator', 'Seller');
  await add(gateway, seller.organization_id, 'ann@example.com');
  provider.account = ANN;
  const jar = new CookieJar();
  const { next: callback } = await jar.open(`${url}/auth/login`, (next) => next.startsWith(`${url}/auth/callback`));
  assert.ok(callback);
  // Another browser that is sent the address is not signed in as Ann.
  const victim = new CookieJar();
  await victim.open(`${url}/auth/login`, (next) => next.startsWith(provider.issuer));
  assert.equal((await victim.request(callback)).status, 403);
  assert.equal((await me(opened, victim)).status, 401);
  const [[cookie, state] = ['', '']] = jar.of(url);
  assert.match(cookie, /^sluice_sign_in_/);
  assert.equal((await jar.request(callback)).status, 303);
  assert.deepEqual([...jar.of(url).keys()], ['sluice_session']);
  jar.of(url).set(cookie, state);
  const again = await jar.request(callback);
  assert.equal(again.status, 403);
  assert.equal((await me(opened, jar)).status, 200, 'a replayed code ends nothing');
  for (const elsewhere of [
    'https://attacker.net',
    '//attacker.net',
    '/\\attacker.net',
    '/a b',
    'console',
    '/\t/attacker.net',
    '/console/..//attacker.net',
    '/.//attacker.net',
    '/console/%2e%2E//attacker.net/a?b',
  ])
    assert.equal((await fetch(`${url}/auth/login?return_to=${encodeURIComponent(elsewhere)}`)).status, 400, elsewhere);
});

test('two tabs that sign in at once both end signed in', async () => {
  await using opened = await open();
  const { gateway, provider, url } = opened;
  const seller = await gateway.key('originator', 'Seller');
  await add(gateway, seller.organization_id, 'ann@example.com');
  provider.account = ANN;
  const jar = new CookieJar();
  const atCallback = (next: string) => next.startsWith(`${url}/auth/callback`);
  const first = await jar.open(`${url}/auth/login?return_to=%2Fconsole%3Fa`, atCallback);
  const second = await jar.open(`${url}/auth/login?return_to=%2Fconsole%3Fb`, atCallback);
  for (const [tab, page] of [
    [first, '/console?a'],
    [second, '/console?b'],
  ] as const) {
    const back = await jar.request(tab.next ?? '');
    assert.deepEqual([back.status, back.headers.get('location')], [303, page]);
    assert.equal((await me(opened, jar)).status, 200);
  }
  assert.deepEqual([...jar.of(url).keys()], ['sluice_session']);
});

test('an address that the provider verifies elsewhere or as a text is found, and none of another alphabet is', async () => {
  await using opened = await open();
  const { gateway, provider } = opened;
  const seller = await gateway.key('originator', 'Seller');
  for (const name of ['ann', 'kim']) await add(gateway, seller.organization_id, `${name}@example.com`);
  // The sign of kelvins is a k in lower case.
  provider.account = { subject: 'attacker', email: '\u212Aim@example.com', email_verified: true };
  const { response } = await login(opened, new CookieJar());
  assert.deepEqual([response.status, /NOT_A_MEMBER/.test(await response.text())], [403, true]);
  provider.account = ANN;
  provider.tamper = (claims) => ({ claims: { ...claims, email: ANN.email } });
  assert.equal((await login(opened, new CookieJar())).next, `${opened.url}/console`, 'verified by the user information');
  provider.account = { subject: 'kim' };
  provider.tamper = (claims) => ({ claims: { ...claims, email: 'kim@example.com', email_verified: 'true' } });
  assert.equal((await login(opened, new CookieJar())).next, `${opened.url}/console`, 'verified as a text');
});

test('a sign-in gives another cookie, and sign-out ends the session, or all of the person, at once', async () => {
  await using opened = await open();
  const { gateway, provider, url } = opened;
  const seller = await gateway.key('originator', 'Seller');
  await add(gateway, seller.organization_id, 'ann@example.com');
  provider.account = ANN;
  const [first, second] = [new CookieJar(), new CookieJar()];
  first.of(url).set('sluice_session', 'chosen by an attacker');
  await login(opened, first);
  const planted = first.of(url).get('sluice_session') ?? '';
  assert.notEqual(planted, 'chosen by an attacker');
  await login(opened, first);
  const old = new CookieJar();
  old.of(url).set('sluice_session', planted);
  assert.deepEqual(await codeOf(await old.request(`${url}/v1/api/me`)), [401, 'SESSION_EXPIRED']);
  await login(opened, second);
  const csrf = (await me(opened, first)).body.data.csrf;
  assert.deepEqual(await codeOf(await send(opened, first, 'POST', '/auth/logout', null)), [403, 'CSRF_FAILED']);
  const left = await send(opened, first, 'POST', '/auth/logout', csrf);
  const { end_session_url } = ((await left.json()) as { data: { end_session_url: string } }).data;
  const end = new URL(end_session_url);
  assert.equal(end.origin, provider.issuer);
  // The page's script gets the address, so no token may be in it: the provider knows where the browser may go by who asks.
  assert.deepEqual(Object.fromEntries(end.searchParams), {
    client_id: CLIENT.id,
    post_logout_redirect_uri: `${url}/console`,
  });
  assert.equal((await fetch(end)).status, 200);
  assert.equal((await me(opened, first)).status, 401);
  assert.equal((await me(opened, second)).status, 200);
  await login(opened, first);
  const again = (await me(opened, first)).body.data.csrf;
  await send(opened, first, 'POST', '/auth/logout', again, { everywhere: true });
  assert.equal((await me(opened, second)).status, 401);
});

test('a member of two organizations chooses one, and both tabs go on as that member', async () => {
  await using opened = await open();
  const { gateway, provider, url } = opened;
  const [seller, buyer, other] = [
    await gateway.key('originator', 'Seller'),
    await gateway.key('investor', 'Buyer'),
    await gateway.key('investor', 'Other'),
  ];
  for (const { organization_id } of [seller, buyer]) await add(gateway, organization_id, 'ann@example.com', ['EDIT']);
  provider.account = ANN;
  const jar = new CookieJar();
  await login(opened, jar);
  const { data } = (await me(opened, jar)).body;
  assert.deepEqual([data.organization_id, data.rights, (data.organizations as unknown[]).length], [null, [], 2]);
  assert.deepEqual(await codeOf(await jar.request(`${url}/v1/api/me`)), [403, 'ORGANIZATION_REQUIRED']);
  const choose = (organization_id: string, csrf: unknown) =>
    send(opened, jar, 'POST', '/auth/organization', String(csrf), { organization_id });
  assert.equal((await choose(other.organization_id, data.csrf)).status, 404);
  const chosen = await choose(buyer.organization_id, data.csrf);
  assert.equal(chosen.status, 200);
  assert.equal((await jar.request(`${url}/v1/api/investor/deals`)).status, 200);
  assert.equal((await jar.request(`${url}/v1/api/originator/loans`)).status, 403);
  // The other tab still has the word of before.
  assert.deepEqual(await codeOf(await choose(seller.organization_id, data.csrf)), [403, 'CSRF_FAILED']);
});

test('who signs out while another tab goes on under another cookie is not told to be signed out', async () => {
  await using opened = await open();
  const { gateway, provider } = opened;
  const [seller, buyer] = [await gateway.key('originator', 'Seller'), await gateway.key('investor', 'Buyer')];
  for (const { organization_id } of [seller, buyer]) await add(gateway, organization_id, 'ann@example.com');
  provider.account = ANN;
  for (const everywhere of [false, true]) {
    const jar = new CookieJar();
    await login(opened, jar);
    const { csrf } = (await me(opened, jar)).body.data;
    const name = hashOf(jar.of(opened.url).get('sluice_session') ?? '');
    let left: Promise<Response> | undefined;
    const release = await heldOpen(gateway, async (earlier) => {
      const session = (await findSession(earlier, name)) ?? assert.fail();
      await chooseOrganization(earlier, session, buyer.organization_id);
      left = send(opened, jar, 'POST', '/auth/logout', csrf, { everywhere });
      await waitingForLock(gateway);
    });
    await release();
    const answer = (await left) ?? assert.fail();
    const sessions = await gateway.deps.db.tx({ platform: true }, (tx) => tx.rows('select from sessions'));
    if (everywhere) assert.deepEqual([answer.status, sessions.length], [200, 0]);
    else assert.deepEqual([await codeOf(answer), sessions.length], [[401, 'SESSION_EXPIRED'], 1]);
  }
});

test('two sign-outs of one session at once are one: the other is told that it had ended', async () => {
  await using opened = await open();
  const { gateway, provider } = opened;
  const seller = await gateway.key('originator', 'Seller');
  const member = await add(gateway, seller.organization_id, 'ann@example.com');
  provider.account = ANN;
  const jar = new CookieJar();
  await login(opened, jar);
  const { csrf } = (await me(opened, jar)).body.data;
  const name = hashOf(jar.of(opened.url).get('sluice_session') ?? '');
  let second: Promise<Response> | undefined;
  const release = await heldOpen(gateway, async (earlier) => {
    await signOut(earlier, (await findSession(earlier, name)) ?? assert.fail(), false);
    second = send(opened, jar, 'POST', '/auth/logout', csrf);
    await waitingForLock(gateway);
  });
  await release();
  assert.deepEqual(await codeOf((await second) ?? assert.fail()), [401, 'SESSION_EXPIRED']);
  const entries = await gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.rows(`select from audit_log where entity_id = $1 and action = 'member.signed_out'`, [member.member_id]),
  );
  assert.equal(entries.length, 1);
});

test('who is suspended at the moment of choosing an organization does not get in, and not with that session once resumed', async () => {
  await using opened = await open();
  const { gateway, provider } = opened;
  const [seller, buyer] = [await gateway.key('originator', 'Seller'), await gateway.key('investor', 'Buyer')];
  const members = [];
  for (const { organization_id } of [seller, buyer]) members.push(await add(gateway, organization_id, 'ann@example.com'));
  provider.account = ANN;
  const jar = new CookieJar();
  await login(opened, jar);
  const { csrf } = (await me(opened, jar)).body.data;
  const { organization_id } = buyer;
  const member_id = members[1]?.member_id ?? assert.fail();
  const suspend = (tx: Tx) =>
    changeMember(tx, platformActor('test'), { organization_id, member_id, change: { status: 'SUSPENDED' } });
  let chosen: Promise<Response> | undefined;
  const release = await heldOpen(gateway, async (earlier) => {
    await suspend(earlier);
    chosen = send(opened, jar, 'POST', '/auth/organization', csrf, { organization_id });
    await waitingForLock(gateway);
  });
  await release();
  assert.equal((await chosen)?.status, 404);
  await gateway.deps.db.tx({ platform: true }, (tx) =>
    changeMember(tx, platformActor('test'), { organization_id, member_id, change: { status: 'ACTIVE' } }),
  );
  assert.equal((await me(opened, jar)).body.data.organization_id, null);
});

test('who is suspended is out with the next request; sessions end by time', async () => {
  await using opened = await open();
  const { gateway, provider, url } = opened;
  const seller = await gateway.key('originator', 'Seller');
  const operator = await gateway.key('operator', 'Platform');
  await add(gateway, seller.organization_id, 'ann@example.com', ['EDIT']);
  provider.account = ANN;
  const jar = new CookieJar();
  await login(opened, jar);
  const status = async () => (await jar.request(`${url}/v1/api/me`)).status;
  assert.equal(await status(), 200);
  const organization = `/v1/operator/organizations/${seller.organization_id}`;
  await gateway.call('POST', `${organization}/suspend`, { as: operator, body: { reason: 'r' } });
  assert.deepEqual(await codeOf(await jar.request(`${url}/v1/api/me`)), [401, 'ORGANIZATION_SUSPENDED']);
  await gateway.call('POST', `${organization}/resume`, { as: operator, body: { reason: 'r' } });
  assert.equal(await status(), 200);
  const age = (column: string, by: string) =>
    gateway.deps.db.tx({ platform: true }, (tx) => tx.exec(`update sessions set ${column} = ${column} - interval '${by}'`));
  await age('last_used_at', '7 hours 59 minutes');
  assert.equal(await status(), 200);
  await age('last_used_at', '8 hours 1 minute');
  assert.equal(await status(), 401);
  await login(opened, jar);
  await age('expires_at', '24 hours');
  assert.equal(await status(), 401);
  await login(opened, jar);
  await gateway.deps.db.tx({ platform: true }, (tx) => tx.exec(`update members set status = 'SUSPENDED'`));
  assert.equal(await status(), 401);
});

test('while the provider is down nobody signs in, in words, and sessions go on', async () => {
  await using opened = await open();
  const { gateway, provider, url } = opened;
  const seller = await gateway.key('originator', 'Seller');
  await add(gateway, seller.organization_id, 'ann@example.com', ['EDIT']);
  provider.account = ANN;
  const jar = new CookieJar();
  await login(opened, jar);
  await provider.stop();
  const response = await fetch(`${url}/auth/login`, { redirect: 'manual' });
  assert.equal(response.status, 503);
  assert.ok(response.headers.get('retry-after'));
  assert.match(await response.text(), /identity provider does not respond/);
  assert.equal((await jar.request(`${url}/v1/api/me`)).status, 200);
  const csrf = (await me(opened, jar)).body.data.csrf;
  assert.equal((await send(opened, jar, 'POST', '/auth/logout', csrf)).status, 200);
  assert.equal((await me(opened, jar)).status, 401);
});

test('a provider that fails at one of its addresses is said to fail: nobody is told that their sign-in was not accepted', async () => {
  await using opened = await open();
  const { gateway, provider, url } = opened;
  const seller = await gateway.key('originator', 'Seller');
  await add(gateway, seller.organization_id, 'ann@example.com');
  provider.account = ANN;
  const failures = [
    { path: '/jwks', status: 500 },
    { path: '/jwks', status: 404 },
    { path: '/token', status: 502 },
    { path: '/token', status: 500, body: { error: 'server_error' } },
    { path: '/token', status: 429, body: { error: 'slow_down' } },
    { path: '/token', status: 400, body: { error: 'invalid_client' } },
    { path: '/me', status: 503 },
  ];
  for (const failure of failures) {
    provider.instead = failure;
    const { response } = await login(opened, new CookieJar());
    assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '60'], JSON.stringify(failure));
    assert.match(await response.text(), /identity provider does not respond as it should/);
  }
  const metadata = { issuer: provider.issuer, token_endpoint: `${provider.issuer}/token`, jwks_uri: `${provider.issuer}/jwks` };
  for (const authorization_endpoint of [undefined, 'no address']) {
    provider.instead = { path: '/.well-known', status: 200, body: { ...metadata, authorization_endpoint } };
    const begun = await fetch(`${url}/auth/login`, { redirect: 'manual' });
    assert.deepEqual([begun.status, /authorization_endpoint/.test(await begun.text())], [503, true]);
  }
  provider.instead = { path: '/token', status: 400, body: { error: 'invalid_grant' } };
  assert.equal((await login(opened, new CookieJar())).response.status, 403);
  provider.instead = null;
  assert.equal((await login(opened, new CookieJar())).next, `${url}/console`);
});

test('without a provider Development asks who one is; that page does not exist elsewhere or beside a provider', async () => {
  await using gateway = await startGateway();
  const url = await gateway.app.listen({ port: 0, host: '127.0.0.1' });
  gateway.deps.setPublicUrl(url);
  const seller = await gateway.key('originator', 'Seller & <Sons>');
  await add(gateway, seller.organization_id, 'ann@example.com', ['ADMIN']);
  const jar = new CookieJar();
  const page = await (await jar.request(`${url}/auth/login`)).text();
  assert.ok(page.includes('ann@example.com') && page.includes('Seller &amp; &lt;Sons&gt;') && !page.includes('<Sons>'));
  const state = /name="state" value="([\w-]+)"/.exec(page)?.[1] ?? '';
  const post = (fields: Record<string, string>, by = jar) =>
    by.request(`${url}/auth/development`, { method: 'POST', body: new URLSearchParams(fields) });
  assert.equal((await post({ state, email: 'ann@example.com' }, new CookieJar())).status, 403, 'another site posts it');
  const entered = await post({ state, email: 'ann@example.com' });
  assert.deepEqual([entered.status, entered.headers.get('location')], [303, '/console']);
  assert.equal((await jar.request(`${url}/v1/api/me`)).status, 200);
  for (const email of ['ann\u0000@example.com', 'nobody', '']) {
    const begun = new CookieJar();
    const again = /name="state" value="([\w-]+)"/.exec(await (await begun.request(`${url}/auth/login`)).text())?.[1] ?? '';
    const { status } = await post({ state: again, email }, begun);
    assert.equal(status, 403, JSON.stringify(email));
  }
  const elsewhere = [
    { SLUICE_ENVIRONMENT: 'staging' },
    { SLUICE_OIDC_ISSUER: 'http://127.0.0.1:1', SLUICE_OIDC_CLIENT_ID: 'sluice' },
  ];
  for (const settings of elsewhere) {
    await using other = await startGateway(settings);
    assert.equal((await other.call('POST', '/auth/development', {})).status, 404);
    const login = await other.call('GET', '/auth/login', {});
    assert.equal(login.status, 'SLUICE_OIDC_ISSUER' in settings ? 503 : 404);
    assert.ok(!login.text.includes('choose who you are'));
  }
});

test('a person has 600 requests in a minute, over all their sessions', async () => {
  await using opened = await open();
  const { gateway, provider, url } = opened;
  const seller = await gateway.key('originator', 'Seller');
  await add(gateway, seller.organization_id, 'ann@example.com');
  provider.account = ANN;
  const jars = [new CookieJar(), new CookieJar()];
  for (const jar of jars) await login(opened, jar);
  const statuses: number[] = [];
  for (let batch = 0; batch < 31; batch += 1) {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => jars).flatMap((both) => both.map((jar) => jar.request(`${url}/v1/api/me`))),
    );
    for (const each of answers) statuses.push(each.status);
  }
  assert.deepEqual([statuses.filter((each) => each === 200).length, statuses.filter((each) => each === 429).length], [600, 20]);
});
