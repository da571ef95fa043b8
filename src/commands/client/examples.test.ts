import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { Command } from 'commander';
import { temporaryFolder } from '../../../test/support/processes.ts';
import { loadOperations } from './catalogue/load.ts';
import { NOUNS } from './catalogue/nouns.ts';
import { addClientCommands } from './client-commands.ts';
import { CommandFailure } from './failure.ts';
import { ROLES } from './choose-operation.ts';
import type { Run } from './run.ts';

/** Files that examples name. */
const FILES = ['FILE', 'body.json', 'auto.csv', 'corrected.csv', 'memorandum.pdf'];
/** They speak of the keys of this machine, and of no operation alone. */
const OF_PROFILES = ['login', 'logout', 'completion'];

/** A gateway that knows no record: what it was asked for is kept. */
async function emptyGateway() {
  const asked: { method: string; path: string; query: URLSearchParams }[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://gateway');
    asked.push({ method: (request.method ?? '').toLowerCase(), path: pathname, query: searchParams });
    const body = { success: false, message: 'There is none.', statusCode: 404, code: 'NOT_FOUND', request_id: 'req-1' };
    response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { asked, url, [Symbol.dispose]: () => server.close() };
}

type Gateway = Awaited<ReturnType<typeof emptyGateway>>;

/** The client commands with those of a noun; `told` has what they print as help, `failed` what a command ended with. */
function programOf(noun: string | undefined) {
  const told: string[] = [];
  const failed: unknown[] = [];
  const program = new Command('sluice').enablePositionalOptions().exitOverride();
  program.configureOutput({ writeOut: (text) => told.push(text), writeErr: () => {} });
  const run: Run = (work) =>
    work(new AbortController().signal).then(
      () => {},
      (error: unknown) => void failed.push(error),
    );
  addClientCommands(program, noun, run);
  return { program, told, failed };
}

type Example = { noun: string | undefined; command: Command; line: string };

/** The examples that the help of the commands below one has. */
function examplesBelow(parent: Command, noun: string | undefined, told: string[]): Example[] {
  return parent.commands.flatMap((command) => {
    if (OF_PROFILES.includes(command.name())) return [];
    told.length = 0;
    command.outputHelp();
    const lines =
      told
        .join('')
        .split(/\nExamples?:\n/)[1]
        ?.split('\n') ?? [];
    const own = command.commands.length > 0 ? [] : lines.filter((line) => line.startsWith('  sluice '));
    assert.ok(command.commands.length > 0 || own.length > 0 || command.name() in NOUNS, `${command.name()} has no example`);
    return [...own.map((line) => ({ noun, command, line: line.trim() })), ...examplesBelow(command, noun, told)];
  });
}

/** The words of a line as a shell has them. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/(?:'(?:[^'])*'|\\'|[^\s'])+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|\\'/g, (_, inner: string | undefined) => inner ?? "'"),
  );

/** Why an example cannot be run; null where it led to a request of an operation of the API. */
async function faultOf({ noun, command, line }: Example, more: readonly string[], gateway: Gateway): Promise<string | null> {
  const { program, failed } = programOf(noun);
  gateway.asked.length = 0;
  const yes = command.options.some(({ long }) => long === '--yes') ? ['--yes'] : [];
  await program.parseAsync([...wordsOf(line).slice(1), ...yes, ...more], { from: 'user' });
  const [error] = failed;
  if (error instanceof CommandFailure) return error.message;
  const known = ({ method, path }: Gateway['asked'][number]): boolean =>
    [...loadOperations().values()].some(
      (each) => each.method === method && new RegExp(`^${each.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
    );
  return gateway.asked.length > 0 && gateway.asked.every(known) ? null : `it asked for ${JSON.stringify(gateway.asked)}`;
}

test('every example of the help is a command that calls an operation of the API', async () => {
  using gateway = await emptyGateway();
  using folder = temporaryFolder();
  for (const name of FILES) writeFileSync(join(folder.path, name), '{}');
  const [directory, environment] = [process.cwd(), { ...process.env }];
  Object.assign(process.env, { SLUICE_URL: gateway.url, SLUICE_KEY: 'a-key' });
  process.chdir(folder.path);
  const faults: string[] = [];
  let count = 0;
  try {
    for (const noun of [undefined, ...Object.keys(NOUNS)]) {
      const { program, told } = programOf(noun);
      const parent = noun === undefined ? program : (program.commands.find((each) => each.name() === noun) ?? program);
      for (const example of examplesBelow(parent, noun, told)) {
        count += 1;
        const roles = example.command.options.some(({ long }) => long === '--as') ? ROLES.map((role) => ['--as', role]) : [[]];
        const found: (string | null)[] = [];
        for (const more of roles) found.push(await faultOf(example, more, gateway));
        if (!found.includes(null)) faults.push(`${example.line}: ${found.join('; ')}`);
      }
    }
  } finally {
    process.chdir(directory);
    process.env = environment;
  }
  assert.deepEqual(faults, []);
  assert.ok(count > 200, `${count} examples`);
});

test('the place in a list goes to any operation by its path', async () => {
  using gateway = await emptyGateway();
  const environment = { ...process.env };
  Object.assign(process.env, { SLUICE_URL: gateway.url, SLUICE_KEY: 'a-key' });
  try {
    for (const words of [
      ['/v1/api/originator/loans', '-f', 'limit=5', '-f', 'page=2'],
      ['/v1/api/originator/loans?limit=5&page=2'],
      ['/v1/api/originator/loans', '--limit', '5', '--page', '2'],
    ]) {
      const { program, failed } = programOf(undefined);
      gateway.asked.length = 0;
      await program.parseAsync(['api', 'GET', ...words], { from: 'user' });
      assert.deepEqual(
        gateway.asked.map(({ query }) => [query.get('limit'), query.get('page')]),
        [['5', '2']],
        `${words.join(' ')}: ${String(failed[0])}`,
      );
    }
  } finally {
    process.env = environment;
  }
});
