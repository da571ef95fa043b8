// Static checks, before the tests: types, lint, format, generated files, migrations.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { readMigrations } from '../src/platform/db/migrate.ts';
import { GENERATED, isCurrent } from './generated.ts';
import { compareReleased, numberingProblems, problemsOf, readReleased } from './released-migrations.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const FOLDERS = ['src', 'test', 'bench', 'bin', 'console', 'sdk'];

const run = (name: string, command: string, args: string[]): boolean => {
  const result = spawnSync(command, args, { cwd: ROOT, env: QUIET, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (result.status !== 0) process.stderr.write(`${name}\n${result.stdout}${result.stderr}\n`);
  process.stdout.write(`${result.status === 0 ? 'ok  ' : 'FAIL'} ${name}\n`);
  return result.status === 0;
};

/** The linters of the description do not call home. */
const QUIET = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

const bin = (name: string): string => `${ROOT}node_modules/.bin/${name}`;

async function generatedFilesAreCurrent(): Promise<boolean> {
  const current = await Promise.all(GENERATED.map(isCurrent));
  for (const [index, { path, source }] of GENERATED.entries())
    process.stdout.write(
      current[index]
        ? `ok   ${path} agrees with ${source}\n`
        : `FAIL ${path} does not agree with ${source}: run npm run generate\n`,
    );
  return current.every(Boolean);
}

function releasedMigrationsStay(): boolean {
  const [released, migrations] = [readReleased(), readMigrations()];
  const names = migrations.map(({ name }) => name);
  const problems = [...problemsOf(compareReleased(released, migrations)), ...numberingProblems(released, names)];
  process.stdout.write(
    `${problems.length === 0 ? 'ok  ' : 'FAIL'} released migrations are as they were, new ones are numbered in sequence\n`,
  );
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  return problems.length === 0;
}

const script = (name: string): string => `${ROOT}node_modules/${name}`;

const results = [
  run('sdk', process.execPath, ['sdk/build.ts', '--types-only']),
  run('types', bin('tsc'), ['--build', '.', 'console', 'sdk']),
  run('lint', bin('oxlint'), ['--type-aware', ...FOLDERS]),
  run('format', bin('biome'), ['format', ...FOLDERS]),
  await generatedFilesAreCurrent(),
  run('openapi.json by the recommended rules of Redocly', process.execPath, [
    script('@redocly/cli/bin/cli.js'),
    'lint',
    'openapi.json',
    '--max-problems=20',
    '--format=stylish',
  ]),
  run('openapi.json by the OpenAPI rules of Spectral', process.execPath, [
    script('@stoplight/spectral-cli/dist/index.js'),
    'lint',
    'openapi.json',
    '--fail-severity=hint',
    '--quiet',
  ]),
  releasedMigrationsStay(),
];
process.exitCode = results.every(Boolean) ? 0 : 1;
