// Breaks random lines of the features, the loans and the finance, one at a time, and counts how many of the breaks the tests notice.
// npm run bench -- mutants [COUNT] [SEED] [--in PATH]... [--near]
// --near: only the tests of the broken file's room and those that load it without a gateway.
// Works in a copy of the project; continues where it was stopped, and retries survivors. Tests of processes and of the browser are left out because
// they are slow, so the figure is a lower bound.
import { spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startEmbeddedPostgres } from '../src/platform/db/embedded.ts';
import { randomStream } from '../src/finance/random.ts';
import { type Break, breaksOf } from './mutants/points.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const ROOMS = ['src/features', 'src/loans', 'src/finance'];
const SLOW = ['test/faults/', 'test/console/', 'test/e2e/', 'test/architecture/'];
const STAGE_MS = 900_000;
const TEST_MS = 120_000;

type Mutant = Break & { file: string };
type Tried = { key: string; killed: boolean; by: string };

export async function run(args: string[]): Promise<void> {
  const within = args.flatMap((each, index) => (args[index - 1] === '--in' ? [each] : []));
  const [count = 200, seed = 1] = args.filter((each, index) => /^\d+$/.test(each) && args[index - 1] !== '--in').map(Number);
  const near = args.includes('--near');
  const files = sourceFiles(within.length === 0 ? ROOMS : within);
  const mutants = draw(files, count, seed);
  const state = join(tmpdir(), `sluice-mutants-${seed}.jsonl`);
  const killed = new Map(readState(state).map((each) => [each.key, each.by]));

  const work = join(tmpdir(), `sluice-mutants-${process.pid}`);
  const copy = join(work, 'project');
  copyProject(work, copy);
  const server = await startEmbeddedPostgres({
    directory: join(work, 'postgres'),
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' },
  });
  const environment = { ...process.env, TEST_DATABASE_URL: server.databaseUrl('postgres'), TMPDIR: join(work, 'tmp') };
  const tests = testGraph(copy);
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
  const project: Project = { copy, environment, signal: interrupted.signal };
  const survivors: Mutant[] = [];
  try {
    for (const [index, mutant] of mutants.entries()) {
      const key = keyOf(mutant);
      let by = killed.get(key);
      if (by === undefined) {
        const path = join(copy, mutant.file);
        const source = readFileSync(path, 'utf8');
        writeFileSync(path, source.slice(0, mutant.start) + mutant.replacement + source.slice(mutant.end));
        for (const stage of stages(mutant.file, tests).slice(0, near ? 2 : 3)) by ??= await firstFailure(project, stage);
        interrupted.signal.throwIfAborted();
        writeFileSync(path, source);
        await dropDatabases(server.databaseUrl('postgres'));
        appendFileSync(state, `${JSON.stringify({ key, killed: by !== undefined, by: by ?? '' })}\n`);
      }
      if (by === undefined) survivors.push(mutant);
      else killed.set(key, by);
      const verdict = by === undefined ? 'SURVIVED' : 'killed';
      process.stdout.write(
        `${index + 1}/${mutants.length} ${verdict} ${describe(mutant)}${by === undefined ? '' : ` by ${by}`}\n`,
      );
    }
    // A test that fails on the unbroken source proves nothing: a break that only it noticed has survived.
    const broken = await failuresWithoutBreak(
      project,
      new Set(mutants.map((each) => killed.get(keyOf(each)) ?? '').filter(Boolean)),
    );
    for (const mutant of mutants) if (broken.has(killed.get(keyOf(mutant)) ?? '')) survivors.push(mutant);
    if (broken.size > 0) process.stdout.write(`fail without a break, and are not counted: ${[...broken].join(', ')}\n`);
  } finally {
    await server.stop();
    rmSync(work, { recursive: true, force: true });
  }
  for (const room of ROOMS) {
    const all = mutants.filter((each) => each.file.startsWith(room)).length;
    const left = survivors.filter((each) => each.file.startsWith(room)).length;
    if (all > 0) process.stdout.write(`${room}: ${all - left} of ${all} noticed\n`);
  }
  for (const survivor of survivors) process.stdout.write(`survived: ${describe(survivor)}\n`);
  const ratio = mutants.length === 0 ? 1 : (mutants.length - survivors.length) / mutants.length;
  process.stdout.write(`${JSON.stringify({ benchmark: 'mutants', tried: mutants.length, survived: survivors.length, ratio })}\n`);
}

function sourceFiles(within: string[]): string[] {
  return ROOMS.flatMap((room) => globSync(`${room}/**/*.ts`, { cwd: ROOT }))
    .filter((file) => !/\.test\.ts$|\/testing\/|test-support\.ts$/.test(file))
    .filter((file) => within.some((path) => file === path || file.startsWith(`${path.replace(/\/$/, '')}/`)))
    .sort();
}

/** `count` random lines that can be broken, all equally likely, with one break of each. */
function draw(files: string[], count: number, seed: number): Mutant[] {
  const lines = new Map<string, Mutant[]>();
  for (const file of files)
    for (const point of breaksOf(readFileSync(join(ROOT, file), 'utf8'))) {
      const line = `${file}:${point.line}`;
      lines.set(line, [...(lines.get(line) ?? []), { ...point, file }]);
    }
  const random = randomStream(seed);
  const left = [...lines.values()];
  const drawn: Mutant[] = [];
  while (drawn.length < count && left.length > 0) {
    const [points = []] = left.splice(Math.floor(random.uniform() * left.length), 1);
    const point = points[Math.floor(random.uniform() * points.length)];
    if (point) drawn.push(point);
  }
  return drawn;
}

