import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ROUTES } from '../../src/app.ts';
import { describeApi } from '../../src/description.ts';
import type { Route } from '../../src/platform/http/route.ts';
import { mayReach } from '../../src/platform/http/may-reach.ts';
import { codeOf, startGateway } from '../support/gateway.ts';
import { signedIn } from '../support/people.ts';
import { autoTape, CSV, put } from '../support/tapes.ts';

const name = (route: Route): string => `${route.method} ${route.path}`;
const filled = (route: Route): string => route.path.replace(/:version\b/g, '1').replace(/:\w+/g, 'none');
const keyed = ROUTES.filter((route) => route.access !== 'public');

test('every route', async (t) => {
  await using gateway = await startGateway();
  const keys = {
    originator: await gateway.key('originator'),
    investor: await gateway.key('investor'),
    both: await gateway.key('both'),
    operator: await gateway.key('operator'),
  };

  const people = {
    both: await signedIn(gateway, keys.both.organization_id, 'both@example.com', ['ADMIN', 'APPROVE']),
    operator: await signedIn(gateway, keys.operator.organization_id, 'operator@example.com', ['ADMIN', 'APPROVE']),
  };
  /** Who may call a route, as the options of a call with a body of a type. */
  const callerOf = (route: Route, type?: string) => {
    const role = route.access === 'operator' ? 'operator' : 'both';
    const headers = { ...(route.people ? people[role].headers : {}), ...(type ? { 'content-type': type } : {}) };
    return { headers, ...(route.people ? {} : { as: keys[role] }) };
  };

  await t.test('is registered once', () => {
    assert.equal(new Set(ROUTES.map(name)).size, ROUTES.length);
  });

  await t.test('answers 401 in the envelope without a key, before it looks at anything else', async () => {
    for (const route of keyed) {
      const answer = await gateway.call(route.method, filled(route), {
        raw: '{',
        headers: { 'content-type': 'application/json' },
      });
      assert.deepEqual(
        [name(route), answer.status, answer.body.success, answer.body.code],
        [name(route), 401, false, 'KEY_MISSING'],
      );
      assert.equal(answer.headers['www-authenticate'], 'Bearer');
      assert.equal(answer.headers['cache-control'], 'no-store');
    }
  });

  await t.test('answers 403 to a key of another role, before it looks for the object', async () => {
    for (const route of keyed) {
      for (const [role, holder] of Object.entries(keys)) {
        if (mayReach(role as never, route.access)) continue;
        const answer = await gateway.call(route.method, filled(route), { as: holder });
        assert.deepEqual([name(route), role, answer.status, answer.body.code], [name(route), role, 403, 'ROLE_FORBIDDEN']);
      }
    }
  });

  await t.test('refuses a query parameter that it does not have, and names the nearest one', async () => {
    for (const route of keyed) {
      const answer = await gateway.call(route.method, `${filled(route)}?nonsense_of_mine=1`, callerOf(route));
      assert.deepEqual(
        [name(route), answer.status, answer.body.code, answer.body.parameter],
        [name(route), 400, 'UNKNOWN_PARAMETER', 'nonsense_of_mine'],
      );
      assert.deepEqual(answer.body.known, Object.keys(route.query?.properties ?? {}), name(route));
    }
    const alerts = (query: string) => gateway.call('GET', `/v1/api/alerts?${query}`, { as: keys.both });
    assert.equal((await alerts('statu=READ')).body.nearest, 'status');
    assert.equal((await alerts('limt=5')).body.nearest, 'limit');
    assert.ok((await alerts('quite_another_name=1')).body.nearest, 'the nearest one is named however far it is');
    assert.equal((await alerts('constructor=1')).status, 400);
  });

  await t.test('takes the other spelling of a parameter, but not both at once', async () => {
    const deals = (query: string) => gateway.call('GET', `/v1/api/originator/loans?${query}`, { as: keys.originator });
    for (const query of ['type=Auto', 'loan_type=Auto', 'loanType=Auto']) assert.equal((await deals(query)).status, 200, query);
    assert.equal((await deals('loanType=Boat')).status, 400);
    assert.equal((await deals('loanType=Auto&type=Auto')).body.code, 'UNKNOWN_PARAMETER');
    const exceptions = (query: string) =>
      gateway.call('GET', `/v1/api/originator/sc/exceptions?${query}`, { as: keys.originator });
    for (const query of ['dealId=deal_none', 'deal_id=deal_none']) assert.equal((await exceptions(query)).status, 200, query);
    const templates = (query: string) => gateway.call('GET', `/v1/api/originator/sc/templates?${query}`, { as: keys.originator });
    for (const query of ['type=Auto', 'asset_type=Auto', 'loanType=Auto'])
      assert.equal((await templates(query)).status, 200, query);
    // Other lists have a `type` too, of something else.
    for (const path of ['alerts', 'events', 'originator/analytics/pools/pool_none/calculations'])
      for (const spelling of ['loanType', 'loan_type', 'asset_type']) {
        const refused = await gateway.call('GET', `/v1/api/${path}?${spelling}=Auto`, { as: keys.originator });
        assert.deepEqual([refused.status, refused.body.code], [400, 'UNKNOWN_PARAMETER'], `${path}?${spelling}`);
      }
  });

  await t.test('takes the fields of uploads in snake_case too, also within a list, but not both spellings at once', async () => {
    const as = await gateway.key('originator', 'Snakes');
    const send = async (path: string, body: unknown, status: number) => {
      const answer = await gateway.call('POST', `/v1/api/${path}`, { as, body });
      assert.equal(answer.status, status, `${path}: ${JSON.stringify(answer.body)}`);
      return answer;
    };
    const [file_name, file_format, loan_type] = ['tape.csv', CSV, 'Auto'];
    const initiated = await send('originator/loans/initiate', { loan_type, file_format, file_name, file_size: 3_000 }, 201);
    assert.equal(initiated.body.data.file_name, file_name);
    const { deal_id } = initiated.body.data;
    const refreshed = await gateway.call('PATCH', `/v1/api/originator/loans/${deal_id}`, {
      as,
      body: { file_name: 'other.csv' },
    });
    assert.equal(refreshed.body.data.file_name, 'other.csv');
    await put(gateway, refreshed, autoTape(20));
    await send('originator/loans/complete', { deal_id, file_name: 'other.csv' }, 202);
    const bulk = await send('originator/loans/bulk/uploads', { file_name, file_format }, 201);
    await put(gateway, bulk, autoTape(20));
    await send('originator/loans/bulk', { deals: [{ loan_type, file_key: bulk.body.data.file_key }] }, 202);
    const document = await send('deals/documents/initiate', { file_name: 'w9.csv', document_type: 'W9_FORM', deal_id }, 201);
    await put(gateway, document, 'a,b\n1,2\n');
    const { file_key } = document.body.data;
    await send('deals/documents/complete', { file_name: 'w9.csv', file_key, document_type: 'W9_FORM', deal_id }, 201);
    const both = await send('originator/loans/bulk', { deals: [{ loanType: loan_type, loan_type, loans: [{}] }] }, 400);
    assert.equal(both.body.errors?.[0].field, 'deals.0.loan_type');
  });

  await t.test('with pages refuses bounds that are not', async () => {
    const pages = ROUTES.filter((route) => route.query?.properties && 'page' in route.query.properties);
    assert.ok(pages.length > 3);
    for (const route of pages) {
      const holder = route.access === 'operator' ? keys.operator : keys.both;
      const above = `limit=${route.query.properties.limit.maximum + 1}`;
      for (const query of ['page=0', 'page=1e9', 'page=1.5', 'page=', 'limit=0', above, 'limit=-1', 'page=1&page=2']) {
        const answer = await gateway.call(route.method, `${filled(route)}?${query}`, { as: holder });
        assert.deepEqual([name(route), query, answer.status], [name(route), query, 400]);
      }
    }
  });

  await t.test('that lists without pages takes those of other lists, and refuses what is none', async () => {
    const whole = keyed.filter(({ reply, query }) => reply.type === 'array' && !('page' in (query?.properties ?? {})));
    assert.ok(whole.length > 5);
    for (const route of whole) {
      const ask = (query: string) => gateway.call(route.method, `${filled(route)}?${query}`, callerOf(route));
      const wrong = { page: ['0', '-1', '1.5', 'x', '', '1&page=2'], limit: ['0', '101', '5000'] };
      // One that takes a limit of its own may take a larger one.
      for (const [field, values] of Object.entries(wrong))
        for (const value of field in (route.query?.properties ?? {}) ? [] : values) {
          const answer = await ask(`${field}=${value}`);
          const seen = [answer.status, answer.body.errors?.[0]?.field];
          assert.deepEqual(seen, [400, field], `${name(route)} ${field}=${value}: ${answer.text}`);
        }
      const { errors = [], data = [] } = (await ask('page=1000000&limit=1')).body;
      assert.ok(!errors.some(({ field }) => field === 'page' || field === 'limit'), name(route));
      assert.deepEqual(data, [], `${name(route)}: a page past the end is empty`);
    }
  });

  await t.test(
    'that lists by time of creation refuses bounds that are the wrong way round, of a record that is there, and takes a day for the whole of it',
    async () => {
      const lists = ROUTES.filter((route) => route.query?.properties && 'from' in route.query.properties);
      assert.ok(lists.length > 3);
      for (const route of lists) {
        const holder = route.access === 'operator' ? keys.operator : keys.both;
        for (const [query, status] of [
          ['from=2026-02-02&to=2026-02-01', route.path.includes(':') ? 404 : 422],
          ['from=2026-02-02&to=2026-02-02', route.path.includes(':') ? 404 : 200],
        ] as const) {
          const answer = await gateway.call(route.method, `${filled(route)}?${query}`, { as: holder });
          assert.deepEqual([name(route), query, answer.status], [name(route), query, status]);
          if (status === 422) assert.equal(answer.body.code, 'RANGE_REVERSED');
        }
      }
    },
  );

  await t.test('with an object that is not there answers 404 in the envelope, and a JSON body that is none 400', async () => {
    for (const route of keyed.filter((each) => each.body && each.bodyKind !== 'raw')) {
      for (const raw of ['{', 'null', '"x"', '[]', '{"a":1,"a":2}', '{"a":"\\ud800"}', '{"__proto__":{}}']) {
        if (raw === 'null' && route.bodyOptional) continue;
        const answer = await gateway.call(route.method, filled(route), {
          ...callerOf(route, 'application/json'),
          raw,
        });
        assert.deepEqual([name(route), raw, answer.status], [name(route), raw, 400]);
      }
      const untyped = await gateway.call(route.method, filled(route), {
        ...callerOf(route, 'application/xml'),
        raw: '<a/>',
      });
      assert.deepEqual([name(route), untyped.status], [name(route), 415]);
      const untold = await gateway.call(route.method, filled(route), { ...callerOf(route), raw: '{}' });
      assert.deepEqual([name(route), untold.status], [name(route), 415]);
      if (route.bodyOptional) continue;
      const none = await gateway.call(route.method, filled(route), callerOf(route));
      assert.deepEqual([name(route), none.status, none.body.code], [name(route), 400, 'MALFORMED_JSON']);
    }
  });

  await t.test('with a body ignores fields that it does not know, such as those that every object inherits', async () => {
    const stray = '"constructor":{"polluted":1},"prototype":{"polluted":1},"toString":null';
    // Seeding the sandbox takes long.
    for (const route of keyed.filter((each) => each.body && each.bodyKind !== 'raw' && !each.path.startsWith('/v1/sandbox/'))) {
      const send = (raw: string) => gateway.call(route.method, filled(route), { ...callerOf(route, 'application/json'), raw });
      const [plain, more] = [await send('{"unknown_to_us":1}'), await send(`{"unknown_to_us":1,${stray}}`)];
      assert.ok(more.status < 500, `${name(route)}: ${more.text}`);
      if (plain.status >= 400) assert.deepEqual([name(route), ...codeOf(more)], [name(route), ...codeOf(plain)]);
      assert.ok(!('polluted' in {}), name(route));
    }
  });

  await t.test('is no path with an empty part in place of an id, whatever the method', async () => {
    for (const route of keyed.filter(({ path }) => path.includes('/:')))
      for (const method of new Set(['GET', 'OPTIONS', route.method])) {
        const answer = await gateway.call(method, route.path.replaceAll(/:\w+/g, ''), callerOf(route, undefined));
        assert.deepEqual([method, route.path, ...codeOf(answer)], [method, route.path, 404, 'NOT_FOUND']);
        assert.match(answer.body.message ?? '', /^There is no path /, route.path);
      }
  });

  await t.test('says its other methods are not allowed, be they ever so rare', async () => {
    for (const path of new Set(keyed.map(filled))) {
      const told = [];
      for (const method of ['OPTIONS', 'TRACE', 'PROPFIND', 'M-SEARCH']) {
        const answer = await gateway.call(method, path, { as: keys.both });
        assert.deepEqual([method, path, ...codeOf(answer)], [method, path, 405, 'METHOD_NOT_ALLOWED']);
        told.push(answer.headers.allow);
        assert.ok(String(answer.headers.allow).length > 2);
        assert.match(answer.body.message ?? '', new RegExp(`^${method} is not a method of /v1/[a-zA-Z{]`));
      }
      assert.equal(new Set(told).size, 1, path);
    }
    for (const path of ['/v1/api/alerts?limit=1', '/v1/%61pi/alerts', '/v1/api/alerts/unread-count'])
      assert.equal((await gateway.call('LINK', path, { as: keys.both })).headers.allow, 'GET, HEAD', path);
    for (const path of ['/v1/nothing', '/v1/api/alerts/', '/v1/api/alerts/a/b', '/v1/api/deals/documents/%2e%2e/x', '/nothing'])
      assert.equal((await gateway.call('PROPFIND', path, { as: keys.both })).status, 404, path);
    assert.equal((await gateway.call('PROPFIND', '/v1/api/alerts')).status, 401);
    for (const [path, allow] of [
      ['/livez', 'GET, HEAD'],
      ['/auth/logout', 'POST'],
      ['/delta-sharing/files/x', 'GET, HEAD'],
    ] as const)
      assert.equal((await gateway.call('PURGE', path)).headers.allow, allow, path);
    for (const path of ['/livez', '/readyz', '/openapi.json', '/docs']) {
      const answer = await gateway.call('POST', path);
      assert.deepEqual([path, answer.status, answer.headers.allow], [path, 405, 'GET, HEAD']);
    }
  });
});

