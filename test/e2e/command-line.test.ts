import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadOperations, operationNamed } from '../../src/commands/client/catalogue/load.ts';
import { NOUNS, type Noun } from '../../src/commands/client/catalogue/nouns.ts';
import { perform } from '../../src/commands/client/perform.ts';
import { commandLine, environmentIn } from '../support/command-line.ts';
import { startServer, temporaryFolder } from '../support/processes.ts';
import { autoTape } from '../support/tapes.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CLI = join(ROOT, 'src/cli.ts');

/** A server that answers every request with the body, and keeps what it was asked. */
async function echo(body: unknown, status = 200) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url?.replace(/[?].*/, '')}`);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { asked, url, [Symbol.dispose]: () => server.close() };
}

test('every operation of the API is called by a command of the table', async (t) => {
  using server = await echo({ success: true, data: [] });
  t.mock.method(process.stdout, 'write', () => true);
  const before = { ...process.env };
  Object.assign(process.env, { SLUICE_URL: server.url, SLUICE_KEY: 'a-key' });
  const file = fileURLToPath(import.meta.url);
  const operations = loadOperations();
  const described = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8'));
  const every = Object.entries<object>(described.paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((method) => ['get', 'post', 'put', 'patch', 'delete'].includes(method))
      .map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, 'x')}`),
  );
  try {
    for (const noun of Object.values<Noun>(NOUNS))
      for (const operation of Object.values(noun.verbs).flatMap((ids) => ids.map((id) => operationNamed(operations, id))))
        await perform({
          noun,
          operations: [operation],
          ids: operation.path_fields.map(() => 'x'),
          given: new Map(),
          means: { yes: true, json: true, ...(operation.body?.kind === 'bytes' ? { body: file } : {}) },
          signal: new AbortController().signal,
        });
  } finally {
    process.env = before;
  }
  assert.deepEqual([...new Set(server.asked)].sort(), every.sort());
});

test('the exit code and standard error say what was wrong', async () => {
  using folder = temporaryFolder();
  await using server = await startServer(join(folder.path, 'data'));
  const key = await server.issueKey('Harbor', 'originator');
  const env = { SLUICE_URL: server.address, SLUICE_KEY: key };
  const sluice = commandLine(folder.path, env);
  const codeOf = async (...args: string[]) => (await sluice(args)).code;

  assert.equal(await codeOf('whoami'), 0);
  assert.equal((await commandLine(folder.path)(['whoami'])).code, 3);
  assert.equal((await commandLine(folder.path, { ...env, SLUICE_KEY: 'no.such.key' })(['whoami'])).code, 3);
  assert.equal(
    (await commandLine(folder.path, { ...env, SLUICE_URL: 'http://127.0.0.1:9' })(['api', 'POST', '/v1/sandbox/seed'])).code,
    7,
  );
  assert.equal(await codeOf('deals', 'get'), 2);
  assert.equal(await codeOf('deals', 'list', '--no-such-option'), 2);
  assert.equal(await codeOf('deals', 'list', '--as', 'operator'), 3);
  assert.equal(await codeOf('api', 'GET', '/v1/nowhere'), 2);
  assert.equal(await codeOf('api', 'GET', '/v1/api/me', '--limit', '5'), 2);
  assert.equal(await codeOf('deals', 'withdraw', 'deal_01m7xj4nfq000wh40xa84xpckd'), 2);
  assert.equal(await codeOf('deals', 'get', 'deal_01m7xj4nfq000wh40xa84xpckd'), 4);

  const invalid = await sluice(['pools', 'create', '--name', 'x']);
  assert.equal(invalid.code, 6);
  assert.match(invalid.stderr, /deal_ids/);
  assert.match(invalid.stderr, /code [A-Z_]+, status 4\d\d, request \S+/);
  assert.match(invalid.stderr, /https?:\S+docs\/errors/);

  mkdirSync(join(folder.path, 'd.csv'));
  for (const args of [
    ['tapes', 'upload', 'd.csv', '--type', 'Auto'],
    ['documents', 'upload', 'd.csv'],
    ['api', 'POST', '/v1/api/originator/loans/check', '--body', 'd.csv'],
  ]) {
    const { code, stderr } = await sluice(args);
    assert.equal(code, 2, stderr);
    assert.match(stderr, /d\.csv cannot be read: it is a directory/);
    assert.ok(!stderr.includes('is the gateway running'));
  }
  writeFileSync(join(folder.path, 'good.csv'), autoTape(20));
  const tape = await sluice(['tape', 'generate', '--type', 'Auto', '--rows', '300', '--defects']);
  writeFileSync(join(folder.path, 'defects.csv'), tape.stdout);
  const faulty = await sluice(['tapes', 'upload', 'defects.csv', '--type', 'Auto', '--wait']);
  assert.equal(faulty.code, 10, faulty.stderr);
  assert.match(faulty.stdout, /^rule_id/m);
  assert.match(faulty.stdout, /DUPLICATE_LOAN_ID/);
  assert.match(faulty.stderr, /the first 10 findings/);
  const opened = await sluice(['tapes', 'upload', 'good.csv', '--type', 'Auto', '--wait']);
  assert.ok([0, 10].includes(opened.code ?? -1), opened.stderr);
  const dealId = /deal_\w+/.exec(opened.stdout)?.[0] ?? '';
  assert.equal(await codeOf('pools', 'lock', 'pool_01m7xj4nfq000wh40xa84xpckd'), 4);
  const conflict = await sluice(['deals', 'withdraw', dealId, '--yes']);
  assert.equal(conflict.code, 5);
  assert.match(conflict.stderr, /status 409/);

  const refused = await sluice(['login', '--key', key]);
  assert.equal(refused.code, 2);
  assert.ok(!refused.stderr.includes(key));
});

