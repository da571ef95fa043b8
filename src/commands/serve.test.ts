import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const LISTS_PACKAGES = `
  import { registerHooks } from 'node:module';
  const found = new Set();
  registerHooks({
    load(url, context, next) {
      found.add(/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1]);
      return next(url, context);
    },
  });
  for (const part of ['app', 'worker', 'commands/start-parts']) await import(new URL(part + '.ts', process.argv[1]).href);
  process.stdout.write([...found].join('\\n'));
  process.exit(0);`;

test('what serves and works begins without the columnar engine and the store of objects, which take a tenth of a start each', async () => {
  const source = new URL('..', import.meta.url).href;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', LISTS_PACKAGES, '--', source],
    { cwd: fileURLToPath(source) },
  );
  const packages = stdout.split('\n');
  assert.ok(packages.includes('fastify') && packages.includes('pg-boss'), stdout);
  assert.deepEqual(
    packages.filter((name) => /^@duckdb|^@aws-sdk|^@smithy|^exceljs/.test(name)),
    [],
  );
});
