import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { newId } from '../../src/platform/ids.ts';
import { fileURLToPath } from 'node:url';
import { isRunning } from '../../src/platform/running.ts';
import { type Running, ask, createMachine, issueKey } from './processes.ts';
import { until } from '../support/until.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

test('processes that share a data directory', async (t) => {
  await using machine = createMachine();
  let first: Running;
  let second: Running;
  let token = '';

  await t.test('may be started for the first time at once, and serve the same database with the same keys', async () => {
    [first, second] = await Promise.all([machine.start(['serve']), machine.start(['serve', '--no-worker'])]);
    assert.notEqual(first.address, second.address);
    token = await issueKey(machine, 'both', 'Acme');
    for (const process of [first, second]) {
      assert.equal((await ask(process, 'GET', '/readyz')).status, 200);
      assert.equal((await ask(process, 'GET', '/v1/api/me', { token })).status, 200);
    }
  });

  await t.test('let a command come and go without losing their database', async () => {
    const server = machine.postmaster();
    const codes = await Promise.all([issueKey(machine, 'operator', 'Platform'), machine.run(['organizations', 'list'])]);
    assert.equal(codes[1].code, 0);
    assert.match(codes[1].stdout, /"Acme"/);
    assert.equal(machine.postmaster(), server);
    assert.equal((await ask(first, 'GET', '/v1/api/me', { token })).status, 200);
  });

  await t.test('finish the request that they are answering when they are told to end', async () => {
    const initiated = await ask(first, 'POST', '/v1/api/originator/loans/initiate', {
      token,
      body: { loanType: 'Auto', fileFormat: 'text/csv', fileName: 'auto.csv' },
    });
    const { upload_url, upload_headers } = initiated.body.data as unknown as {
      upload_url: string;
      upload_headers: Record<string, string>;
    };
    const answer = Promise.withResolvers<{ status: number | undefined; text: string }>();
    const upload = request(new URL(new URL(upload_url).pathname, first.address), { method: 'PUT', headers: upload_headers });
    upload.on('error', answer.reject).on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (more: string) => {
        text += more;
      });
      response.on('end', () => answer.resolve({ status: response.statusCode, text }));
    });
    upload.write('Loan ID,Current Balance\n');
    await until(() => filesIn(join(machine.dataDir, 'objects', '.partial')).length > 0, 120_000, 'the upload');
    first.signal('SIGTERM');
    await until(() => refuses(first), 120_000, 'the end of listening');
    upload.end('1,1000.00\n');
    const { status, text } = await answer.promise;
    assert.equal(status, 200, text);
    assert.equal(JSON.parse(text).data.size, 34);
    assert.equal(await first.exited, 0, first.stderr());
    assert.equal((await ask(second, 'GET', '/v1/api/me', { token })).status, 200);
  });

  await t.test('stop the database with the last of them, also when a terminal tells the whole group', async () => {
    const server = machine.postmaster() as number;
    second.signal('SIGINT', 'group');
    assert.equal(await second.exited, 0, second.stderr());
    await until(() => !isRunning(server), 120_000, 'the end of the database server');
    assert.equal(machine.postmaster(), null);
  });

  await t.test('find their data again after everything was killed at once, the database too', async () => {
    const before = await machine.start(['serve']);
    const server = machine.postmaster() as number;
    before.signal('SIGKILL', 'group');
    process.kill(server, 'SIGKILL');
    const again = await machine.start(['serve']);
    assert.equal((await ask(again, 'GET', '/v1/api/me', { token })).status, 200);
    again.signal('SIGTERM');
    assert.equal(await again.exited, 0, again.stderr());
    assert.equal(machine.postmaster(), null);
  });

  await t.test('take up the database that outlived them', async () => {
    const before = await machine.start(['serve']);
    const server = machine.postmaster();
    before.signal('SIGKILL', 'group');
    const again = await machine.start(['serve']);
    assert.equal(machine.postmaster(), server);
    assert.equal((await ask(again, 'GET', '/v1/api/me', { token })).status, 200);
    again.signal('SIGTERM');
    assert.equal(await again.exited, 0, again.stderr());
    assert.equal(machine.postmaster(), null);
  });
});

test('an address that is in use is told before anything is started for it', async () => {
  await using machine = createMachine();
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  try {
    for (const command of ['serve', 'dev']) {
      const { code, stderr } = await machine.run([command], { PORT: String(port), HOST: '127.0.0.1' });
      assert.equal(code, 1, stderr);
      assert.match(stderr, new RegExp(`127\\.0\\.0\\.1:${port} is in use: .*PORT=${port + 1}`));
    }
    assert.deepEqual(readdirSync(machine.dataDir), [], 'no database was made');
  } finally {
    taken.close();
  }
});

