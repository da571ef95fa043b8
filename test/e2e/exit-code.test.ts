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
