import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { ROUTES } from '../../src/app.ts';
import { mayReach } from '../../src/platform/http/may-reach.ts';
import { rowScopeOf, scopeOfRequest } from '../../src/platform/http/row-scope.ts';
import type { Route } from '../../src/platform/http/route.ts';
import type { Caller } from '../../src/platform/http/caller.ts';
import { buildServer } from '../../src/platform/http/server.ts';
import { startGateway } from '../support/gateway.ts';
import { asId } from '../../src/platform/ids.ts';

const filled = (route: Route): string => route.path.replace(/:version\b/g, '1').replace(/:\w+/g, 'none');

/** Ways to write one path. Routers, proxies and guards have been known to read them differently. */
const SPELLINGS: Record<string, (path: string) => string> = {
  plain: (path) => path,
  'an encoded letter': (path) => path.replace('/v', '/%76'),
  'an encoded digit': (path) => path.replace('/v1', '/v%31'),
  'both encoded': (path) => path.replace('/v1', '/%76%31'),
  'hex in mixed case': (path) => path.replace('/v1/o', '/v1/%6F').replace('/v1/a', '/v1/%61').replace('/v1/s', '/v1/%73'),
  'an encoded last letter': (path) => path.replace(/.$/, (last) => `%${last.charCodeAt(0).toString(16)}`),
  'in capitals': (path) => path.replace('/v1', '/V1'),
  'a double slash': (path) => `/${path}`,
  'a double slash within': (path) => path.replace('/v1/', '/v1//'),
  'a dot segment': (path) => `/.${path}`,
  'a dot segment within': (path) => path.replace('/v1/', '/v1/./'),
  'a parent segment': (path) => `/livez/..${path}`,
  'a parameter': (path) => `${path};x`,
  'a trailing slash': (path) => `${path}/`,
  'an encoded slash': (path) => path.replace('/v1/', '/v1%2f'),
  'a fragment': (path) => `${path}#x`,
};

const NO_PATHS: Record<string, (path: string) => string> = {
  'absolute form': (path) => `http://x${path}`,
  'absolute form of another scheme': (path) => `gopher://x${path}`,
  'no slash at all': (path) => path.slice(1),
};

