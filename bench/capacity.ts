// A day of many organizations: what each kind of work costs in processor time and in bytes, beside the records of 10,000 organizations, and how much
// of this machine a day of theirs takes. Then all kinds at once, for the rate and the waiting time of reads.
// npm run bench -- capacity [ORGANIZATIONS] [SECONDS of the mixed part]
import { readdirSync, statSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { readConfig } from '../src/config.ts';
import { issueKey } from '../src/features/keys/issue-key.ts';
import { platformActor } from '../src/platform/http/platform-actor.ts';
import { openRuntime } from '../src/runtime.ts';
import { ask, createMachine, type Machine, type Reply, readDeal, type Running, sendTape } from '../test/faults/processes.ts';
import { processesBelow, procText } from '../test/support/process-tree.ts';
import { autoTape } from '../test/support/tapes.ts';
import { until } from '../test/support/until.ts';
import { quantile } from '../test/support/quantile.ts';

const ORGANIZATIONS = 10_000;
const SECONDS = 60;
const LANES = 16;
const GROWTH = 10;
const DAY_SECONDS = 86_400;
const TICKS_PER_SECOND = 100;
const TAPE = autoTape(200);

type Place = { gateway: Running; token(): string };

/** A kind of work: how much of it an organization has in a day, how many are measured, and one of them. */
type Kind = { name: string; aDay: number; measured: number; run(place: Place, number: number): Promise<void> };

const KINDS: readonly Kind[] = [
  {
    name: 'reads (lists, a page of 20)',
    aDay: 200,
    measured: 6_000,
    run: async ({ gateway, token }, number) => {
      const path = ['/v1/api/alerts', '/v1/api/originator/loans', '/v1/api/investor/deals', '/v1/api/events'][number % 4] ?? '';
      answered(await ask(gateway, 'GET', path, { token: token() }));
    },
  },
  {
    name: 'records written (criteria set, with its audit entry)',
    aDay: 5,
    measured: 2_000,
    run: async ({ gateway, token }, number) => {
      const body = {
        name: `set ${number}`,
        loan_type: 'Auto',
        loan_rules: [{ id: 'SCORE', rule: { field: 'credit_score', op: 'gte', value: 620 } }],
      };
      answered(await ask(gateway, 'POST', '/v1/api/originator/sc/criteria', { token: token(), body }));
    },
  },
  {
    name: 'events (with their alert)',
    aDay: 20,
    measured: 2_000,
    run: async ({ gateway, token }) =>
      answered(await ask(gateway, 'POST', '/v1/sandbox/events', { token: token(), body: { event: 'deal.status_changed' } })),
  },
  {
    name: 'tapes of 200 loans, checked',
    aDay: 0.2,
    measured: 60,
    run: async ({ gateway, token }) => {
      const holder = token();
      const deal = await sendTape(gateway, holder, TAPE);
      await until(
        async () => (await readDeal(gateway, holder, deal)).qc.state !== 'RUNNING',
        120_000,
        'the checks of a tape',
        50,
      );
    },
  },
];

type Cost = { kind: string; a_day: number; per_second: number; cpu_ms: number; database_bytes: number; object_bytes: number };

export async function run(args: string[]): Promise<void> {
  const organizations = Number(args[0] ?? ORGANIZATIONS);
  const seconds = Number(args[1] ?? SECONDS);
  await using machine = createMachine({ LOG_LEVEL: 'error' });
  const gateway = await machine.start(['serve']);
  const { tokens, databaseUrl } = await admit(machine, organizations);
  let next = 0;
  const place: Place = { gateway, token: () => tokens[(next = (next + 7_919) % tokens.length)] ?? '' };
  await everyLane(200, (number) => KINDS[number % 3]?.run(place, number) ?? Promise.resolve());
  const costs: Cost[] = [];
  for (const kind of KINDS) costs.push(await cost(machine, gateway, databaseUrl, kind, place));
  console.table(Object.fromEntries(costs.map(({ kind, ...figures }) => [kind, figures])));
  const mixed = await mix(place, seconds);
  const coreSeconds = organizations * costs.reduce((sum, { a_day, cpu_ms }) => sum + (a_day * cpu_ms) / 1_000, 0);
  const bytes = (field: 'database_bytes' | 'object_bytes'): number =>
    organizations * costs.reduce((sum, each) => sum + each.a_day * each[field], 0);
  const share = coreSeconds / (cpus().length * DAY_SECONDS);
  process.stdout.write(
    `${JSON.stringify({
      bench: 'capacity',
      organizations,
      // Ten times their traffic has to fit into the day of this machine.
      ratio: round(share * GROWTH),
      limit: 1,
      core_hours_a_day: round(coreSeconds / 3_600),
      database_gb_a_day: round(bytes('database_bytes') / 1e9),
      objects_gb_a_day: round(bytes('object_bytes') / 1e9),
      mixed_per_second: mixed.perSecond,
      mixed_read_p50_ms: mixed.p50,
      mixed_read_p99_ms: mixed.p99,
    })}\n`,
  );
}

const round = (value: number): number => Math.round(value * 1_000) / 1_000;

function answered({ status, body }: Reply): void {
  if (status >= 400) throw new Error(`${status}: ${JSON.stringify(body)}`);
}

/** A key for each organization, in the database of the machine. */
async function admit(machine: Machine, organizations: number): Promise<{ tokens: string[]; databaseUrl: string }> {
  const config = readConfig({ ...machine.env, LOG_LEVEL: 'silent' });
  await using deps = await openRuntime(config, { migrate: false, supervise: false });
  const tokens: string[] = [];
  for (let first = 0; first < organizations; first += 100) {
    const issued = await deps.db.tx({ platform: true }, async (tx) => {
      const keys: string[] = [];
      for (let number = first; number < Math.min(first + 100, organizations); number += 1) {
        const request = { role: 'both', environment: config.environment, requester: 'a bench', use_case: 'capacity' } as const;
        const { token } = await issueKey(tx, platformActor('bench'), { ...request, organization: `House ${number}` }, deps);
        keys.push(token);
      }
      return keys;
    });
    tokens.push(...issued);
  }
  return { tokens, databaseUrl: deps.databaseUrl };
}

async function cost(machine: Machine, gateway: Running, databaseUrl: string, kind: Kind, place: Place): Promise<Cost> {
  const look = async () => ({
    cpu: cpuSeconds([gateway.pid, machine.postmaster() ?? 0]),
    database: await databaseBytes(databaseUrl),
    objects: folderBytes(join(machine.dataDir, 'objects')),
    at: performance.now(),
  });
  const before = await look();
  await everyLane(kind.measured, (number) => kind.run(place, number));
  const after = await look();
  return {
    kind: kind.name,
    a_day: kind.aDay,
    per_second: Math.round((kind.measured * 10_000) / (after.at - before.at)) / 10,
    cpu_ms: round(((after.cpu - before.cpu) * 1_000) / kind.measured),
    database_bytes: Math.round((after.database - before.database) / kind.measured),
    object_bytes: Math.round((after.objects - before.objects) / kind.measured),
  };
}

async function everyLane(count: number, work: (number: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let number = next++; number < count; number = next++) await work(number);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

/** All kinds at once in the shares of a day, for some seconds: units a second, and how long reads wait. */
async function mix(place: Place, seconds: number): Promise<{ perSecond: number; p50: number; p99: number }> {
  const total = KINDS.reduce((sum, { aDay }) => sum + aDay, 0);
  const waits: number[] = [];
  const end = performance.now() + seconds * 1_000;
  let units = 0;
  const lane = async (lane: number): Promise<void> => {
    for (let number = lane; performance.now() < end; number += LANES) {
      // Spread evenly by a step that has no common divisor with the shares.
      const at = ((number * 0.618_034) % 1) * total;
      const kind = KINDS.find((_, index) => at < KINDS.slice(0, index + 1).reduce((sum, { aDay }) => sum + aDay, 0)) ?? KINDS[0];
      const began = performance.now();
      await kind?.run(place, 1_000_000 + number);
      if (kind === KINDS[0]) waits.push(performance.now() - began);
      units += 1;
    }
  };
  await Promise.all(Array.from({ length: LANES }, (_, index) => lane(index)));
  return { perSecond: Math.round(units / seconds), p50: round(quantile(waits, 0.5)), p99: round(quantile(waits, 0.99)) };
}

/** Processor time of processes with all below them, those that have ended too. */
function cpuSeconds(roots: readonly number[]): number {
  const pids = roots.flatMap((root) => [root, ...processesBelow(root)]);
  const ticks = pids.map((pid) => {
    const stat = procText(pid, 'stat');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    return [11, 12, 13, 14].reduce((sum, index) => sum + (fields[index] ?? 0), 0);
  });
  return ticks.reduce((sum, each) => sum + each, 0) / TICKS_PER_SECOND;
}

async function databaseBytes(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes');
    return Number(rows[0]?.bytes);
  } finally {
    await client.end();
  }
}

function folderBytes(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.reduce((sum, entry) => sum + (entry.isFile() ? statSync(join(entry.parentPath, entry.name)).size : 0), 0);
}
