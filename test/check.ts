// What must be true of the sources before the tests are worth running: types, lint, format, generated files.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readMigrations } from '../src/platform/db/migrate.ts';
import { compareReleased, problemsOf, readReleased } from './released-migrations.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const FOLDERS = ['src', 'test', 'bench', 'bin', 'console'];

const run = (name: string, command: string, args: string[]): boolean => {
  const result = spawnSync(command, args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (result.status !== 0) process.stderr.write(`${name}\n${result.stdout}${result.stderr}\n`);
  process.stdout.write(`${result.status === 0 ? 'ok  ' : 'FAIL'} ${name}\n`);
  return result.status === 0;
};

const bin = (name: string): string => `${ROOT}node_modules/.bin/${name}`;

function openApiIsCurrent(): boolean {
  const made = spawnSync(process.execPath, ['src/cli.ts', 'openapi'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const current = made.status === 0 && made.stdout === readFileSync(`${ROOT}openapi.json`, 'utf8');
  process.stdout.write(
    `${current ? 'ok  ' : 'FAIL'} openapi.json is what the routes say${current ? '' : ': run npm run generate'}\n`,
  );
  return current;
}

function releasedMigrationsStay(): boolean {
  const problems = problemsOf(compareReleased(readReleased(), readMigrations()));
  process.stdout.write(`${problems.length === 0 ? 'ok  ' : 'FAIL'} released migrations are as they were\n`);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  return problems.length === 0;
}

const results = [
  run('types', bin('tsc'), ['--build', '.', 'console']),
  run('lint', bin('oxlint'), ['--type-aware', ...FOLDERS]),
  run('format', bin('biome'), ['format', ...FOLDERS]),
  openApiIsCurrent(),
  releasedMigrationsStay(),
];
process.exitCode = results.every(Boolean) ? 0 : 1;
