import assert from 'node:assert/strict';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { offeringDates, structureFor } from '../../src/features/sandbox/structure.ts';
import { startServer, temporaryFolder } from '../support/processes.ts';
import { sharedPath } from '../support/shared.ts';
import { autoTape } from '../support/tapes.ts';

const REAL_TAPE = 'data/tapes/auto/world_omni_rows1_4000.csv';
const WAIT_MS = 120_000;

/* oxlint-disable-next-line typescript/no-explicit-any -- a client reads any field of any answer. */
type Data = any;
type Client = (method: string, path: string, body?: unknown) => Promise<Data>;

/** A member who speaks HTTP and nothing else. */
function clientOf(address: string, token: string): Client {
  return async (method, path, body) => {
    const response = await fetch(`${address}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { data: Data; message?: string };
    assert.ok(response.ok, `${method} ${path} answered ${response.status}: ${answer.message}`);
    return answer.data;
  };
}

async function until<Value>(what: string, look: () => Promise<Value | null | false>): Promise<Value> {
  for (const deadline = Date.now() + WAIT_MS; Date.now() < deadline; await sleep(100)) {
    const seen = await look();
    if (seen) return seen;
  }
  throw new Error(`${what} did not happen in time`);
}

type Received = { event: string; data: Data };

/** A receiver as a customer would write it: it takes what is signed with its secret and nothing else. */
async function startReceiver(): Promise<{ url: string; server: HttpServer; received: Received[]; secret: { value: string } }> {
  const received: Received[] = [];
  const secret = { value: '' };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const expected = Buffer.from(`sha256=${createHmac('sha256', secret.value).update(body).digest('hex')}`);
      const given = Buffer.from(String(request.headers['x-platform-signature']));
      const genuine = given.length === expected.length && timingSafeEqual(given, expected);
      if (genuine) received.push(JSON.parse(body.toString()) as Received);
      response.writeHead(genuine ? 204 : 401).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`, server, received, secret };
}

test('the whole way, from a loan tape to a portfolio that adds up, over HTTP and separate processes', async () => {
  using folder = temporaryFolder();
  const workDir = folder.path;
  await using api = await startServer(join(workDir, 'data'), { command: ['serve', '--no-worker'] });
  await using worker = await startServer(join(workDir, 'data'), { command: ['work'] });
  assert.ok(worker.process.pid);
  const originator = clientOf(api.address, await api.issueKey('Harbor', 'originator'));
  const investor = clientOf(api.address, await api.issueKey('Northgate', 'investor'));
  const operator = clientOf(api.address, await api.issueKey('Platform', 'operator'));
  const hooks = await Promise.all([startReceiver(), startReceiver()]);
  const [ofOriginator, ofInvestor] = hooks;
  for (const [client, hook] of [
    [originator, ofOriginator],
    [investor, ofInvestor],
  ] as const) {
    hook.secret.value = (await client('POST', '/v1/api/webhooks/subscriptions', { url: hook.url })).secret;
  }

  // The tape, and its checks.
  const real = sharedPath(REAL_TAPE);
  const bytes = real ? readFileSync(real) : Buffer.from(autoTape(2_000));
  const initiated = await originator('POST', '/v1/api/originator/loans/initiate', {
    loanType: 'Auto',
    fileFormat: 'text/csv',
    fileName: 'auto.csv',
  });
  const sent = await fetch(initiated.upload_url, { method: 'PUT', headers: initiated.upload_headers, body: bytes });
  assert.equal(sent.status, 200);
  const dealId: string = initiated.deal_id;
  await originator('POST', '/v1/api/originator/loans/complete', { dealId, fileName: 'auto.csv' });
  const loan = await until('the checks', async () => {
    const deal = await originator('GET', `/v1/api/originator/loans/${dealId}`);
    return deal.qc.state !== 'RUNNING' && deal;
  });
  assert.equal(loan.status, 'QC_COMPLETED');
  if (real) assert.deepEqual([loan.loan_count, loan.total_balance], [4_000, 96_591_731.29]);

  // Which loans may enter, and the pool of them.
  const criteria = await originator('POST', '/v1/api/originator/sc/criteria', {
    loan_type: 'Auto',
    loan_rules: [{ id: 'SCORE', rule: { field: 'credit_score', op: 'gte', value: 640 } }],
  });
  const { sc_job_id } = await originator('POST', `/v1/api/originator/sc/deals/${dealId}/run`, {
    criteria_id: criteria.criteria_id,
  });
  const run = await until('the criteria run', async () => {
    const job = await originator('GET', `/v1/api/originator/sc/jobs/${sc_job_id}`);
    return job.status === 'COMPLETED' && job;
  });
  await operator('POST', `/v1/operator/deals/${dealId}/approve`);
  const dates = offeringDates('2026-11-20');
  const pool = await originator('POST', '/v1/api/originator/pools', {
    name: 'Harbor 2026-1',
    deal_ids: [dealId],
    sc_job_ids: [sc_job_id],
    cut_off_date: dates.cutOff,
    closing_date: dates.closing,
  });
  assert.deepEqual([pool.loan_count, pool.balance], [run.passed, run.passed_balance]);
  const poolPath = `/v1/api/originator/pools/${pool.pool_id}`;
  await originator('PUT', `${poolPath}/structure`, structureFor(pool.balance, dates));

  // What it is worth, and onto the market.
  const calculations = `/v1/api/originator/analytics/pools/${pool.pool_id}/calculations`;
  const pricing = {
    type: 'PRICING',
    purpose: 'MARK',
    as_of: dates.closing,
    settlement_date: dates.closing,
    assumptions: { abs: 1.3, cdr: 2, severity: 50 },
  };
  const { calculation_id } = await originator('POST', calculations, pricing);
  await until(
    'the calculation',
    async () => (await originator('GET', `${calculations}/${calculation_id}`)).status === 'COMPLETED',
  );
  await originator('POST', `${poolPath}/lock`);
  await originator('POST', `${poolPath}/issue`);
  const issued = await operator('POST', `/v1/operator/pools/${pool.pool_id}/issue`);
  await operator('POST', `/v1/operator/calculations/${calculation_id}/publish`);

  // From an indication to a settled position.
  const market = `/v1/api/investor/deals/${issued.deal_id}`;
  const { tranches } = await investor('GET', market);
  const [senior] = tranches;
  await investor('POST', `${market}/ioi`, { interest_amount: 1_000_000 });
  const subscription = await investor('POST', `${market}/subscribe`, { subscription_amount: senior.denomination * 500 });
  assert.deepEqual([subscription.status, subscription.compliance_check_result], ['pending_confirmation', 'passed']);
  await operator('POST', `/v1/operator/subscriptions/${subscription.subscription_id}/confirm`);
  await operator('POST', `/v1/operator/deals/${issued.deal_id}/allocations`, { method: 'PRO_RATA' });
  const [allocation] = await investor('GET', '/v1/api/investor/allocations');
  assert.equal(allocation.allocated_amount, senior.denomination * 500);
  await investor('POST', `/v1/api/investor/allocations/${allocation.allocation_id}/accept`);
  const [trade] = await operator('GET', `/v1/operator/trades?deal_id=${issued.deal_id}`);
  await operator('POST', `/v1/operator/trades/${trade.trade_id}/settle`);

  // A portfolio that adds up, with the performance that the calculation brought.
  const [position] = await investor('GET', '/v1/api/investor/portfolio/positions');
  assert.equal(position.face, senior.denomination * 500);
  const summary = await investor('GET', '/v1/api/investor/portfolio/summary');
  assert.equal(summary.total_market_value, position.market_value);
  const reports = await investor('GET', '/v1/api/investor/portfolio/reports');
  assert.deepEqual([reports.holdings_snapshot.length, reports.trade_history[0].status], [1, 'SETTLED']);
  assert.ok(reports.tranche_performance.length > 0 && reports.pool_metrics.length > 0);
  assert.equal((await investor('GET', `/v1/api/investor/subscriptions/${subscription.subscription_id}`)).status, 'settled');

  // Every event on the way has arrived, signed, and what an organization should look at is in its alerts.
  const names = ({ received }: { received: Received[] }) => received.map(({ event, data }) => data.current_status ?? event);
  const expected = ['IN_REVIEW', 'QC_COMPLETED', 'sc.completed', 'APPROVED', 'loan.approved', 'trade.settled'];
  await until('the originator’s webhooks', async () => expected.every((name) => names(ofOriginator).includes(name)));
  await until('the investor’s webhook', async () => names(ofInvestor).includes('trade.settled'));
  const alerts = await investor('GET', '/v1/api/alerts');
  assert.ok(alerts.some((alert: Data) => alert.type === 'trade.settled'));
  assert.equal((await operator('GET', '/v1/operator/audit/verify')).valid, true);
  for (const { server } of hooks) server.close();
});
