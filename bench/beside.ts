// A small read of one `sluice serve` while it checks a tape of 5,000,000 rows and runs 1,000 paths: its 99th percentile beside that of an idle
// one. npm run bench -- beside [ROWS] [PATHS]
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import { ask, createMachine, issueKey, type Running, readDeal, sendTape } from '../test/faults/processes.ts';
import { POOL_DATES, structureOver } from '../test/support/pools.ts';
import { autoTape } from '../test/support/tapes.ts';
import { until } from '../test/support/until.ts';
import { quantile } from '../test/support/quantile.ts';

const [ROWS, PATHS, POOL_ROWS] = [5_000_000, 1_000, 20_000];
const IDLE_MS = 15_000;
const EVERY_MS = 5;
const MOST_MS = 1_800_000;
const LIMIT = 3;
const LOANS = '/v1/api/originator/loans';

export async function run(args: string[]): Promise<void> {
  const [rows, paths] = [Number(args[0] ?? ROWS), Number(args[1] ?? PATHS)];
  const folder = mkdtempSync(join(tmpdir(), 'sluice-beside-'));
  try {
    // Made before, and not while reads are timed.
    const tape = join(folder, 'long.csv.gz');
    await pipeline(Readable.from(linesOf(rows), { objectMode: false }), createGzip({ level: 1 }), createWriteStream(tape));
    await measure(tape, rows, paths);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(tape: string, rows: number, paths: number): Promise<void> {
  await using machine = createMachine({ LOG_LEVEL: 'error' });
  const gateway = await machine.start(['serve']);
  const token = await issueKey(machine, 'originator', 'Harbor');
  const analytics = await poolOf(gateway, token, await issueKey(machine, 'operator', 'Platform'));
  const read = (): Promise<number> => timed(gateway, '/v1/api/alerts?limit=20', token);
  await readFor(read, () => sleep(2_000));
  const idle = await readFor(read, () => sleep(IDLE_MS));
  let tapeSeconds = 0;
  const work = async (): Promise<void> => {
    const began = performance.now();
    const dealId = await sendLongTape(gateway, token, tape);
    const queued = await ask(gateway, 'POST', analytics, { token, body: riskOf(paths) });
    if (queued.status !== 202) throw new Error(`the calculation answered ${queued.status}: ${JSON.stringify(queued.body)}`);
    await until(async () => (await readDeal(gateway, token, dealId)).status === 'QC_COMPLETED', MOST_MS, 'the checks', 500);
    const calculation = `${analytics}/${queued.body.data.calculation_id}`;
    const state = async (): Promise<string> => (await ask(gateway, 'GET', calculation, { token })).body.data.status;
    await until(async () => (await state()) === 'COMPLETED', MOST_MS, 'the paths', 500);
    tapeSeconds = (performance.now() - began) / 1_000;
  };
  const busy = await readFor(read, work);
  const figures = { idle: figuresOf(idle), busy: figuresOf(busy) };
  console.table(figures);
  process.stdout.write(
    `${JSON.stringify({
      bench: 'beside',
      ratio: Number((figures.busy.p99_ms / figures.idle.p99_ms).toFixed(2)),
      limit: LIMIT,
      median_ratio: Number((figures.busy.p50_ms / figures.idle.p50_ms).toFixed(2)),
      rows,
      paths,
      seconds: Math.round(tapeSeconds),
    })}\n`,
  );
}

/** Times of one read after the other until the work has ended. */
async function readFor(read: () => Promise<number>, work: () => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  const state = { over: false };
  const working = work().finally(() => {
    state.over = true;
  });
  while (!state.over) {
    times.push(await read());
    await sleep(EVERY_MS);
  }
  await working;
  return times;
}

function timed({ address }: Running, path: string, token: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    get(new URL(path, address), { headers: { authorization: `Bearer ${token}` } }, (response) => {
      response.on('end', () => {
        if (response.statusCode === 200) resolve(performance.now() - began);
        else reject(new Error(`${path} answered ${response.statusCode}`));
      });
      response.resume();
    }).on('error', reject);
  });
}

function figuresOf(times: number[]): { reads: number; p50_ms: number; p99_ms: number; most_ms: number } {
  const at = (part: number): number => Number(quantile(times, part).toFixed(2));
  return { reads: times.length, p50_ms: at(0.5), p99_ms: at(0.99), most_ms: at(1) };
}

/** A structured pool of loans that were checked and approved; the path of its calculations. */
async function poolOf(gateway: Running, token: string, operator: string): Promise<string> {
  const dealId = await sendTape(gateway, token, autoTape(POOL_ROWS), 'pool');
  await until(
    async () => (await readDeal(gateway, token, dealId)).status === 'QC_COMPLETED',
    120_000,
    'the checks of the pool',
    200,
  );
  const send = async (method: string, path: string, as: string, body?: unknown) => {
    const reply = await ask(gateway, method, path, { token: as, ...(body === undefined ? {} : { body }) });
    if (reply.status >= 300) throw new Error(`${path} answered ${reply.status}: ${JSON.stringify(reply.body)}`);
    return reply.body.data;
  };
  await send('POST', `/v1/operator/deals/${dealId}/approve`, operator);
  const pool = await send('POST', '/v1/api/originator/pools', token, { name: 'Beside', deal_ids: [dealId], ...POOL_DATES });
  const path = `/v1/api/originator/pools/${pool.pool_id}`;
  await send('PUT', `${path}/structure`, token, structureOver(pool.balance));
  return `/v1/api/originator/analytics/pools/${pool.pool_id}/calculations`;
}

const riskOf = (paths: number) => ({
  type: 'RISK',
  granularity: 'LOAN',
  assumptions: { cdr: 4, cpr: 8, severity: 50 },
  risk: { paths, seed: 7, factors: { cdr: { sigma: 0.5 }, cpr: { sigma: 0.3 } } },
});

async function sendLongTape(gateway: Running, token: string, path: string): Promise<string> {
  const fileName = 'long.csv.gz';
  const initiated = await ask(gateway, 'POST', `${LOANS}/initiate`, {
    token,
    body: { loanType: 'Auto', fileFormat: 'text/csv', fileName },
  });
  const { deal_id, upload_url, upload_headers } = initiated.body.data;
  const put = await fetch(new URL(new URL(upload_url).pathname, gateway.address), {
    method: 'PUT',
    headers: upload_headers,
    body: Readable.toWeb(createReadStream(path)),
    duplex: 'half',
  });
  if (!put.ok) throw new Error(`the upload answered ${put.status}: ${await put.text()}`);
  const completed = await ask(gateway, 'POST', `${LOANS}/complete`, { token, body: { dealId: deal_id, fileName } });
  if (completed.status !== 202) throw new Error(`complete answered ${completed.status}: ${JSON.stringify(completed.body)}`);
  return deal_id;
}

/** The same loan in each row, with an id of its own. */
function* linesOf(rows: number): Generator<string> {
  const [header = '', line = ''] = autoTape(1).split('\n');
  const [first = ''] = line.split(',');
  const rest = line.slice(first.length);
  let piece = `${header}\n`;
  for (let row = 1; row <= rows; row += 1) {
    piece += `B${String(row).padStart(9, '0')}${rest}\n`;
    if (piece.length < 2 ** 20) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}
