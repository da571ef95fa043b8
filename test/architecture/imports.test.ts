import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { JOB_NAMES } from '../../src/job-names.ts';
import { LOAN_TYPES } from '../../src/loans/types.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

type Import = { from: string; to: string };

const sources = globSync('src/**/*.ts', { cwd: ROOT }).filter(
  (file) => !/(\.test|test-support)\.ts$/.test(file) && !file.includes('/testing/'),
);
const text = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const importsOf = (from: string): Import[] =>
  [...text(from).matchAll(/(?:from|import\() ?'(\.{1,2}\/[^']+)'/g)].map((match) => ({
    from,
    to: normalize(join(dirname(from), match[1] ?? '')),
  }));
const imports = sources.flatMap(importsOf);

/** The room of a file: `src/platform`, `src/features/deals`, or `src` for what starts the program. */
function room(file: string): string {
  const parts = file.split('/');
  if (parts[1] === 'features') return parts.slice(0, 3).join('/');
  return ['platform', 'finance', 'loans', 'events'].includes(parts[1] ?? '') ? `src/${parts[1]}` : 'src';
}

/** Rooms that each room may use beside itself; features are judged apart. The configuration's shape is known everywhere. */
const ALLOWED: Record<string, string[]> = {
  'src/platform': [],
  'src/finance': [],
  'src/loans': ['src/platform', 'src/finance'],
  'src/events': ['src/platform'],
};

test('imports point down', () => {
  const wrong = imports.filter(({ from, to }) => {
    const [here, there] = [room(from), room(to)];
    if (here === there || here === 'src' || to === 'src/config.ts') return false;
    if (here.startsWith('src/features')) return there === 'src';
    return !(ALLOWED[here] ?? []).includes(there);
  });
  assert.deepEqual(wrong, []);
});

