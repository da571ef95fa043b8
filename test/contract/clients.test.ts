import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const FOLDER = fileURLToPath(new URL('../clients/', import.meta.url));
const PACKAGES = `${FOLDER}node_modules`;
const DESCRIPTION = fileURLToPath(new URL('../../openapi.json', import.meta.url));
const operations = [...(await readFile(DESCRIPTION, 'utf8')).matchAll(/"operationId": "(\w+)"/g)].map(([, name]) => name ?? '');
const called = operations.filter((name) => !name.startsWith('receive'));

const run = promisify(execFile);
const node = (script: string, args: string[], cwd: string) =>
  run(process.execPath, [join(PACKAGES, script), ...args], { cwd, maxBuffer: 64 * 1024 * 1024 });

/** A folder beside the generators, so that a generated client finds their packages; it is removed afterwards. */
async function folder(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(FOLDER, '.generated-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Compiles strictly, with the compiler that the generators are made for. */
async function compile(path: string, files: string[]): Promise<void> {
  const compilerOptions = {
    noEmit: true,
    strict: true,
    target: 'es2023',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
  };
  await writeFile(join(path, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const { stdout } = await node('typescript/bin/tsc', ['-p', '.'], path).catch((error: { stdout: string }) => error);
  assert.equal(stdout, '');
}

test('openapi-typescript makes types that compile, with every operation by its name', async () => {
  await using made = await folder();
  await node('openapi-typescript/bin/cli.js', [DESCRIPTION, '-o', 'api.ts'], made.path);
  const text = await readFile(join(made.path, 'api.ts'), 'utf8');
  const absent = operations.filter((name) => !new RegExp(`^ {4}${name}: \\{`, 'm').test(text));
  assert.deepEqual(absent, []);
  await writeFile(
    join(made.path, 'use.ts'),
    `import type { components, operations } from './api.ts';
type Deals = operations['listLoanDeals']['responses'][200]['content']['application/json'];
export const first = (deals: Deals): components['schemas']['DealSummary'] | undefined => deals.data[0];
`,
  );
  await compile(made.path, ['api.ts', 'use.ts']);
});

test('@hey-api/openapi-ts makes a client that compiles, with a function per operation and no name made up for want of one', async () => {
  await using made = await folder();
  await node('@hey-api/openapi-ts/bin/run.js', ['-i', DESCRIPTION, '-o', 'client', '--no-log-file'], made.path);
  const [calls, types] = await Promise.all(
    ['sdk.gen.ts', 'types.gen.ts'].map((file) => readFile(join(made.path, 'client', file), 'utf8')),
  );
  const functions = [...(calls ?? '').matchAll(/^export const (\w+) = </gm)].map(([, name]) => name ?? '');
  assert.deepEqual(functions.toSorted(), called.toSorted());
  const exported = [...(types ?? '').matchAll(/^export type (\w+)/gm)].map(([, name]) => name ?? '');
  const { schemas } = (JSON.parse(await readFile(DESCRIPTION, 'utf8')) as { components: { schemas: object } }).components;
  assert.deepEqual(
    Object.keys(schemas).filter((name) => !exported.includes(name)),
    [],
  );
  assert.deepEqual(
    exported.filter((name, index) => exported.indexOf(name) !== index || /\d$/.test(name)),
    [],
  );
  await compile(made.path, ['client/index.ts']);
});
