import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { test } from 'node:test';
import { startGateway } from '../support/gateway.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';

type Span = {
  name: string;
  traceId: string;
  parentSpanId?: string;
  attributes: { key: string; value: Record<string, unknown> }[];
};

/** A collector that keeps the spans it was sent. */
async function startCollector() {
  const spans: Span[] = [];
  const paths = new Set<string>();
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
    paths.add(request.url ?? '');
    spans.push(...body.resourceSpans.flatMap((resource) => resource.scopeSpans.flatMap((scope) => scope.spans)));
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, spans, paths, [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}

test('requests and jobs are told to the collector, in the trace of whoever asked, without what they carried', async () => {
  await using collector = await startCollector();
  let organization = '';
  {
    await using gateway = await startGateway({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    const originator = await gateway.key('originator');
    organization = originator.organization_id;
    const traceparent = `00-${TRACE}-b7ad6b7169203331-01`;
    await gateway.call('GET', '/v1/api/alerts?type=deal.status_changed', { as: originator, headers: { traceparent } });
    const loans = [{ loan_id: 'L-1', original_balance: 1000, borrower_name: 'Ada' }];
    await gateway.call('POST', '/v1/api/originator/loans/bulk', {
      as: originator,
      body: { deals: [{ loanType: 'Personal', loans }] },
    });
    await gateway.runJobs();
  }
  assert.deepEqual([...collector.paths], ['/v1/traces']);
  const request = collector.spans.find((span) => span.name === 'GET /v1/api/alerts');
  assert.deepEqual([request?.traceId, request?.parentSpanId], [TRACE, 'b7ad6b7169203331']);
  const attributes = Object.fromEntries((request?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]));
  assert.equal(attributes['http.response.status_code'], 200);
  assert.equal(attributes['sluice.organization_id'], organization);
  const names = new Set(collector.spans.map((span) => span.name));
  assert.ok(names.has('bulk-ingest') && names.has('ingest-tape'), [...names].join());
  assert.doesNotMatch(JSON.stringify(collector.spans), /Ada|L-1|Bearer/);
});

test('a collector that is away is no reason to refuse or to hang', async () => {
  const collector = await startCollector();
  await collector[Symbol.asyncDispose]();
  await using gateway = await startGateway({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  assert.equal((await gateway.call('GET', '/livez')).status, 200);
});