test('a stored key goes to no other gateway than its own', async () => {
  using folder = temporaryFolder();
  using own = await echo({ success: true, data: { organization: 'Harbor', role: 'originator' } });
  using other = await echo({ success: true, data: [] });
  const sluice = commandLine(folder.path);
  assert.equal((await sluice(['login', '--url', own.url, '--key-stdin'], 'secret-key\n')).code, 0);
  const elsewhere = await sluice(['deals', 'list', '--url', other.url]);
  assert.deepEqual([elsewhere.code, other.asked], [3, []]);
  assert.equal((await sluice(['logout'])).code, 0);
  assert.equal((await sluice(['deals', 'list'])).code, 3);
  assert.ok(
    globSync('**/*', { cwd: folder.path }).every(
      (name) => !name.endsWith('.json') || !readFileSync(join(folder.path, name), 'utf8').includes('secret-key'),
    ),
  );
});

test('text of others reaches a terminal only as text, in every format', async () => {
  using folder = temporaryFolder();
  const name = '\u001b]0;owned\u0007\u009b31m\u202eevil\r\n';
  using server = await echo({ success: true, data: [{ pool_id: 'pool_1', name, balance: 1234567.5 }] });
  const sluice = commandLine(folder.path, { SLUICE_URL: server.url, SLUICE_KEY: 'k' });
  for (const args of [
    ['pools', 'list', '--as', 'originator'],
    ['pools', 'list', '--as', 'originator', '--json'],
  ]) {
    const { code, stdout } = await sluice(args);
    assert.equal(code, 0);
    assert.doesNotMatch(stdout, /[\u001b\u0007\u009b\u202e\r]/);
  }
  assert.match((await sluice(['pools', 'list', '--as', 'originator'])).stdout, / 1,234,567\.50/);
  assert.equal(JSON.parse((await sluice(['pools', 'list', '--as', 'originator', '--json'])).stdout)[0].name, name);
  using refusing = await echo({ code: 'X', message: name, request_id: 'req' }, 422);
  const { code, stderr } = await commandLine(folder.path, { SLUICE_URL: refusing.url, SLUICE_KEY: 'k' })([
    'events',
    'list',
    '--as',
    'investor',
  ]);
  assert.equal(code, 6);
  assert.doesNotMatch(stderr, /[\u001b\u0007\u009b\u202e\r]/);
});

