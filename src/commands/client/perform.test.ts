import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { commandLine } from '../../../test/support/command-line.ts';
import { temporaryFolder } from '../../../test/support/processes.ts';

/** A gateway with one deal and one file; `asked` has what it was asked for. */
async function smallGateway() {
  const asked: string[] = [];
  const data = { id: 'deal_1', deal_id: 'deal_1', name: 'Harbor', total_balance: 1 };
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? '', 'http://gateway');
    asked.push(`${request.method} ${decodeURIComponent(pathname + search)}`);
    const isList = pathname.endsWith('/loans');
    const body = isList ? { success: true, data: [data], pagination: { page: 1, limit: 20, total: 1 } } : { success: true, data };
    if (pathname.endsWith('/file')) response.writeHead(200, { 'content-type': 'text/csv' }).end('a,b\n');
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { asked, url, [Symbol.dispose]: () => server.close() };
}

test('a field of the query is sent as it was written', async () => {
  using gateway = await smallGateway();
  using folder = temporaryFolder();
  const sluice = commandLine(folder.path, { SLUICE_URL: gateway.url, SLUICE_KEY: 'a-key' });
  const path = '/v1/api/originator/loans/deal_1/loans';
  for (const [given, sent] of [
    ['q=007', 'q=007'],
    ['q=1e5', 'q=1e5'],
    ['q="007"', 'q=007'],
    ['filter={"field":"state","op":"eq","value":"TX"}', 'filter={"field":"state","op":"eq","value":"TX"}'],
  ]) {
    gateway.asked.length = 0;
    const { code, stderr } = await sluice(['api', 'GET', path, '-f', given ?? '']);
    assert.equal(code, 0, stderr);
    assert.deepEqual(gateway.asked, [`GET ${path}?${sent}`]);
  }
});
