// Runs every test on a database server of its own. Arguments are paths or parts of paths; none means all.
import { spawn } from 'node:child_process';
import { globSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { testServer } from './support/postgres.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const TIMEOUT_MS = 600_000;

const wanted = process.argv.slice(2);
const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts', 'sdk/test/**/*.test.ts'], {
  cwd: ROOT,
  exclude: ['**/node_modules/**'],
})
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .sort();

const directory = join(tmpdir(), `sluice-test-${process.pid}`);
process.env.TEST_POSTGRES_DIR = join(directory, 'postgres');
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'sluice-compile-cache');
const server = await testServer();
const child = spawn(
  process.execPath,
  ['--test', '--test-concurrency=2', `--test-timeout=${TIMEOUT_MS}`, '--test-reporter=spec', ...files],
  {
    cwd: ROOT,
    stdio: 'inherit',
  },
);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => child.kill(signal));
child.once('exit', (code) => {
  void server.stop().then(() => {
    rmSync(directory, { recursive: true, force: true });
    process.exitCode = code ?? 1;
  });
});