test('on a terminal the key is typed without an echo', {
  skip: !existsSync('/usr/bin/script') && 'script of util-linux is not installed',
}, async () => {
  using folder = temporaryFolder();
  using server = await echo({ success: true, data: { organization: 'Harbor', role: 'originator' } });
  const command = `${process.execPath} ${CLI} login --url ${server.url}`;
  const child = spawn('script', ['-qec', command, '/dev/null'], { env: environmentIn(folder.path) });
  let shown = '';
  child.stdout.on('data', (chunk: Buffer) => {
    if (!shown.includes('API key:') && (shown + chunk.toString()).includes('API key:'))
      setImmediate(() => child.stdin.write('typed-secret\r'));
    shown += chunk.toString();
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  assert.equal(code, 0, shown);
  assert.doesNotMatch(shown, /typed-secret/);
  assert.match(readFileSync(join(folder.path, 'config/sluice/profiles.json'), 'utf8'), /typed-secret/);
});

test('bash completes nouns, verbs and options', async () => {
  using folder = temporaryFolder();
  const sluice = commandLine(folder.path);
  const { code, stdout } = await sluice(['completion', 'bash']);
  assert.equal(code, 0);
  const complete = (...words: string[]): string[] => {
    const script = `${stdout}\nCOMP_WORDS=(sluice ${words.map((each) => `'${each}'`).join(' ')}); COMP_CWORD=${words.length}; _sluice; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { status, stdout: printed, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    return printed.trim().split('\n');
  };
  assert.deepEqual(complete('portf'), ['portfolio']);
  assert.deepEqual(complete('pools', 'lo'), ['lock']);
  assert.deepEqual(complete('orders', 'place', 'deal_1', '--tr'), ['--tranche-id']);
  assert.deepEqual(complete('keys', 'iss'), ['issue']);
  for (const shell of ['zsh', 'fish']) assert.match((await sluice(['completion', shell])).stdout, /portfolio/);
});

test('a tail ends with Ctrl-C, a file stays off the terminal, and a reader that has gone is no failure', async () => {
  using folder = temporaryFolder();
  await using server = await startServer(join(folder.path, 'data'));
  const env = { SLUICE_URL: server.address, SLUICE_KEY: await server.issueKey('Harbor', 'both') };
  const sluice = commandLine(folder.path, env);

  const tail = spawn(process.execPath, [CLI, 'events', 'tail', '--json', '--after', 'evt_01kf5xv1g00000000000000000'], {
    env: environmentIn(folder.path, env),
  });
  const ended = new Promise<number | null>((resolve) => tail.once('close', resolve));
  const line = new Promise<string>((resolve) => tail.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString())));
  const triggered = await sluice(['trigger', 'trade.settled', '--json']);
  assert.equal(triggered.code, 0, triggered.stderr);
  assert.equal(JSON.parse((await line).split('\n')[0] ?? '').event, 'trade.settled');
  tail.kill('SIGINT');
  assert.equal(await ended, 0);

  const statement = ['portfolio', 'statement', '--month', '2026-01', '--format', 'pdf'];
  const written = await sluice([...statement, '-o', 'statement.pdf']);
  assert.equal(written.code, 0, written.stderr);
  assert.equal(readFileSync(join(folder.path, 'statement.pdf')).subarray(0, 5).toString(), '%PDF-');
  if (existsSync('/usr/bin/script')) {
    const shown = spawnSync('script', ['-qec', `${process.execPath} ${CLI} ${statement.join(' ')}`, '/dev/null'], {
      env: environmentIn(folder.path, env),
      encoding: 'utf8',
    });
    assert.equal(shown.status, 2);
    assert.doesNotMatch(shown.stdout, /%PDF-/);
  }

  const piped = `${process.execPath} ${CLI} api GET /v1/api/originator/loans/dictionary -f type=Auto --json | head -1; exit \${PIPESTATUS[0]}`;
  const { status, stderr } = spawnSync('bash', ['-c', piped], { env: environmentIn(folder.path, env), encoding: 'utf8' });
  assert.deepEqual([status, stderr], [0, '']);
});

/** The help of a command, and of all below it. */
function helpOf(path: readonly string[]): { path: readonly string[]; text: string }[] {
  const text = spawnSync(process.execPath, [CLI, ...path, '--help'], { encoding: 'utf8' }).stdout;
  const names = text.split('\nCommands:\n')[1]?.matchAll(/^ {2}([a-z][a-z-]*)/gm) ?? [];
  const below = [...names].map((match) => match[1] ?? '').filter((name) => name !== 'help');
  return [{ path, text }, ...(path.length === 0 ? below.flatMap((name) => helpOf([name])) : [])];
}

test('every page of help fits 80 columns, and says of each command what it does', () => {
  const pages = helpOf([]);
  assert.ok(pages.length > 40);
  const lines = pages.flatMap(({ path, text }) => text.split('\n').map((line) => ({ path: path.join(' '), line })));
  // An example is one line, to be copied.
  assert.deepEqual(
    lines.filter(({ line }) => line.length > 80 && !line.startsWith('  sluice ')),
    [],
  );
  assert.deepEqual(
    lines.filter(({ path, line }) => path !== '' && /^ {2}[a-z][a-z-]*$/.test(line)),
    [],
  );
  const alone = pages.filter(({ path, text }) => path.length === 1 && !text.includes('\nCommands:\n'));
  assert.deepEqual(
    alone.filter(({ text }) => !/\nExamples?:\n {2}\S/.test(text)).map(({ path }) => path),
    [],
  );
});

test('help about a noun has its verbs, whichever way it is asked for', () => {
  const shown = (...words: string[]) => spawnSync(process.execPath, [CLI, ...words], { encoding: 'utf8' }).stdout;
  assert.match(shown('help', 'deals'), /Commands:\n {2}list /);
  assert.equal(shown('help', 'deals'), shown('deals', '--help'));
});

test('a mistake on the command line ends with what to do', () => {
  const told = (...words: string[]) => spawnSync(process.execPath, [CLI, ...words], { encoding: 'utf8' }).stderr.trimEnd();
  assert.match(
    told('tapes', 'uplod'),
    /Did you mean upload\?\)\nThe same command with --help shows what it takes, with examples\.$/,
  );
  assert.match(told('tapes', 'upload', 'none.csv', '--type', 'Auto'), /there is no such file; paths .* are looked up in \//);
  assert.match(told('tapes', 'upload', CLI, '--type', 'Auto'), /does not tell the format: give the file one that ends in/);
});
