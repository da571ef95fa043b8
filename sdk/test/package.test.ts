import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../../test/support/processes.ts';

const SDK = fileURLToPath(new URL('../', import.meta.url));
const text = (file: string): string => readFileSync(`${SDK}${file}`, 'utf8');
const sources = globSync('src/**/*.ts', { cwd: SDK }).filter((file) => !file.startsWith('src/generated'));

test('the core has only interfaces of the web: one file that is loaded for paths has others', () => {
  const others = /'node:|\bBuffer\b|\brequire\(|\bprocess\./;
  const having = sources.filter((file) => others.test(text(file)));
  assert.deepEqual(having, ['src/file.ts']);
  const importing = sources.filter((file) => /'[./]*\/file\.ts'/.test(text(file)));
  assert.deepEqual(importing, ['src/source.ts']);
  assert.match(text('src/source.ts'), /await import\('\.\/file\.ts'\)/);
});

test('the package needs openapi-fetch and nothing else', () => {
  const packages = sources.flatMap((file) =>
    [...text(file).matchAll(/^(import|export)( type)? [^;]*?from '([^.'][^']*)'/gm)].map((match) => ({
      file,
      type: match[2],
      name: match[3],
    })),
  );
  const atRunTime = packages.filter(({ name, type }) => !type && !name?.startsWith('node:'));
  assert.deepEqual(new Set(atRunTime.map(({ name }) => name)), new Set(['openapi-fetch']));
  assert.deepEqual(Object.keys((JSON.parse(text('package.json')) as { dependencies: object }).dependencies), ['openapi-fetch']);
});

test('the built package loads by its name, each of its entries', () => {
  const entries = Object.keys((JSON.parse(text('package.json')) as { exports: object }).exports).map((entry) =>
    entry.replace('.', 'sluice-sdk'),
  );
  const script = `for (const entry of ${JSON.stringify(entries)}) console.log(Object.keys(await import(entry)).join())`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: SDK,
    encoding: 'utf8',
  });
  assert.equal(stderr, '');
  assert.deepEqual(stdout.trim().split('\n'), [
    'Sluice,SluiceError,TAPE_ENDINGS,WebhookVerificationError,isErrorBody,systemClock,tapeFormatOf,verifyWebhook',
    'TAPE_ENDINGS,tapeFormatOf',
    ...Array<string>(3).fill('WebhookVerificationError,webhookReceiver'),
  ]);
});

test('a CommonJS program loads the package, and is compiled with the module setting that the guide names', async (t) => {
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, 'node_modules'));
  symlinkSync(SDK, join(folder.path, 'node_modules/sluice-sdk'));
  const run = (...args: string[]) => spawnSync(process.execPath, args, { cwd: folder.path, encoding: 'utf8' });
  assert.equal(run('--eval', `console.log(typeof require('sluice-sdk').Sluice)`).stdout.trim(), 'function');
  writeFileSync(join(folder.path, 'use.cts'), `import { Sluice } from 'sluice-sdk';\nexport const sluice = new Sluice();\n`);
  const compiler = createRequire(`${SDK}package.json`).resolve('typescript/bin/tsc');
  const compile = (module: string): string => {
    const settings = ['--strict', '--noEmit', '--target', 'es2023', '--lib', 'es2023,dom,dom.iterable'];
    return run(compiler, ...settings, '--module', module, 'use.cts').stdout;
  };
  assert.equal(compile('nodenext'), '');
  assert.match(compile('node16'), /TS1479/, 'what the readme and the guide tell of');
  for (const file of ['README.md', '../docs/guide/sdk.md'])
    await t.test(file, () => assert.match(text(file), /20\.19[\s\S]*`"type": "module"`[\s\S]*`module: nodenext`/));
});

test('the versions of Node that it asks for are those that require an ES module', () => {
  assert.equal((JSON.parse(text('package.json')) as { engines: { node: string } }).engines.node, '^20.19.0 || >=22.12.0');
});

test('the first program of the readme is the one of the guide, which a test runs, and has ten lines at most', () => {
  const program = /```js\n([\s\S]*?)```/.exec(text('README.md'))?.[1];
  assert.ok(program && program.trim().split('\n').length <= 10);
  assert.ok(text('../docs/guide/sdk.md').includes(program));
});