test('the console knows its own files, its packages and the client of the public API', () => {
  const { devDependencies } = JSON.parse(text('console/package.json')) as { devDependencies: Record<string, string> };
  const packages = [...Object.keys(devDependencies), 'sluice-sdk'];
  const strangers = globSync('console/src/**/*.{ts,tsx}', { cwd: ROOT }).flatMap((from) =>
    [...text(from).matchAll(/(?:\bfrom |\bimport\(|^import )'([^']+)'/gm)]
      .map((match) => match[1] ?? '')
      .filter((name) => !packages.some((known) => name === known || name.startsWith(`${known}/`)))
      .map((name) => ({ from, to: name.startsWith('.') ? normalize(join(dirname(from), name)) : name }))
      .filter(({ to }) => !to.startsWith('console/src/')),
  );
  assert.deepEqual(strangers, []);
});

test('a command of the client starts without the modules of the gateway', () => {
  const shared = [
    'src/commands/notice.ts',
    'src/version.ts',
    'src/read-secret.ts',
    'src/loans/export/spreadsheet-text.ts',
    'src/features/webhooks/signature.ts',
  ];
  const strangers = imports.filter(
    ({ from, to }) => from.startsWith('src/commands/client/') && !to.startsWith('src/commands/client/') && !shared.includes(to),
  );
  assert.deepEqual(strangers, []);
});

test('no file of the gateway, the console or the SDK imports itself by way of others, not even for a type', () => {
  const files = [...sources, ...globSync(['console/src/**/*.{ts,tsx}', 'sdk/src/**/*.ts'], { cwd: ROOT })];
  const edges = new Map(files.map((file) => [file, importsOf(file).map(({ to }) => to)]));
  const done = new Set<string>();
  const walk = (file: string, path: string[]): void => {
    assert.ok(!path.includes(file), `a cycle: ${[...path.slice(path.indexOf(file)), file].join(' → ')}`);
    if (done.has(file)) return;
    for (const next of edges.get(file) ?? []) walk(next, [...path, file]);
    done.add(file);
  };
  for (const file of files) walk(file, []);
});

test('a name is imported from the file that has it: none hands on those of another', () => {
  const handingOn = [...sources, ...globSync('console/src/**/*.{ts,tsx}', { cwd: ROOT })].filter((file) =>
    /^export (type )?[{*]/m.test(text(file)),
  );
  assert.deepEqual(handingOn, []);
});

test('an exported value is named in a file that imports from its own: the compiler tells of the others that nobody uses them', () => {
  const everywhere = globSync(
    ['{src,test,bench,bin}/**/*.{ts,js}', '{console,sdk}/{src,test}/**/*.{ts,tsx}', '{console,sdk}/*.ts'],
    { cwd: ROOT, exclude: ['**/node_modules', 'sdk/src/generated'] },
  );
  const namesOfImporters = new Map<string, Set<string>[]>();
  for (const from of everywhere) {
    const names = new Set(text(from).match(/[A-Za-z_$][\w$]*/g));
    for (const [, path = ''] of text(from).matchAll(/(?:from|import\(|URL\() ?'(\.{1,2}\/[^']+)'/g)) {
      const to = normalize(join(dirname(from), path));
      namesOfImporters.set(to, [...(namesOfImporters.get(to) ?? []), names]);
    }
  }
  const unused = everywhere
    .filter((file) => /^(src|console\/src|sdk\/src)\//.test(file))
    .flatMap((file) =>
      [...text(file).matchAll(/^export (?:abstract )?(?:async )?(?:const|let|function\*?|class) ([\w$]+)/gm)]
        .map(([, name = '']) => name)
        .filter((name) => !namesOfImporters.get(file)?.some((names) => names.has(name)))
        .map((name) => `${file}: ${name}`),
    );
  // The compiler alone reads the one; the other is found by the name of a task.
  assert.deepEqual(unused.sort(), [
    'src/commands/client/catalogue/nouns.ts: EVERY_OPERATION_HAS_A_COMMAND',
    'src/features/tapes/testing/unreadable-rows.ts: tasks',
  ]);
});

test('the environment is read in one place', () => {
  const readers = sources.filter((file) => /process\.env/.test(text(file)));
  // The allocator of the engine takes its settings from the environment alone: they are put there.
  const outside = ['src/config.ts', 'src/cli.ts', 'src/loans/engine/allocator.ts'];
  assert.deepEqual(
    readers.filter((file) => !outside.includes(file) && !file.startsWith('src/commands/')),
    [],
  );
});

test('a date of the business is that of its zone, never one of UTC', () => {
  const cutting = sources.filter(
    (file) => /^src\/(features|events|commands)\//.test(file) && /toISOString\(\)\.slice\(/.test(text(file)),
  );
  assert.deepEqual(cutting, []);
});

test('one room alone can call out', () => {
  // What imports types alone, or only makes a server, calls nobody.
  const harmless = /import (type [^;]*|\{ createServer(, type \w+)* \}) from 'node:https?'/;
  const callers = sources.filter(
    (file) => /from 'node:(https?|dgram|tls)'|'nodemailer|\bfetch\(/.test(text(file)) && !harmless.test(text(file)),
  );
  // `listen` speaks to this gateway and to the developer's own machine.
  assert.deepEqual(
    callers.filter((file) => !file.startsWith('src/platform/net/') && !file.startsWith('src/commands/')),
    [],
  );
});

test('every reply of a route is checked by the compiler', () => {
  const escapes = /\bas never\b|\bas unknown as\b|\bPage<unknown>|params\.\w+ as /;
  const having = sources.filter((file) => /^src\/(features|events)\//.test(file) && escapes.test(text(file)));
  assert.deepEqual(having, []);
});

test('only the table of moves writes a status', () => {
  const write = /\bset\b(?:(?!\bwhere\b|\bfrom\b)[^;])*?(?<![.\w])(?:status|market_status|state)\s*=(?!=)/i;
  // A stored response and a queued job are no records of ours; the status of a delivery is the outcome of its latest attempt; of an alert's three marks each may follow each.
  const others = [
    'src/platform/moves.ts',
    'src/platform/http/idempotency.ts',
    'src/platform/jobs/jobs.ts',
    'src/platform/jobs/queue-schema.ts',
    'src/features/alerts/queries.ts',
    'src/features/webhooks/queue-queries.ts',
  ];
  const sqlOf = (file: string): string[] =>
    [...text(file).matchAll(/`([^`]*)`|'([^'\n]*)'/g)]
      .map((match) => match[1] ?? match[2] ?? '')
      .filter((sql) => /^\s*(with|update|insert)\b/.test(sql));
  const writers = sources.filter((file) => !others.includes(file) && sqlOf(file).some((sql) => write.test(sql)));
  assert.deepEqual(writers, []);
});

test('no module has state of its own: it belongs to an owner that disposes of it', () => {
  const state =
    /^(export )?(let|var) |^(export )?const \w+(: [^=]+)? = (new \w*(Map|Set|Array|Storage)(<.*>)?\(\)|new (Float64|Int32)Array\(\w.*|\[\]|\{\});?$/m;
  assert.deepEqual(
    sources.filter((file) => file.startsWith('src/') && state.test(text(file))),
    [],
  );
});

test('what reaches every organization’s rows can be counted', () => {
  const having = (pattern: RegExp): string[] => sources.filter((file) => pattern.test(text(file))).sort();
  // Parts of an organization's act that change others' records: each says why where it stands.
  assert.deepEqual(having(/\basPlatform\(/), [
    'src/events/emit.ts',
    'src/features/accesses/routes.ts',
    'src/features/allocations/decide-allocation.ts',
    'src/features/books/read-book.ts',
    'src/features/calculations/request-calculation.ts',
    'src/features/documents/complete-document.ts',
    'src/features/documents/routes.ts',
    'src/features/pledges/report-pledge.ts',
    'src/features/pools/form-pool.ts',
    'src/features/pools/pool.ts',
    'src/features/portfolio/read-calendar.ts',
    'src/features/remittances/report-remittance.ts',
    'src/features/remittances/restate-remittance.ts',
    'src/features/servicing/send-pool-tape.ts',
  ]);
  // Workers, the command line and the look-up of a key itself; no route opens the platform's scope by hand.
  const byHand = having(/platform: true\b/).filter((file) => file.endsWith('routes.ts') && !file.includes('/sandbox/'));
  assert.deepEqual(byHand, []);
});

/** The rooms of the features in the order of the business: a room knows only those to its left. */
const ROOMS = (
  'keys members sessions approvals accesses uploads deals tapes criteria pledges pools servicing coupons fixings securitizations payments remittances calculations strats compliance iois subscriptions trades ' +
  'orders books allocations portfolio marketplace search lifecycle documents sharing organizations audit alerts events notifications webhooks health requests sandbox'
).split(' ');
/**
 * What reads a tape that was sent, and loans that are disclosed, whoever's they are, and the amounts of a trade by the reports of its deal:
 * operations that other rooms use.
 */
const SHARED = [
  'tapes/probe-file',
  'tapes/remembered',
  'tapes/data-key',
  'securitizations/disclosed-loans',
  'remittances/trade-amounts',
].map((name) => `src/features/${name}.ts`);
/** The rooms that act on all others: they use operations too. */
const ACROSS = ['lifecycle', 'sandbox'];
const featureOf = (file: string): string => /^src\/features\/([^/]+)\//.exec(file)?.[1] ?? '';
const features = sources.filter((file) => featureOf(file) !== '');

test('every room of the features has its place in the order', () => {
  assert.deepEqual([...new Set(features.map(featureOf))].sort(), [...ROOMS].sort());
});

test('a room of the features uses rooms to its left alone, and of them queries, the record’s file and pure files', () => {
  const isOpen = (file: string): boolean => {
    if (/(^|[-/])queries\.ts$/.test(file) || SHARED.includes(file)) return true;
    if (/(^|[-/])(routes|wire)\.ts$/.test(file)) return false;
    // The file of the record has the room's name or holds the table of moves; a pure file touches no database and nothing from outside.
    return (
      /\/(\w+?)s?\/\1\.ts$/.test(file) ||
      /new Mover</.test(text(file)) ||
      !/\b(Tx|Reader|Database|Deps|Context)\b/.test(text(file))
    );
  };
  const wrong = imports.filter(({ from, to }) => {
    const [here, there] = [featureOf(from), featureOf(to)];
    if (there === '' || here === there || here === '' || ACROSS.includes(here)) return false;
    return ROOMS.indexOf(there) > ROOMS.indexOf(here) || !isOpen(to);
  });
  assert.deepEqual(wrong, []);
});

test('SQL of the features stands in their queries', () => {
  const statement =
    /\b(tx|reader|db)\.(rows|one|exec|direct)\b|[`'"]\s*(select|insert into|update|delete from|with)\s[^`'"]*\b(from|values|set)\b/;
  const having = features.filter((file) => !file.endsWith('queries.ts') && statement.test(text(file)));
  assert.deepEqual(having, []);
});

test('one room alone knows the columnar engine', () => {
  const knowing = sources.filter((file) => /@duckdb\/|\bopenEngine\b|\bread_parquet\b|\bparquet\(/.test(text(file)));
  assert.deepEqual(
    knowing.filter((file) => !file.startsWith('src/loans/')),
    [],
  );
  const users = imports.filter(({ to }) => to.startsWith('src/loans/engine/')).map(({ from }) => from);
  assert.deepEqual(
    users.filter((file) => !file.startsWith('src/loans/') && file !== 'src/runtime.ts'),
    [],
  );
});

test('the platform names no loan type and no job: it serves any program', () => {
  const words = new RegExp(`(['"\`])(${[...LOAN_TYPES, ...JOB_NAMES].join('|')})\\1`);
  const naming = sources.filter((file) => file.startsWith('src/platform/') && words.test(text(file)));
  assert.deepEqual(naming, []);
});