function keyOf(mutant: Mutant): string {
  return `${mutant.file}:${mutant.line} ${mutant.start} ${mutant.seen} -> ${mutant.replacement}`;
}

function describe(mutant: Mutant): string {
  return `${mutant.file}:${mutant.line} \`${mutant.seen}\` -> \`${mutant.replacement}\``;
}

function readState(path: string): Tried[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Tried)
    .filter((each) => each.killed);
}

function copyProject(work: string, copy: string): void {
  mkdirSync(join(work, 'tmp'), { recursive: true });
  const listed = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  for (const file of listed.stdout.split('\0').filter((each) => each && existsSync(join(ROOT, each)))) {
    mkdirSync(join(copy, dirname(file)), { recursive: true });
    cpSync(join(ROOT, file), join(copy, file));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  const shared = join(ROOT, '../shared');
  if (existsSync(shared)) symlinkSync(shared, join(work, 'shared'));
}

/** Where tests run, with which settings, and when they are to end early. */
type Project = { copy: string; environment: NodeJS.ProcessEnv; signal: AbortSignal };

type TestGraph = { tests: string[]; imports: Map<string, Set<string>> };

/** Every test that is fast enough to include, and its direct and indirect imports. */
function testGraph(copy: string): TestGraph {
  const direct = new Map<string, string[]>();
  const importsOf = (file: string): string[] => {
    let known = direct.get(file);
    if (known) return known;
    const source = readFileSync(join(copy, file), 'utf8');
    known = [...source.matchAll(/(?:from|import\()\s*'(\.[^']+\.ts)'/g)].map((match) =>
      relative(copy, resolve(copy, dirname(file), match[1] ?? '')),
    );
    known = known.filter((each) => existsSync(join(copy, each)));
    direct.set(file, known);
    return known;
  };
  const tests = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: copy })
    .filter((file) => !SLOW.some((part) => file.startsWith(part)))
    .sort();
  const imports = new Map(
    tests.map((test) => {
      const seen = new Set<string>();
      const open = [test];
      for (let file = open.pop(); file !== undefined; file = open.pop())
        for (const next of importsOf(file)) if (!seen.has(next)) open.push((seen.add(next), next));
      return [test, seen];
    }),
  );
  return { tests, imports };
}

/**
 * Tests ordered by how likely they are to notice a break in `file`: those of its folder first, then those that load it, then features
 * that use it over HTTP.
 */
function stages(file: string, { tests, imports }: TestGraph): string[][] {
  const room = file.split('/').slice(0, 3).join('/');
  const usesGateway = (test: string): boolean => imports.get(test)?.has('test/support/gateway.ts') ?? false;
  const loadsFirst = (a: string, b: string): number => Number(imports.get(b)?.has(file)) - Number(imports.get(a)?.has(file));
  const near = tests.filter((test) => test.startsWith(`${room}/`) || dirname(test) === dirname(file)).toSorted(loadsFirst);
  const loads = tests.filter((test) => !near.includes(test) && !usesGateway(test) && imports.get(test)?.has(file));
  const far = tests.filter((test) => !near.includes(test) && usesGateway(test));
  return [near, loads, far];
}

/** The test file that fails first, or undefined when all pass; the run stops at the first failure. */
function firstFailure({ copy, environment, signal }: Project, tests: string[]): Promise<string | undefined> {
  if (tests.length === 0) return Promise.resolve(undefined);
  return new Promise((done) => {
    mkdirSync(environment.TMPDIR ?? '', { recursive: true });
    const child = spawn(
      process.execPath,
      [
        '--test',
        '--test-concurrency=2',
        `--test-timeout=${TEST_MS}`,
        '--test-reporter',
        join(copy, 'bench/mutants/reporter.ts'),
        ...tests,
      ],
      { cwd: copy, detached: true, stdio: ['ignore', 'pipe', 'ignore'], env: { ...environment, NODE_TEST_CONTEXT: undefined } },
    );
    let [output, failed]: [string, string | undefined] = ['', undefined];
    const end = (): void => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
    };
    const late = setTimeout(() => {
      failed ??= 'hangs';
      end();
    }, STAGE_MS);
    signal.addEventListener('abort', end, { once: true });
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const line = /^FAILED (.+)\n/m.exec(output);
      if (line && failed === undefined) {
        failed = relative(copy, line[1] ?? '');
        end();
      }
    });
    child.once('close', () => {
      clearTimeout(late);
      signal.removeEventListener('abort', end);
      rmSync(environment.TMPDIR ?? '', { recursive: true, force: true });
      done(failed);
    });
  });
}

async function failuresWithoutBreak(project: Project, tests: Set<string>): Promise<Set<string>> {
  const broken = new Set<string>();
  for (const test of tests) if (test !== 'hangs' && (await firstFailure(project, [test])) !== undefined) broken.add(test);
  return broken;
}

async function dropDatabases(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ datname: string }>(String.raw`select datname from pg_database where datname like 't\_%'`);
  for (const { datname } of rows) await client.query(`drop database if exists "${datname}" with (force)`);
  await client.end();
}
