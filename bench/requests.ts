// The log of requests with 1,000,000 rows over 30 days: how long it takes to find a request by its id, and to list by each filter.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { buildApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { issueKey } from '../src/features/keys/issue-key.ts';
import { platformActor } from '../src/platform/http/platform-actor.ts';
import { openRuntime } from '../src/runtime.ts';
import { quantile } from '../test/support/quantile.ts';

const ROWS = 1_000_000;
const LIMIT_MS = 50;
const TIMES = 50;

/** `rows` (default 1,000,000), of which one organization has half and 50 others the rest. */
export async function run(args: string[]): Promise<void> {
  const rows = Number(args[0] ?? ROWS);
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const config = readConfig({ SLUICE_DATA_DIR: dataDir, SLUICE_RATE_LIMIT: '1000000000', LOG_LEVEL: 'silent' });
  try {
    await using runtime = await openRuntime(config);
    const app = await buildApp(runtime);
    const key = await runtime.db.tx({ platform: true }, (tx) =>
      issueKey(
        tx,
        platformActor('bench'),
        { organization: 'Bench', role: 'both', environment: 'development', requester: 'bench', use_case: 'bench' },
        runtime,
      ),
    );
    await fill(runtime.databaseUrl, key.organization_id, rows);
    const time = async (path: string): Promise<{ median: number; worst: number }> => {
      const taken: number[] = [];
      for (let count = 0; count < TIMES; count += 1) {
        const began = performance.now();
        const url = path.replace('#', String(((count * 7_919) % rows) & ~1));
        const { statusCode, body } = await app.inject({ url, headers: { authorization: `Bearer ${key.token}` } });
        if (statusCode !== 200) throw new Error(`${url}: ${statusCode} ${body}`);
        taken.push(performance.now() - began);
      }
      return { median: quantile(taken, 0.5), worst: quantile(taken, 1) };
    };
    const results: Record<string, { median: number; worst: number }> = {};
    for (const path of [
      '/v1/api/requests/request-#',
      '/v1/api/requests?deal_id=deal_5',
      '/v1/api/requests?status=500',
      '/v1/api/requests?limit=100',
    ])
      results[path] = await time(path);
    for (const [path, { median, worst }] of Object.entries(results))
      process.stdout.write(`${median.toFixed(1)} ms, at most ${worst.toFixed(1)} ms\t${path}\n`);
    const found = results['/v1/api/requests/request-#'];
    const ms = Number((found?.median ?? 0).toFixed(1));
    process.stdout.write(
      `${JSON.stringify({ bench: 'requests', rows, ratio: ms / LIMIT_MS, limit: 1, found_ms: ms, worst_ms: Number((found?.worst ?? 0).toFixed(1)) })}\n`,
    );
    await app.close();
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function fill(databaseUrl: string, organizationId: string, rows: number): Promise<void> {
  const owner = new pg.Client({ connectionString: databaseUrl });
  await owner.connect();
  try {
    for (let day = 1; day <= 29; day += 1)
      await owner.query(
        `do $$ declare starts timestamptz := date_trunc('day', now(), 'UTC') - interval '${day} days'; part text := 'request_log_' || to_char(starts at time zone 'UTC', 'YYYYMMDD');
         begin execute format('create table %I partition of request_log for values from (%L) to (%L)', part, starts, starts + interval '1 day');
         execute format('call sluice_protect(%L)', part); end $$`,
      );
    await owner.query(`select set_config('sluice.scope', 'platform', false)`);
    await owner.query(
      `insert into request_log (organization_id, request_id, at, ms, method, path, route, status, actor_id, replayed, deal_id, request, response)
       select case when n % 2 = 0 then $1 else 'org_' || n % 100 end, 'request-' || n, now() - make_interval(secs => 29.0 * 86400 * n / $2),
         5, 'GET', '/v1/api/originator/loans', '/v1/api/originator/loans', case when n % 1000 = 0 then 500 else 200 end, 'key_1', false, 'deal_' || n % 5000,
         '{"query":null,"body":null,"bytes":null,"truncated":false,"unknown_fields":0,"omitted":[]}', '{"body":{"success":true},"bytes":2000,"truncated":false,"omitted":[]}'
       from generate_series(0, $2::int - 1) n`,
      [organizationId, rows],
    );
    await owner.query('vacuum analyze request_log');
  } finally {
    await owner.end();
  }
}