test('an address that this machine does not have, and a data directory that cannot be one, are told by their settings', async () => {
  await using machine = createMachine();
  // An address of the documentation (RFC 5737), which no machine has.
  const elsewhere = await machine.run(['serve'], { HOST: '192.0.2.1' });
  assert.equal(elsewhere.code, 1);
  assert.match(elsewhere.stderr, /^sluice: 192\.0\.2\.1 is no address of this machine: set HOST /m);
  const file = join(machine.dataDir, 'file');
  writeFileSync(file, '');
  for (const command of [['serve'], ['migrate'], ['doctor']]) {
    const { code, stdout, stderr } = await machine.run(command, { SLUICE_DATA_DIR: file });
    assert.equal(code, 1, stderr);
    assert.match(stdout + stderr, new RegExp(`${file} cannot be the data directory: name one in SLUICE_DATA_DIR`));
  }
  assert.deepEqual(readdirSync(machine.dataDir), ['file'], 'no database was made');
});

test('a developer sees each request and each webhook attempt as a line, and none of the sandbox itself', async () => {
  await using machine = createMachine();
  const running = await machine.start(['dev']);
  const receiver = createServer((_request, response) => response.writeHead(204).end()).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;
  try {
    const token = await issueKey(machine, 'both', 'Acme');
    await ask(running, 'POST', '/v1/api/webhooks/subscriptions', {
      token,
      body: { url: `http://127.0.0.1:${port}/hook`, events: ['deal.status_changed'] },
    });
    const path = `/v1/api/originator/loans/${newId('deal')}`;
    const refused = await ask(running, 'GET', `${path}?limit=1`, { token });
    await ask(running, 'POST', '/v1/sandbox/events', { token, body: { event: 'deal.status_changed' } });
    const line = /^webhook deal\.status_changed 204 \d+ ms {2}dlv_\w+$/m;
    await until(() => line.test(running.stdout()), 120_000, 'the line of the attempt');
    const requests = running.stdout().match(/^(?:GET|POST|PUT) .*$/gm) ?? [];
    assert.deepEqual(
      requests.map((each) => each.replace(/\d+ ms {2}[\w-]+$/, '')),
      [
        'POST /v1/api/webhooks/subscriptions 201 ',
        `GET ${path} ${refused.status} ${refused.body.code} `,
        'POST /v1/sandbox/events 201 ',
      ],
    );
    assert.ok(
      requests.every((each) => !each.includes('limit')),
      'no query is shown',
    );
    assert.ok(requests[1]?.endsWith(refused.body.request_id));
  } finally {
    receiver.close();
  }
});

test('npm start and npx end with their whole tree, told or killed', async () => {
  const ends: [command: string[], signal: NodeJS.Signals][] = [
    [['npm', 'start'], 'SIGTERM'],
    [['npm', 'start'], 'SIGKILL'],
    [['npx', 'sluice', 'serve'], 'SIGTERM'],
  ];
  for (const [[command = '', ...args], signal] of ends) {
    await using machine = createMachine();
    const child = spawn(command, args, {
      cwd: ROOT,
      env: { ...process.env, ...machine.env },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
      const address = () => /(?:serves |^API +)(\S+)/m.exec(output)?.[1];
      await until(() => address() !== undefined, 60_000, `${command} ${args.join(' ')}`);
      child.kill(signal);
      await until(() => refuses({ address: String(address()) }), 120_000, `the end after ${signal}`);
      await until(() => machine.postmaster() === null, 120_000, 'the end of the database');
    } finally {
      child.kill('SIGKILL');
    }
  }
});

test('a first start that is killed while it makes the database does not spoil the next one', async () => {
  await using machine = createMachine();
  const killed = machine.start(['serve']).catch(() => null);
  const directory = join(machine.dataDir, 'postgres');
  await until(() => existsSync(join(directory, 'data.new', 'PG_VERSION')), 120_000, 'the beginning of the database');
  machine.killAll();
  await killed;
  const again = await machine.start(['serve']);
  assert.equal((await ask(again, 'GET', '/readyz')).status, 200);
});

const filesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

async function refuses(process: Pick<Running, 'address'>): Promise<boolean> {
  return fetch(new URL('/livez', process.address)).then(
    () => false,
    () => true,
  );
}