test('a door stays shut however its path is spelled', async (t) => {
  await using gateway = await startGateway();
  await gateway.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = gateway.app.server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  t.after(() => agent.destroy());
  const send = (method: string, path: string, token?: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = token ? { authorization: `Bearer ${token}` } : {};
      request({ port, host: '127.0.0.1', agent, method, path, headers }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0));
      })
        .on('error', reject)
        .end();
    });
  const keys = {
    originator: await gateway.key('originator'),
    investor: await gateway.key('investor'),
    operator: await gateway.key('operator'),
  };
  const otherRole = (route: Route): string | undefined =>
    Object.entries(keys).find(([role]) => !mayReach(role as Caller['role'], route.access))?.[1].token;

  const seen = async (spellings: typeof SPELLINGS, accepted: readonly number[]): Promise<string[]> => {
    const wrong: string[] = [];
    for (const route of ROUTES.filter((each) => each.access !== 'public')) {
      await Promise.all(
        Object.entries(spellings).flatMap(([spelling, spell]) =>
          [undefined, otherRole(route)].map(async (token, index) => {
            // A route for every key has no other role.
            if (index === 1 && !token) return;
            const status = await send(route.method, spell(filled(route)), token);
            // Spelled otherwise it may be another path, which a key may ask for its methods.
            if (!accepted.includes(status) && !(token && status === 405))
              wrong.push(`${route.method} ${spell(filled(route))} (${spelling}): ${status}`);
          }),
        ),
      );
    }
    return wrong;
  };

  await t.test('for whoever has no key or a key of another role', async () => {
    assert.deepEqual(await seen(SPELLINGS, [401, 403, 404]), []);
  });

  await t.test('and a target that is no path is refused as such', async () => {
    assert.deepEqual(await seen(NO_PATHS, [400]), []);
    assert.equal(await send('OPTIONS', '*'), 400);
  });

  await t.test('and an encoded spelling opens it for whoever may enter', async () => {
    assert.equal(await send('GET', '/%76%31/api/me', keys.investor.token), 200);
    assert.equal(await send('GET', '/v1/%6Fperator/keys', keys.operator.token), 200);
  });

  await t.test('and an unknown path under /v1 is unknown to holders of a key alone', async () => {
    for (const path of ['/v1', '/v1/', '/v1/nothing', '/%761/nothing', '//v1/nothing']) {
      assert.equal(await send('GET', path), 401, path);
      assert.equal(await send('GET', path, keys.operator.token), 404, path);
    }
    assert.equal(await send('GET', '/nothing'), 404);
  });

  await t.test('and a path that cannot be decoded is refused under the headers of every answer', async () => {
    for (const path of ['/v1/operator/keys%', '/%c0%af', `/v1/downloads/${'a'.repeat(2_049)}`]) {
      const { status, headers } = await gateway.call('GET', path, { headers: { 'x-request-id': 'mine' } });
      assert.equal(status, 400, path);
      assert.deepEqual(
        [headers['x-request-id'], headers['cache-control'], headers['x-content-type-options']],
        ['mine', 'no-store', 'nosniff'],
        path,
      );
    }
  });

  await t.test('and a header that two readers could read differently is refused', async () => {
    const raw = (lines: string[]): Promise<string> =>
      new Promise((resolve, reject) => {
        let text = '';
        const socket = connect(port, '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n`));
        socket
          .on('data', (bytes) => (text += bytes))
          .on('end', () => resolve(text))
          .on('error', reject);
      });
    const line = (name: string, value: string): string => `${name}: ${value}`;
    const valid = `Bearer ${keys.operator.token}`;
    const start = ['GET /v1/operator/keys HTTP/1.1', 'Connection: close'];
    for (const twice of [
      [line('Host', 'a'), line('Authorization', valid), line('authorization', 'Bearer x.y.z')],
      [line('Host', 'a'), line('host', 'b'), line('Authorization', valid)],
      [line('Host', 'a'), line('Authorization', valid), line('Idempotency-Key', 'a'), line('Idempotency-Key', 'a')],
      [
        line('Host', 'a'),
        line('Authorization', valid),
        line('Content-Type', 'application/json'),
        line('Content-Type', 'text/csv'),
      ],
      [line('Host', 'a'), line('Authorization', valid), line('Content-Length', '0'), line('Content-Length', '0')],
    ]) {
      assert.match(await raw([...start, ...twice]), /^HTTP\/1\.1 400 /, twice.join());
    }
    assert.match(await raw([...start, line('Host', 'a'), line('Authorization', valid)]), /^HTTP\/1\.1 200 /);
    // A probe of HTTP/1.0, as that of a balancer, names no host.
    const old = 'GET /readyz HTTP/1.0';
    assert.match(await raw([old]), /^HTTP\/1\.1 200 /);
    assert.match(await raw([old, line('Host', 'a'), line('Host', 'b')]), /^HTTP\/1\.1 400 /);
    assert.match(await raw(['GET /readyz HTTP/1.1', 'Connection: close']), /^HTTP\/1\.1 400 /);
    assert.match(await raw(['POST /mcp HTTP/1.0', line('Authorization', valid)]), /^HTTP\/1\.1 403 /);
    // What nobody here expects of a request does not change it.
    const expecting = await raw([...start, line('Host', 'a'), line('Authorization', valid), line('Expect', 'foo')]);
    assert.match(expecting, /^HTTP\/1\.1 200 [^]*x-request-id: /i);
    // What the parser refuses has its id in the header too, as every answer has.
    for (const [lines, status] of [
      [['nonsense'], 400],
      [[...start, line('X-Long', 'x'.repeat(20_000))], 431],
    ] as const) {
      const answer = await raw([...lines]);
      const [, id] = /\r\nx-request-id: (\S+)\r\n/.exec(answer) ?? [];
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
      assert.equal(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))).request_id, id);
    }
  });

  await t.test('and a body in another charset than UTF-8 is refused, not guessed at', async () => {
    const post = (type: string) =>
      gateway.call('POST', '/v1/api/alerts/mark', {
        as: keys.investor,
        raw: JSON.stringify({ ids: ['alt_none'], status: 'READ' }),
        headers: { 'content-type': type },
      });
    for (const charset of ['utf-16', 'UTF-16LE', '"utf-16"', 'iso-8859-1', 'utf-7', 'utf-8; charset=utf-16'])
      assert.equal((await post(`application/json; charset=${charset}`)).status, 415, charset);
    assert.match((await post('application/json; charset=')).body.message ?? '', /in UTF-8, not in ""\.$/);
    for (const charset of ['utf-8', 'UTF-8', '"utf-8"'])
      assert.equal((await post(`application/json; charset=${charset}`)).status, 200);
  });

  await t.test('and a compressed body is refused by its encoding, not as bad JSON', async () => {
    const body = Buffer.from(JSON.stringify({ ids: ['alt_none'], status: 'READ' }));
    const post = (raw: Buffer, encoding: string) =>
      gateway.call('POST', '/v1/api/alerts/mark', {
        as: keys.investor,
        raw,
        headers: { 'content-type': 'application/json', 'content-encoding': encoding },
      });
    const refused = await post(gzipSync(body), 'gzip');
    assert.deepEqual([refused.status, refused.body.code], [415, 'UNSUPPORTED_MEDIA_TYPE']);
    assert.match(refused.body.message ?? '', /without Content-Encoding, not as gzip/);
    for (const encoding of ['gzip', 'br', 'identity, gzip']) assert.equal((await post(body, encoding)).status, 415, encoding);
    assert.equal((await post(body, 'identity')).status, 200);
  });

  await t.test('and a server with a path that does not say who may reach it does not start', async () => {
    const app = await buildServer({
      deps: gateway.deps,
      routes: [],
      authenticate: async () => ({ refused: 'KEY_MISSING' }),
      constraints: {},
    });
    app.get('/open', async () => ({}));
    await assert.rejects(async () => app.ready(), /the route \/open does not say who may reach it/);
    await app.close();
  });
});

