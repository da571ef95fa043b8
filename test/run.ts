// Runs every test on a database server of its own. Arguments are paths or parts of paths; none means all.
import { spawn } from 'node:child_process';
import { accessSync, constants, globSync, mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { testServer } from './support/postgres.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const TIMEOUT_MS = 600_000;
const ROOM_BYTES = 8 * 2 ** 30;
/** Test files that share a process: loading and compiling the gateway takes two fifths of the time of a file by itself. */
const TOGETHER = 10;

const wanted = process.argv.slice(2);
const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts', 'sdk/test/**/*.test.ts'], {
  cwd: ROOT,
  exclude: ['**/node_modules/**'],
})
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .sort();

const directory = join(tmpdir(), `sluice-test-${process.pid}`);
const postgres = join(inMemory() ?? directory, `sluice-test-postgres-${process.pid}`);
process.env.TEST_POSTGRES_DIR = postgres;
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'sluice-compile-cache');
mkdirSync(directory, { recursive: true });
const alone = files.filter(standsAlone);
const groups = inGroups(files.filter((file) => !standsAlone(file)));
const server = await testServer();
const child = spawn(
  process.execPath,
  ['--test', '--test-concurrency=2', `--test-timeout=${TIMEOUT_MS}`, '--test-reporter=spec', ...alone, ...groups],
  {
    cwd: ROOT,
    stdio: 'inherit',
  },
);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => child.kill(signal));
child.once('exit', (code) => {
  void server.stop().then(() => {
    for (const path of [directory, postgres]) rmSync(path, { recursive: true, force: true });
    process.exitCode = code ?? 1;
  });
});

/** A file system in memory with room for the database server: most of a test's database is the making of a thousand files. Null where there is none. */
function inMemory(): string | null {
  const path = '/dev/shm';
  try {
    accessSync(path, constants.W_OK);
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize >= ROOM_BYTES ? path : null;
  } catch {
    return null;
  }
}

/** Whether a file has a process of its own: it drives a browser or other processes, or measures or changes its own. */
function standsAlone(file: string): boolean {
  const isOfTheWhole = file.startsWith('test/') && !file.startsWith('test/contract/');
  return isOfTheWhole || /\bprocess\.(memoryUsage|chdir|on)\b/.test(readFileSync(join(ROOT, file), 'utf8'));
}

/** Writes a module for every few neighbours that loads them one after the other. */
function inGroups(neighbours: readonly string[]): string[] {
  return Array.from({ length: Math.ceil(neighbours.length / TOGETHER) }, (_, index) => {
    const path = join(directory, `group-${index + 1}.test.mjs`);
    const members = neighbours.slice(index * TOGETHER, (index + 1) * TOGETHER);
    writeFileSync(path, members.map((file) => `import ${JSON.stringify(pathToFileURL(join(ROOT, file)).href)};\n`).join(''));
    return path;
  });
}
