import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { isRunning } from '../running.ts';
import { startServer, stopServer } from './embedded-server.ts';

const portOf = (url: (database: string) => string): number => Number(new URL(url('postgres')).port);

function temporaryDirectory(): { path: string } & AsyncDisposable {
  const path = mkdtempSync(join(tmpdir(), 'embedded-'));
  return {
    path,
    [Symbol.asyncDispose]: async () => {
      await stopServer(path);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

test('a server comes back on the port that processes know it by, however long that is taken', async () => {
  await using directory = temporaryDirectory();
  const port = portOf(await startServer({ directory: directory.path }));
  assert.ok(port < 32_768, `${port} is a port that the system gives to clients`);
  await stopServer(directory.path);
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
  // The first refusal is logged; only then does the other one leave.
  const log = (): void => void other.close();
  assert.equal(portOf(await startServer({ directory: directory.path, port, log })), port);
});

test('the files of a new server are on the disk before it is started', async () => {
  await using directory = temporaryDirectory();
  await startServer({ directory: directory.path });
  assert.match(readFileSync(join(directory.path, 'initdb.log'), 'utf8'), /^syncing data to disk \.\.\. ok$/m);
});

test('a server whose postmaster was killed comes back though one of its processes does not end', async (t) => {
  await using directory = temporaryDirectory();
  await using elsewhere = temporaryDirectory();
  const settings = { shared_buffers: '16MB' };
  const url = await startServer({ directory: directory.path, settings });
  const others = await connect(await startServer({ directory: elsewhere.path, settings }));
  const backend = await connect(url);
  t.after(() => others.client.end());
  process.kill(backend.pid, 'SIGSTOP');
  process.kill(postmasterOf(directory.path), 'SIGKILL');
  const lines: string[] = [];
  const again = await connect(await startServer({ directory: directory.path, settings, log: (line) => lines.push(line) }));
  await again.client.end();

  await t.test('which is ended', () => assert.equal(isRunning(backend.pid), false));
  await t.test('while those of other files are left alone', async () => {
    assert.equal((await others.client.query('select 1 as one')).rows[0].one, 1);
  });
  await t.test('and what was done, and why the start was refused, is said', () => {
    assert.match(lines.join('\n'), /ended [1-9]\d* process\(es\) that a killed database server had left/);
    assert.match(lines.join('\n'), /FATAL:.*(?:shared memory|lock file).*HINT:/);
  });
});

test('a server that does not respond at first is joined when it does', async (t) => {
  await using directory = temporaryDirectory();
  const settings = { shared_buffers: '16MB' };
  const port = portOf(await startServer({ directory: directory.path, settings }));
  const postmaster = postmasterOf(directory.path);
  t.after(() => isRunning(postmaster) && process.kill(postmaster, 'SIGCONT'));
  process.kill(postmaster, 'SIGSTOP');
  // The refusal to start another one on its files is logged; only then does it respond again.
  const log = (): void => void process.kill(postmaster, 'SIGCONT');
  assert.equal(portOf(await startServer({ directory: directory.path, settings, log })), port);
  assert.equal(postmasterOf(directory.path), postmaster);
});

test('a start that is refused for good ends with what the server said last', async () => {
  await using directory = temporaryDirectory();
  const refused = startServer({ directory: directory.path, settings: { shared_buffers: 'plenty' }, timeoutMs: 1_000 });
  await assert.rejects(refused, /did not start: FATAL: +invalid value for parameter "shared_buffers": "plenty"/);
  assert.deepEqual(
    readdirSync(join(directory.path, 'data')).filter((name) => name === 'postmaster.pid'),
    [],
  );
});

async function connect(url: (database: string) => string): Promise<{ client: pg.Client; pid: number }> {
  const client = new pg.Client({ connectionString: url('postgres') });
  client.on('error', () => {});
  await client.connect();
  return { client, pid: (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid ?? 0 };
}

function postmasterOf(directory: string): number {
  return Number(readFileSync(join(directory, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
}
