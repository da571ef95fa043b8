import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROUTES } from '../../src/app.ts';
import { templateOf } from '../../src/platform/http/path-template.ts';
import { startGateway } from '../../test/support/gateway.ts';
import {
  type Envelope,
  type Method,
  type PathOf,
  type Paths,
  type Reply,
  type Schemas,
  Sluice,
  SluiceError,
} from '../src/index.ts';
import { openDoor } from './support.ts';

type Call = (path: string, options: object) => Promise<unknown>;

/** Every operation of the description that has no call, or whose reply has no type. */
type Missing = {
  [P in keyof Paths]: {
    [M in keyof Paths[P] & ('get' | 'post' | 'put' | 'patch' | 'delete' | 'head' | 'options' | 'trace')]: Paths[P][M] extends
      | undefined
      | never
      ? never
      : M extends Method
        ? P extends PathOf<M>
          ? [Reply<P, M>] extends [never]
            ? `${M} ${P}: no reply`
            : never
          : `${M} ${P}: no call`
        : `${M} ${P}: no such method`;
  }[keyof Paths[P] & ('get' | 'post' | 'put' | 'patch' | 'delete' | 'head' | 'options' | 'trace')];
}[keyof Paths];

test('every operation of the description has a call with a type', () => {
  const nothingIsMissing: [Missing] extends [never] ? true : Missing = true;
  assert.ok(nothingIsMissing);
});

test('every route of the gateway is reached by its call', async () => {
  await using gateway = await startGateway();
  const door = await openDoor(gateway);
  const [customer, operator] = [await gateway.key('both'), await gateway.key('operator')];
  const reached = new Map<string, unknown>();
  const clientOf = ({ token }: { token: string }): Sluice => new Sluice({ url: door.url, key: token, retries: 0 });
  const clients = { customer: clientOf(customer), operator: clientOf(operator) };
  for (const { method, path, params, body, bodyKind, access } of ROUTES) {
    const sluice = clients[access === 'operator' ? 'operator' : 'customer'];
    const call = sluice[method.toLowerCase() as Method] as unknown as Call;
    const names = Object.keys(params?.properties ?? {});
    const options = {
      params: { path: Object.fromEntries(names.map((name) => [name, '1'])) },
      // Fields that no route takes: the request reaches the route and changes nothing. The sandbox passes over those it does not know.
      ...(body ? { body: bodyKind === 'raw' ? new Uint8Array([0]) : { no_such_field: true, months: 'none' } } : {}),
    };
    const outcome: unknown = await call(templateOf(path), options).catch((error: unknown) => error);
    if (outcome instanceof ReadableStream) await outcome.cancel();
    reached.set(
      `${method} ${path}`,
      outcome instanceof Error ? `${outcome.name} ${String((outcome as SluiceError).code)}` : 'ok',
    );
  }
  const wrong = [...reached].filter(
    ([, outcome]) =>
      !/^(ok|SluiceError (?!UNEXPECTED_RESPONSE|NETWORK_ERROR|TIMEOUT|METHOD_NOT_ALLOWED|INTERNAL)[A-Z_]+)$/.test(
        String(outcome),
      ),
  );
  assert.deepEqual(wrong, []);
  assert.equal(reached.size, ROUTES.length);
  assert.ok([...reached.values()].filter((outcome) => outcome === 'ok').length > 60);
  // A path that no route has is the one that tells whether this test can fail.
  await assert.rejects((clients.customer.get as unknown as Call)('/v1/api/no-such-route', {}), {
    code: 'NOT_FOUND',
    message: /no such route|path/i,
  });
});

test('data comes without its envelope, lists with their place, and a file as a stream', async () => {
  await using gateway = await startGateway();
  const door = await openDoor(gateway);
  const sluice = door.client((await gateway.key('both')).token);
  const me: Schemas['CurrentKey'] = await sluice.get('/v1/api/me');
  assert.deepEqual(Object.keys(me).includes('key_id'), true);
  const deals: Omit<Envelope<'/v1/api/originator/loans', 'get'>, 'success'> = await sluice.get('/v1/api/originator/loans');
  assert.deepEqual(Object.keys(deals), ['data', 'pagination']);
  const { deal } = await sluice.uploadTape(new TextEncoder().encode('Loan ID,Current Balance\nA1,5\nA2,x\n'), {
    loanType: 'Auto',
  });
  const options = { params: { path: { dealId: deal.id }, query: { format: 'csv' as const } } };
  const stream: ReadableStream<Uint8Array> = await sluice.get('/v1/api/originator/loans/{dealId}/issues/file', options);
  const text: string = await sluice.get('/v1/api/originator/loans/{dealId}/issues/file', { ...options, parseAs: 'text' });
  assert.match(text, /A2/);
  assert.equal(await new Response(stream).text(), text);
});

test('the client underneath gives status and headers, so that a record is changed in the version that was read', async () => {
  await using gateway = await startGateway();
  const door = await openDoor(gateway);
  const sluice = door.client((await gateway.key('both')).token);
  const body = { loanType: 'Auto', fileFormat: 'text/csv', fileName: 'draft.csv' } as const;
  const { deal_id: dealId } = await sluice.post('/v1/api/originator/loans/initiate', { body });
  const path = { dealId };
  const deal = '/v1/api/originator/loans/{dealId}';
  const etag = (await sluice.client.GET(deal, { params: { path } })).response.headers.get('etag') ?? '';
  await assert.rejects(sluice.get(deal, { params: { path, header: { 'If-None-Match': etag } } }), {
    code: 'NOT_MODIFIED',
    status: 304,
  });
  const changed = await sluice.patch(deal, { params: { path, header: { 'If-Match': etag } }, body: { fileName: 'renamed.csv' } });
  assert.equal(changed.id, dealId);
  await assert.rejects(sluice.patch(deal, { params: { path, header: { 'If-Match': etag } }, body: { fileName: 'again.csv' } }), {
    code: 'STALE',
  });
});
