import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Server, startServer, temporaryFolder } from '../support/processes.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const ROLES: Record<string, string> = { investor: 'investor', originator: 'originator' };

/** The commands of a guide, in their order: what stands in blocks marked `sh`. */
function commandsOf(file: string): string {
  return [...readFileSync(join(ROOT, file), 'utf8').matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1]).join('\n');
}

test('every command of every guide works as it is written', async (t) => {
  using folder = temporaryFolder();
  using settings = temporaryFolder();
  const workDir = folder.path;
  await using server = await startServer(join(workDir, 'data'));
  await seed(server);
  const operator = await server.issueKey('Platform', 'operator');
  for (const file of ['README.md', ...globSync('docs/guide/*.md', { cwd: ROOT }).sort()]) {
    const commands = commandsOf(file);
    if (commands === '') continue;
    const name = file.replace(/^.*\/|\.md$/g, '');
    await t.test(name, async () => {
      const key = name === 'operator' ? operator : await server.issueKey('Guide house', ROLES[name] ?? 'both');
      const { code, output } = await runShell(
        commands,
        {
          KEY: key,
          OPERATOR_KEY: operator,
          ...settingsOf(server),
          XDG_CONFIG_HOME: settings.path,
        },
        workDir,
      );
      assert.equal(code, 0, output.slice(-3_000));
      assert.deepEqual(readdirSync(workDir), ['data'], 'a guide leaves no files where it is run');
    });
  }
});

/** Fills the sandbox as the first command of a guide would, with fewer months behind its deal. */
async function seed(server: Server): Promise<void> {
  const response = await fetch(`${server.address}/v1/sandbox/seed`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await server.issueKey('Guide house', 'both')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ months: 2 }),
  });
  assert.equal(response.status, 200, await response.text());
}

function settingsOf(server: Server): Record<string, string> {
  return { BASE: server.address, PATH: `${ROOT}node_modules/.bin:${process.env.PATH}`, SLUICE_ROOT: ROOT };
}

function runShell(commands: string, env: Record<string, string>, cwd: string): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    // `npx sluice` in a clone is the clone's own command.
    const script = `npx() { [ "$1" != --prefix ] || shift 2; shift; "$SLUICE_ROOT/bin/sluice" "$@"; }\n${commands}`;
    const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('exit', (code) => resolve({ code, output }));
  });
}
