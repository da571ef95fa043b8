import { execFileSync } from 'node:child_process';
import { equal, match } from 'node:assert/strict';
import { test } from 'node:test';

const LINUX_ONLY = { skip: process.platform !== 'linux' && 'the engine has an allocator of its own on Linux' };

test('the allocator of the engine takes every setting that it is given', LINUX_ONLY, () => {
  const script = `
    await import(${JSON.stringify(import.meta.resolve('./allocator.ts'))});
    console.log(process.env.DUCKDB_JE_MALLOC_CONF);
    process.env.DUCKDB_JE_MALLOC_CONF += ',confirm_conf:true';
    await import(${JSON.stringify(import.meta.resolve('./engine.ts'))});`;
  const { DUCKDB_JE_MALLOC_CONF: _, ...env } = process.env;
  const [settings = '', ...confirmed] = execFileSync(
    'sh',
    ['-c', '"$0" --input-type=module -e "$1" 2>&1', process.execPath, script],
    {
      env,
      encoding: 'utf8',
    },
  ).split('\n');
  match(settings, /:/);
  for (const setting of settings.split(','))
    equal(
      confirmed.filter((line) => line.endsWith(`Set conf value: ${setting}`)).length,
      1,
      `${setting} in ${confirmed.join('\n')}`,
    );
});