test('the description', async (t) => {
  await t.test('has every route with its parameters, answers and errors', () => {
    type Parameter = { name: string; in: string };
    const { paths, components } = describeApi(ROUTES) as {
      paths: Record<
        string,
        Record<string, { responses: Record<string, unknown>; parameters: (Parameter | { $ref: string })[]; summary: string }>
      >;
      components: { parameters: Record<string, Parameter> };
    };
    const resolved = (parameter: Parameter | { $ref: string }): Parameter | undefined =>
      '$ref' in parameter ? components.parameters[parameter.$ref.replace('#/components/parameters/', '')] : parameter;
    for (const route of ROUTES) {
      const operation = paths[route.path.replace(/:(\w+)/g, '{$1}')]?.[route.method.toLowerCase()];
      assert.ok(operation?.summary, name(route));
      assert.ok(operation.responses[String(route.status ?? 200)], name(route));
      for (const each of route.path.matchAll(/:(\w+)/g))
        assert.ok(
          operation.parameters.map(resolved).some((parameter) => parameter?.name === each[1] && parameter?.in === 'path'),
          `${name(route)} ${each[1]}`,
        );
      if (route.access !== 'public') assert.ok(operation.responses['401'] && operation.responses['429'], name(route));
    }
  });

  await t.test('that is checked in is what the routes say', () => {
    const checkedIn = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8');
    const said = `${JSON.stringify(describeApi(ROUTES), null, 2)}\n`;
    // Not assert.equal: it would print two megabytes.
    assert.ok(checkedIn === said, 'openapi.json is not what the routes say: npm run generate');
  });
});
