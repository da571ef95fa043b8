// Subscriptions with their compliance checks and capacity at 64 clients, beside a bare insert of the same rows; and the summary of a
// book of 10,000 positions.
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Fastify from 'fastify';
import pg from 'pg';
import { start } from '../src/commands/serve.ts';
import { readConfig } from '../src/config.ts';
import { issueKey } from '../src/features/keys/issue-key.ts';
import type { Tx } from '../src/platform/db/database.ts';
import { type Id, newId } from '../src/platform/ids.ts';
import type { Runtime } from '../src/runtime.ts';
import { insertListedDeal } from '../test/support/market.ts';
import { platformActor } from '../src/platform/http/platform-actor.ts';
import { quantile } from '../test/support/quantile.ts';

const CLIENTS = 64;
const SECONDS = 5;
const ROUNDS = 3;
const POSITIONS = 10_000;
const SUMMARIES = 200;
const HUGE = 9_000_000_000_000;

type Target = { url: string; token: string | null };
type Ready = { oneTranche: Target[]; tranches: Target[]; bare: Target[]; direct: DirectTarget; summary: Target };
type DirectTarget = { databaseUrl: string; rows: string[][] };

export async function run(args: string[]): Promise<void> {
  const seconds = Number(args[0] ?? SECONDS);
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const server = fork(fileURLToPath(import.meta.url), ['server', dataDir], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  try {
    const ready = await new Promise<Ready>((resolve, reject) => {
      server.once('message', (message) => resolve(message as Ready));
      server.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
    });
    for (const targets of [ready.oneTranche, ready.bare]) await load(targets, 1);
    const rows: { hot: number; spread: number; bare: number; direct: number }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      rows.push({
        hot: await load(ready.oneTranche, seconds),
        spread: await load(ready.tranches, seconds),
        bare: await load(ready.bare, seconds),
        direct: await insertDirectly(ready.direct, seconds),
      });
    }
    for (const row of rows) {
      print(
        `one tranche ${row.hot.toFixed(0)}/s\teight tranches ${row.spread.toFixed(0)}/s\tbare insert over HTTP ${row.bare.toFixed(0)}/s\tbare insert ${row.direct.toFixed(0)}/s`,
      );
    }
    const times = await measureSummary(ready.summary);
    print(
      `summary of ${POSITIONS} positions: p50 ${quantile(times, 0.5).toFixed(1)} ms, p95 ${quantile(times, 0.95).toFixed(1)} ms`,
    );
    const median = (of: (row: (typeof rows)[number]) => number): number => Number(quantile(rows.map(of), 0.5).toFixed(3));
    print(
      JSON.stringify({
        bench: 'subscribe',
        ratio: median((row) => row.hot / row.bare),
        ratio_eight_tranches: median((row) => row.spread / row.bare),
        ratio_to_insert_without_http: median((row) => row.hot / row.direct),
        limit: 0.3,
        clients: CLIENTS,
        summary_p95_ms: Number(quantile(times, 0.95).toFixed(1)),
        summary_limit_ms: 100,
      }),
    );
  } finally {
    await ended(server);
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function ended(server: ChildProcess): Promise<void> {
  server.kill('SIGTERM');
  if (server.exitCode === null) await new Promise((resolve) => server.once('exit', resolve));
}

const BODY = JSON.stringify({ subscription_amount: 1_000 });

/** 201 responses per second; each client is an investor of its own on a connection of its own. */
async function load(targets: readonly Target[], seconds: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const until = performance.now() + seconds * 1000;
  let created = 0;
  const client = async (target: Target): Promise<void> => {
    while (performance.now() < until) {
      await send(agent, 'POST', target, BODY, 201);
      created += 1;
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: CLIENTS }, (_, index) => client(targets[index % targets.length] as Target)));
  agent.destroy();
  return created / ((performance.now() - began) / 1000);
}

function send(agent: Agent, method: string, { url, token }: Target, body: string | null, expected: number): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const headers = {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(body ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) } : {}),
    };
    const outgoing = request(url, { method, agent, headers }, (response) => {
      if (response.statusCode !== expected) reject(new Error(`${url} answered ${response.statusCode}`));
      response.resume().on('end', resolve);
    });
    outgoing.on('error', reject).end(body ?? undefined);
  });
}

async function measureSummary(target: Target): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  for (let count = 0; count < SUMMARIES; count += 1) {
    const began = performance.now();
    await send(agent, 'GET', target, null, 200);
    times.push(performance.now() - began);
  }
  agent.destroy();
  return times;
}

const INSERT = {
  name: 'subscription',
  text: `insert into subscriptions (subscription_id, organization_id, deal_id, tranche_id, subscription_amount, status,
     compliance_check_result, compliance_checks, created_at, updated_at)
   values ($1, $2, $3, $4, $5, 'pending_confirmation', 'passed', $6, $7, $7) returning *`,
};
const FINDINGS = JSON.stringify(
  Array.from({ length: 10 }, (_, index) => ({
    check: `check_${index}`,
    result: 'passed',
    reason: 'A reason of some forty characters it is.',
  })),
);
const valuesOf = (row: readonly string[]): unknown[] => [newId('sub'), ...row, 1_000, FINDINGS, new Date()];

