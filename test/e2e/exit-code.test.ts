import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const NUMBERS = { SIGKILL: 9, SIGSEGV: 11, SIGTERM: 15, SIGHUP: 1 } as const;

test('a command that a signal ended has the exit code of that signal', () => {
  for (const [signal, number] of Object.entries(NUMBERS)) {
    const end = `process.kill(process.pid, '${signal}'); setInterval(() => {}, 1_000);`;
    assert.equal(spawnSync(process.execPath, ['bin/node.js', '-e', end], { cwd: root }).status, 128 + number, signal);
    // The process of the command alone, not the one that waits for it.
    const preload = `data:text/javascript,${encodeURIComponent(`if (process.argv[1]?.endsWith('cli.ts')) { ${end} await new Promise(() => {}); }`)}`;
    const env = { ...process.env, NODE_OPTIONS: `--import=${preload}` };
    assert.equal(spawnSync(process.execPath, ['bin/sluice.js', 'openapi'], { cwd: root, env }).status, 128 + number, signal);
  }
  assert.equal(spawnSync(process.execPath, ['bin/node.js', '-e', 'process.exitCode = 3'], { cwd: root }).status, 3);
});

test('a file that is not there, and a confirmation that is missing, are a mistake in the command and said in words', () => {
  const cases: [string[], RegExp][] = [
    [['tape', 'check', '/nowhere.csv', '--type', 'Auto'], /^sluice: \/nowhere\.csv cannot be read: there is no such file/],
    [
      ['webhooks', 'verify', '/nowhere', '--signature', 't=1', '--secret', 's'],
      /\/nowhere cannot be read: there is no such file/,
    ],
    [['webhooks', 'verify', '-', '--signature', 't=1', '--secret-file', '/nowhere'], /\/nowhere cannot be read/],
    [['webhooks', 'verify', '-', '--signature', 't=1'], /a secret is needed/],
    [['webhooks', 'verify', '-', '--signature', 't=1', '--secret', 's', '--secret-file', 'f'], /cannot be used with option/],
    // The address has no database: what is missing is told before one is opened.
    [['encryption-key', 'forget'], /can never be read again: confirm with --yes/],
  ];
  const env = { ...process.env, DATABASE_URL: 'postgresql://nobody@127.0.0.1:9/none' };
  for (const [args, said] of cases) {
    const { status, stderr } = spawnSync(process.execPath, ['bin/sluice.js', ...args], {
      cwd: root,
      env,
      encoding: 'utf8',
      input: '',
    });
    assert.equal(status, 2, `${args.join(' ')}: ${stderr}`);
    assert.match(stderr, said);
  }
});
