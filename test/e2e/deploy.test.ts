import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { readConfig } from '../../src/config.ts';
import { cloneDatabase } from '../support/postgres.ts';
import { type Server, startServer, temporaryFolder } from '../support/processes.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const text = (file: string): string => readFileSync(join(ROOT, 'deploy', file), 'utf8');

test('what the container is given is all that the gateway and its commands need', async () => {
  using folder = temporaryFolder();
  using data = temporaryFolder();
  // Of the stages before it, the image has only what is copied from them.
  const image =
    text('Containerfile')
      .split(/^FROM /m)
      .at(-1) ?? '';
  const copied = [...image.matchAll(/^COPY (?:--from=\w+ \/app\/)?(.+) \S+$/gm)].flatMap((line) => line[1]?.split(' ') ?? []);
  for (const name of copied) cpSync(join(ROOT, name), join(folder.path, name), { recursive: true });
  mkdirSync(join(folder.path, 'node_modules'));
  for (const name of readdirSync(join(ROOT, 'node_modules')).filter((each) => each !== 'sluice-sdk'))
    symlinkSync(join(ROOT, 'node_modules', name), join(folder.path, 'node_modules', name));
  // As npm links a workspace.
  symlinkSync(join(folder.path, 'sdk'), join(folder.path, 'node_modules', 'sluice-sdk'));
  const database = await cloneDatabase();
  try {
    await using server = await startServer(data.path, { root: folder.path, env: { DATABASE_URL: database.url } });
    for (const path of ['/readyz', '/docs/', '/console', '/console/deals', '/openapi.json'])
      assert.deepEqual(
        [path, (await fetch(server.address + path, { headers: { cookie: 'sluice_session=some' } })).status],
        [path, 200],
      );
    const env = { ...process.env, SLUICE_URL: server.address, SLUICE_KEY: await server.issueKey('Desk', 'investor') };
    const client = promisify(execFile)(process.execPath, ['bin/sluice.js', 'whoami', '--json'], { cwd: folder.path, env });
    assert.match((await client).stdout, /"Desk"/, 'the client commands');
    assert.match(await resourcesOf(server), /sluice:\/\/guide\/structures.*sluice:\/\/dictionary\/Auto/);
  } finally {
    await database.drop();
  }
});

/** The documents that assistants read. */
async function resourcesOf(server: Server): Promise<string> {
  const response = await fetch(`${server.address}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await server.issueKey('Desk', 'investor')}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/list', params: {} }),
  });
  return response.text();
}

test('every process of the composition starts with settings that are accepted', () => {
  using folder = temporaryFolder();
  type Service = { image: string; command: string[]; environment: Record<string, string>; secrets: string[] };
  const composition = parse(text('compose.yaml'), { merge: true }) as { services: Record<string, Service>; secrets: object };
  const { privateKey } = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const made: Record<string, string> = { 'signing-key': privateKey.trim(), 'encryption-key': 'k'.repeat(44) };
  const own = Object.entries(composition.services).filter(([, service]) => service.image === 'sluice');
  assert.deepEqual(
    own.map(([name, service]) => [name, service.command[0]]),
    [
      ['migrate', 'migrate'],
      ['serve', 'serve'],
      ['work', 'work'],
    ],
  );
  for (const [, service] of own) {
    assert.deepEqual(service.secrets, Object.keys(composition.secrets));
    for (const name of service.secrets) writeFileSync(join(folder.path, name), made[name] ?? '');
    const config = readConfig(
      Object.fromEntries(Object.entries(service.environment).map(([name, value]) => [name, substituted(value, folder.path)])),
    );
    assert.deepEqual(
      [config.environment, config.encryptionKey, config.storage.kind],
      ['production', made['encryption-key'], 'file'],
    );
  }
});

/** A value as compose hands it on: its default, else an address that passes; secrets lie in a folder of the test. */
function substituted(value: string, secrets: string): string {
  return value
    .replace(/\$\{\w+:-([^}]*)\}/g, '$1')
    .replace(/^\$\{\w+:\?[^}]*\}$/, 'https://api.example.com')
    .replace(/\$\{\w+:\?[^}]*\}/, 'password')
    .replace('/run/secrets', secrets);
}