/** The same rows by prepared inserts only, each durable, without HTTP. */
async function insertDirectly({ databaseUrl, rows }: DirectTarget, seconds: number): Promise<number> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 20 });
  pool.on('error', () => {});
  const until = performance.now() + seconds * 1000;
  let created = 0;
  const client = async (row: readonly string[]): Promise<void> => {
    while (performance.now() < until) {
      await pool.query({ ...INSERT, values: valuesOf(row) });
      created += 1;
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: CLIENTS }, (_, index) => client(rows[index % rows.length] as string[])));
  await pool.end();
  return created / ((performance.now() - began) / 1000);
}

async function serveAll(dataDir: string): Promise<void> {
  const config = readConfig({ SLUICE_DATA_DIR: dataDir, PORT: '0', SLUICE_RATE_LIMIT: '1000000000', LOG_LEVEL: 'silent' });
  const running = await start(config, { api: true, worker: false });
  const { runtime } = running;
  const platform = <Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> => runtime.db.tx({ platform: true }, work);
  const seller = await issue(runtime, 'Seller', 'originator');
  const investors = await Promise.all(
    Array.from({ length: CLIENTS }, (_, index) => issue(runtime, `Investor ${index}`, 'investor')),
  );
  const balance = { balance: HUGE };
  const hot = await platform((tx) => insertListedDeal(tx, seller.organization_id, { tranches: [balance] }));
  const spread = await Promise.all(
    Array.from({ length: 8 }, () => platform((tx) => insertListedDeal(tx, seller.organization_id, { tranches: [balance] }))),
  );
  const path = (dealId: string): string => `${running.address}/v1/api/investor/deals/${dealId}/subscribe`;
  const rows = investors.map((investor) => [investor.organization_id, hot.deal_id, hot.tranches[0] as string]);
  const holder = await issue(runtime, 'Holder', 'investor');
  await platform((tx) => fillBook(tx, seller.organization_id, holder.organization_id));
  const bare = await serveBare(runtime.databaseUrl, rows);
  process.send?.({
    oneTranche: investors.map(({ token }) => ({ url: path(hot.deal_id), token })),
    tranches: investors.map(({ token }, index) => ({ url: path(spread[index % 8]?.deal_id as string), token })),
    bare: rows.map((_, index) => ({ url: `${bare}/${index}`, token: null })),
    direct: { databaseUrl: runtime.databaseUrl, rows },
    summary: { url: `${running.address}/v1/api/investor/portfolio/summary`, token: holder.token },
  } satisfies Ready);
  process.once('SIGTERM', () => void running.stop().then(() => process.exit(0)));
}

function issue(runtime: Runtime, organization: string, role: 'originator' | 'investor') {
  const request = { organization, role, environment: 'development', requester: 'bench', use_case: 'bench' } as const;
  return runtime.db.tx({ platform: true }, (tx) => issueKey(tx, platformActor('bench'), request, runtime));
}

/** 10,000 positions in 10,000 tranches, eight in ten of them with a mark. */
async function fillBook(tx: Tx, sellerId: Id<'org'>, holderId: string): Promise<void> {
  const deals = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      insertListedDeal(tx, sellerId, {
        name: `Deal ${index}`,
        asset_type: ['Auto', 'Mortgage', 'Personal'][index % 3] as string,
        tranches: [],
      }),
    ),
  );
  const dealIds = deals.map((deal) => deal.deal_id);
  await tx.exec(
    `insert into tranches (tranche_id, deal_id, organization_id, tranche, class, offered, original_balance, current_balance, coupon_type, coupon,
       day_count, seniority, dated_date, accrued_from)
     select 'trn_bench_' || n, ($1::text[])[1 + n % 100], $2, 'T' || n, 'A-' || n % 7, true, 1000000, 1000000 - n * 7.5, 'FIXED', 4 + n % 5, '30/360',
       1 + n % 7, '2026-01-15', '2026-10-15' from generate_series(0, $3::int - 1) n`,
    [dealIds, sellerId, POSITIONS],
  );
  await tx.exec(
    `insert into positions (position_id, organization_id, deal_id, tranche_id, face, paid, trade_date, created_at)
     select 'pos_bench_' || t.tranche_id, $1, t.deal_id, t.tranche_id, 1000 + length(t.tranche_id) * 100, 1000, '2026-01-20', now()
     from tranches t where t.tranche_id like 'trn_bench_%'`,
    [holderId],
  );
  await tx.exec(
    `insert into marks (tranche_id, calculation_id, deal_id, organization_id, price, yield, spread_bp, wal, duration, as_of, published_at)
     select tranche_id, 'calc_' || round, deal_id, organization_id, 99.5, 5.1, 120, 2.5, 2.2, '2026-10-31', now() - make_interval(days => round)
     from tranches, generate_series(1, 3) round where tranche_id like 'trn_bench_%' and tranche_id not like '%7' and tranche_id not like '%3'`,
  );
}

/** One insert of the same row behind Fastify's own parsing and serialisation, and nothing else. */
async function serveBare(databaseUrl: string, rows: readonly string[][]): Promise<string> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 20 });
  pool.on('error', () => {});
  const app = Fastify();
  app.post('/:client', async (incoming, reply) => {
    const { client } = incoming.params as { client: string };
    const { rows: created } = await pool.query({ ...INSERT, values: valuesOf(rows[Number(client)] as string[]) });
    return reply.status(201).send({ success: true, data: created[0] as unknown });
  });
  return app.listen({ port: 0, host: '127.0.0.1' });
}

if (process.argv[2] === 'server') await serveAll(process.argv[3] ?? '');