test('the rows that a request reaches are those of its route and its caller', async (t) => {
  await using gateway = await startGateway();
  const caller = (role: Caller['role']): Caller => ({
    actor_id: asId('key', 'key_1'),
    organization_id: asId('org', 'org_1'),
    organization: 'One',
    role,
    environment: 'development',
    api_version: null,
    scopes: null,
    person: null,
    networks: null,
    label: null,
    expires_at: new Date(),
  });
  const config = (environment: string) => ({ config: { ...gateway.deps.config, environment: environment as never } });

  await t.test('the whole platform for operators alone', () => {
    for (const route of ROUTES.filter((each) => rowScopeOf(each) === 'platform')) {
      assert.equal(route.access, 'operator', route.path);
      assert.deepEqual(scopeOfRequest(gateway.deps, route, caller('operator')), { platform: true });
      for (const role of ['originator', 'investor', 'both'] as const)
        assert.throws(() => scopeOfRequest(gateway.deps, route, caller(role)), /has no platform scope/);
    }
  });

  await t.test('what the market shows, and its own, for an investor', () => {
    const routes = ROUTES.filter((each) => each.access === 'investor');
    assert.ok(routes.length > 30);
    for (const route of routes)
      assert.deepEqual(scopeOfRequest(gateway.deps, route, caller('investor')), { market: [asId('org', 'org_1')] }, route.path);
  });

  await t.test('of others in the sandbox, which production does not have', () => {
    const routes = ROUTES.filter((each) => rowScopeOf(each) === 'sandbox');
    assert.ok(routes.length > 0 && routes.every((each) => each.path.startsWith('/v1/sandbox/')));
    for (const route of routes) {
      assert.deepEqual(scopeOfRequest(config('staging'), route, caller('originator')), { platform: true });
      assert.throws(() => scopeOfRequest(config('production'), route, caller('operator')), /no sandbox scope/);
    }
  });

  await t.test('and none without a caller', () => {
    for (const route of ROUTES) assert.throws(() => scopeOfRequest(gateway.deps, route, null), /without a caller/);
  });
});
