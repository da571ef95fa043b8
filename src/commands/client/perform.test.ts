import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { CLI, commandLine, environmentIn } from '../../../test/support/command-line.ts';
import { temporaryFolder } from '../../../test/support/processes.ts';

/** A gateway with one deal and one file; `asked` has what it was asked for. */
async function smallGateway() {
  const asked: string[] = [];
  const data = { id: 'deal_1', deal_id: 'deal_1', name: 'Harbor', total_balance: 1 };
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? '', 'http://gateway');
    asked.push(`${request.method} ${decodeURIComponent(pathname + search)}`);
    const isList = pathname.endsWith('/loans');
    const [page, period] = [
      { page: 1, limit: 20, total: 1 },
      { period: 1, opening: 1234.5, scheduled: null, cpr: 6.5 },
    ];
    const body = isList
      ? { success: true, data: [data], pagination: page }
      : { success: true, data: pathname.endsWith('/performance') ? [period] : data };
    if (pathname.endsWith('/file')) response.writeHead(200, { 'content-type': 'text/csv' }).end('a,b\n');
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { asked, url, [Symbol.dispose]: () => server.close() };
}

const AS = ['--as', 'originator'];

test('options that a command cannot follow are refused before anything is sent', async () => {
  using gateway = await smallGateway();
  using folder = temporaryFolder();
  const sluice = commandLine(folder.path, { SLUICE_URL: gateway.url, SLUICE_KEY: 'a-key' });
  for (const [args, told] of [
    [['deals', 'list', ...AS, '-o', 'deals.csv', '--csv'], /-o is for files/],
    [['deals', 'get', 'deal_1', ...AS, '-o', 'deal.json'], /-o is for files/],
    [['criteria', 'create', '--name', 'x', '-o', 'criteria.json'], /-o is for files/],
    [['deals', 'list', ...AS, '--json', '--columns', 'name'], /--json prints whole records/],
    [['deals', 'list', ...AS, '--all', '--page', '2'], /--page or --all/],
    [['deals', 'list', ...AS, '--page', 'two'], /--page: expected a whole number above 0/],
  ] as const) {
    const { code, stderr } = await sluice(args);
    assert.match(stderr, told);
    assert.equal(code, 2, stderr);
  }
  assert.deepEqual(gateway.asked, []);
});

test('a column that no record has is told, and a record is shown in the columns that were asked for', async () => {
  using gateway = await smallGateway();
  using folder = temporaryFolder();
  const sluice = commandLine(folder.path, { SLUICE_URL: gateway.url, SLUICE_KEY: 'a-key' });
  const table = await sluice(['deals', 'list', ...AS, '--columns', 'name,blance']);
  assert.match(table.stderr, /there is no column blance; there are id, .*total_balance/);
  assert.match((await sluice(['deals', 'list', ...AS, '--csv', '--columns', 'blance'])).stderr, /no column blance/);
  const record = await sluice(['deals', 'get', 'deal_1', ...AS, '--columns', 'name']);
  assert.deepEqual([record.stdout, record.stderr], ['name  Harbor\n', '']);
});

test('a list without pages is a table too, and what a table leaves out is told', async () => {
  using gateway = await smallGateway();
  using folder = temporaryFolder();
  const sluice = commandLine(folder.path, { SLUICE_URL: gateway.url, SLUICE_KEY: 'a-key' });
  const list = ['deals', 'performance', 'deal_1'];
  const { stdout, stderr } = await sluice(list);
  assert.match(stdout, /^period +opening .*\n +1 +1,234\.50\n$/);
  assert.match(stderr, /^not shown: .*\bcpr\b.*; choose with --columns, or --json$/m);
  const chosen = await sluice([...list, '--columns', 'cpr,period']);
  assert.deepEqual([chosen.stdout, chosen.stderr], ['cpr  period\n6.5       1\n', '']);
  assert.match((await sluice([...list, '--json'])).stdout, /^\[/);
});

/** A gateway with a list of two pages; the second comes when it is let go. */
async function listInTwoPages(pages: readonly [object[], object[]]) {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const server = createServer(async (request, response) => {
    const isSecond = request.url?.includes('cursor=') ?? false;
    if (isSecond) await held;
    const pagination = { page: null, limit: 100, total: null, next_cursor: isSecond ? null : 'the-second' };
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ success: true, data: pages[isSecond ? 1 : 0], pagination }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, release, [Symbol.dispose]: () => server.close() };
}

test('all of a list is written as CSV while it is read, and fields that come too late for a column are told', async () => {
  const alerts = Array.from({ length: 1_000 }, (_each, index) => ({ id: `alt_${index}`, title: 'one' }));
  using gateway = await listInTwoPages([alerts, [{ id: 'alt_last', title: 'last', tint: 'red' }]]);
  using folder = temporaryFolder();
  const env = environmentIn(folder.path, { SLUICE_URL: gateway.url, SLUICE_KEY: 'a-key' });
  const child = spawn(process.execPath, [CLI, 'alerts', 'list', ...AS, '--all', '--csv'], { env, cwd: folder.path });
  let [stdout, stderr] = ['', ''];
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
    if (stdout.includes('alt_999')) gateway.release();
  });
  await once(child, 'close');
  const [header = '', ...rows] = stdout.trimEnd().split('\r\n');
  assert.deepEqual([rows.length, header.includes('tint')], [1_001, false], stderr);
  assert.match(stderr, /^not in the file, .*: tint; --json has them$/m);
});

test('all of a list is a table, however long it is', async () => {
  const alerts = Array.from({ length: 200_000 }, (_each, index) => ({ id: `alt_${index}` }));
  using gateway = await listInTwoPages([alerts, []]);
  gateway.release();
  using folder = temporaryFolder();
  const sluice = commandLine(folder.path, { SLUICE_URL: gateway.url, SLUICE_KEY: 'a-key' });
  const { code, stdout, stderr } = await sluice(['alerts', 'list', ...AS, '--all', '--columns', 'id']);
  assert.deepEqual([code, stdout.trimEnd().split('\n').length], [0, 200_001], stderr);
});

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

test('a file that cannot be written to its place is told by that place', async () => {
  using gateway = await smallGateway();
  using folder = temporaryFolder();
  const sluice = commandLine(folder.path, { SLUICE_URL: gateway.url, SLUICE_KEY: 'a-key' });
  mkdirSync(join(folder.path, 'taken'));
  for (const [place, told] of [
    ['nowhere/loans.csv', /^sluice: nowhere\/loans\.csv cannot be written: there is no such directory/],
    ['taken', /^sluice: taken cannot be written: it is a directory/],
  ] as const) {
    const { code, stderr } = await sluice(['deals', 'loans-file', 'deal_1', ...AS, '-o', place]);
    assert.match(stderr, told);
    assert.equal(code, 1);
  }
});
