import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './ports.ts';

const PROGRAM = ['pgbouncer', '/usr/sbin/pgbouncer'].find((name) => spawnSync(name, ['--version']).status === 0);
const START_MS = 60_000;

/** Why a test that needs PgBouncer cannot run here; false where it can. */
export const NO_PGBOUNCER: string | false = PROGRAM ? false : 'PgBouncer is not installed';

/** A PgBouncer in front of a database, with the settings that it has by default but for the mode. */
export async function startPgBouncer(
  databaseUrl: string,
  mode: 'session' | 'transaction' | 'statement',
): Promise<{ url: string } & AsyncDisposable> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-pgbouncer-'));
  // It runs as nobody, who is in no group of ours.
  chmodSync(folder, 0o755);
  const { hostname, port: serverPort, pathname, username, password } = new URL(databaseUrl);
  const port = await freePort();
  const target = `host=${hostname} port=${serverPort} dbname=${pathname.slice(1)} user=${username} password=${password}`;
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]\npooled = ${target}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\nauth_type = any\npool_mode = ${mode}\ndefault_pool_size = 60\n`,
  );
  const root = process.getuid?.() === 0;
  const child: ChildProcess = spawn(
    root ? 'unshare' : (PROGRAM as string),
    [
      ...(root ? ['--user', '--map-user=65534', '--map-group=65534', PROGRAM as string] : []),
      '-q',
      join(folder, 'pgbouncer.ini'),
    ],
    { stdio: 'ignore' },
  );
  const gone = new Promise((resolve) => child.once('exit', resolve));
  for (const deadline = Date.now() + START_MS; !(await accepts(port)); await sleep(20)) {
    if (Date.now() > deadline || child.exitCode !== null) throw new Error('PgBouncer did not start');
  }
  return {
    url: `postgresql://${username}@127.0.0.1:${port}/pooled`,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
