import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { startGateway } from '../support/gateway.ts';
import { listDeal } from '../support/market.ts';
import { autoTape, put, sendTape } from '../support/tapes.ts';
import { tape, WORKBOOKS } from './attack-tapes.ts';
import type { Gateway, Holder } from '../support/gateway.ts';
import type { World } from './attack-world.ts';

/** Cases that are more than one request: id → what is done and what must hold. */
export const SCRIPTED: Record<string, (gateway: Gateway, world: World) => Promise<void>> = {
  T23: async (gateway, world) => {
    const holders = ['A_BOTH', 'B_BOTH'].map((name) => world.tokens[name] as Holder);
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => gateway.call('GET', '/v1/api/alerts', { as: holders[index % 2] as Holder })),
    );
    const own = answers.slice(0, 2).map((answer) => answer.body.data.map((alert: { id: string }) => alert.id).join());
    assert.notEqual(own[0], own[1]);
    for (const [index, answer] of answers.entries()) {
      assert.equal(answer.status, 200);
      assert.equal(answer.body.data.map((alert: { id: string }) => alert.id).join(), own[index % 2]);
    }
  },
  // One byte of a body and then nothing: the connection is answered and closed instead of held.
  H21: async (gateway, world) => {
    const { port } = gateway.app.server.address() as AddressInfo;
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () =>
        socket.write(
          `PATCH /v1/api/alerts/x HTTP/1.1\r\nhost: h\r\nauthorization: Bearer ${world.tokens.A_BOTH?.token}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`,
        ),
      );
      let got = '';
      socket.on('data', (chunk: Buffer) => (got += chunk.toString()));
      socket.on('close', () => resolve(got));
      socket.on('error', reject);
    });
    assert.match(answer, /^HTTP\/1\.1 408 /);
  },
  R01: async () => {
    await using limited = await startGateway({ SLUICE_RATE_LIMIT: '100' });
    const key = await limited.key('both', 'Limited');
    const answers = await Promise.all(Array.from({ length: 100 }, () => limited.call('GET', '/v1/api/alerts', { as: key })));
    assert.ok(answers.every((answer) => answer.status === 200 && answer.headers['x-ratelimit-limit'] === '100'));
    const remaining = answers.map((answer) => Number(answer.headers['x-ratelimit-remaining'])).sort((a, b) => a - b);
    assert.deepEqual(
      remaining,
      Array.from({ length: 100 }, (_, index) => index),
    );
    const refused = await limited.call('GET', '/v1/api/alerts/nope', { as: key });
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers['retry-after']) >= 1 && Number(refused.headers['retry-after']) <= 60);
  },
  // Two gateways on one database are two replicas.
  R03: async () => {
    await using limited = await startGateway({ SLUICE_RATE_LIMIT: '100' });
    const key = await limited.key('both', 'Limited');
    const { openRuntime } = await import('../../src/runtime.ts');
    const { buildApp } = await import('../../src/app.ts');
    await using deps = await openRuntime(limited.deps.config, { migrate: false, supervise: false });
    const second = await buildApp(deps);
    // Replicas that have served before: the burst is for the limit, not for their first connections.
    const other = await limited.key('both', 'Other');
    const ready = { authorization: `Bearer ${other.token}` };
    for (const app of [limited.app, second]) await app.inject({ method: 'GET', url: '/v1/api/alerts', headers: ready });
    const headers = { authorization: `Bearer ${key.token}` };
    const listAlerts = async (app: typeof second) => {
      for (;;) {
        const answer = await app.inject({ method: 'GET', url: '/v1/api/alerts', headers });
        // A process that falls behind on a busy machine asks to come again before it counts the request.
        if (answer.json<{ code?: string }>().code !== 'OVERLOADED') return answer;
        await setTimeout(Number(answer.headers['retry-after']) * 1_000);
      }
    };
    const answers = await Promise.all(Array.from({ length: 500 }, (_, index) => listAlerts(index % 2 ? limited.app : second)));
    assert.equal(answers.filter((answer) => answer.statusCode === 200).length, 100);
    assert.equal(answers.filter((answer) => answer.statusCode === 429).length, 400);
    await second.close();
  },
  R05: (gateway) => windowIsAnchored(gateway),
  R07: async () => {
    await using limited = await startGateway({ SLUICE_RATE_LIMIT: '100' });
    const key = await limited.key('both', 'Limited');
    for (let count = 0; count < 100; count += 1)
      assert.equal((await limited.call('GET', '/v1/api/alerts/nope', { as: key })).status, 404);
    assert.equal((await limited.call('GET', '/v1/api/alerts/nope', { as: key })).status, 429);
  },
  R09: (gateway) => windowIsAnchored(gateway),
  // The window's start lies in the future when the clock jumped back: it starts anew and its end stays within a minute.
  R11: async (gateway) => {
    await gateway.deps.limits.direct(`insert into rate_windows values ('jumped', clock_timestamp() + interval '1 hour', 100)`);
    const taken = await gateway.deps.rateLimiter.consume('jumped', 100);
    assert.equal(taken.allowed, true);
    assert.ok(taken.reset >= 0 && taken.reset <= 60);
  },
  I01: (gateway, world) => repeated(gateway, world, 'k1', 1),
  I03: (gateway, world) => repeated(gateway, world, 'k3', 50),
  I05: async (gateway, world) => {
    const one = await ioi(gateway, world, 'I_INV', 'k5');
    const other = await ioi(gateway, world, 'A_BOTH', 'k5');
    assert.deepEqual([one.status, other.status], [201, 201]);
    assert.notEqual(one.body.data.ioi_id, other.body.data.ioi_id);
  },
  // The answer that was lost is the stored one: the request is repeated and nothing happens twice.
  I07: (gateway, world) => repeated(gateway, world, 'k7', 1),
  I09: async (gateway, world) => {
    const { deal_id } = await listDeal(gateway, world.tokens.B_BOTH as Holder);
    const subscribe = () =>
      gateway.call('POST', `/v1/api/investor/deals/${deal_id}/subscribe`, {
        as: world.tokens.I_INV as Holder,
        body: { subscription_amount: 100_000 },
      });
    const answers = await Promise.all([subscribe(), subscribe()]);
    assert.ok(answers.every((answer) => [201, 409].includes(answer.status)));
  },
  // The bodies use the names of another interface: what is required is missing and what is given is unknown.
  U05: async (gateway) => {
    const fresh = await gateway.key('originator', 'Parallel');
    const body = { loanType: 'Auto', fileFormat: 'text/csv', fileName: 't.csv' };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => gateway.call('POST', '/v1/api/originator/loans/initiate', { as: fresh, body })),
    );
    assert.equal(answers.filter((answer) => answer.status === 201).length, 1);
    assert.equal(answers.filter((answer) => answer.status === 409).length, 19);
  },
  U09: (gateway) => tooLarge(gateway, (bytes) => ({ raw: bytes, headers: {} })),
  U11: (gateway) => tooLarge(gateway, (bytes) => ({ raw: bytes, headers: { 'transfer-encoding': 'chunked' } })),
  U13: async (gateway) => {
    const token = gateway.deps.addresses.sign({ act: 'put', ids: ['org_x', 'upl_x'], generation: 1, expires: Date.now() - 1 });
    assert.equal((await gateway.call('PUT', `/v1/uploads/${token}`, { raw: 'x' })).status, 403);
  },
  U15: async (gateway) => {
    const token = gateway.deps.addresses.sign({
      act: 'put',
      ids: ['org_x', 'upl_x'],
      generation: 1,
      expires: Date.now() + 60_000,
    });
    assert.ok([403, 404, 405].includes((await gateway.call('GET', `/v1/uploads/${token}`)).status));
  },
  U21: async (gateway, world) => {
    for (const fileName of ['../../etc/passwd', 'con.csv', 'a\u0000.csv', `${'a'.repeat(300)}.csv`, 'a\u202egpj.csv']) {
      const body = { fileName, fileKey: world.names.A_FILEKEY };
      assert.equal(
        (await gateway.call('POST', '/v1/api/deals/documents/complete', { as: world.tokens.A_BOTH as Holder, body })).status,
        400,
        fileName,
      );
    }
  },
  U25: async (gateway) => {
    const holder = await gateway.key('originator', 'Types');
    for (const bytes of [Buffer.from('4d5a900003', 'hex'), '<html><script>alert(1)</script></html>']) {
      const initiated = await gateway.call('POST', '/v1/api/deals/documents/initiate', {
        as: holder,
        body: { fileName: 'w9.pdf' },
      });
      await put(gateway, initiated, bytes);
      const body = { fileName: 'w9.pdf', fileKey: initiated.body.data.file_key };
      const answer = await gateway.call('POST', '/v1/api/deals/documents/complete', { as: holder, body });
      assert.deepEqual([answer.status, answer.body.code], [422, 'TYPE_MISMATCH']);
    }
  },
  C01: tape('', { complete: 'EMPTY_FILE' }),
  C03: tape('Loan ID,State\nA1,TX\n', { state: 'NEEDS_MAPPING' }),
  C05: tape('__proto__,constructor,LoanAmount\na,b,100\n', { rows: 1 }, 'Business'),
  C07: tape(`Loan ID,LoanAmount\nA1,"${'x'.repeat(200_000)}\nA2,100\nA3,100\n`, { ends: true }, 'Business'),
  C11: tape(Buffer.from('Loan ID,LoanAmount,City\nA1,100,M\xfcnchen\nA2,100,Bonn\n', 'latin1'), { rows: 2 }, 'Business'),
  C13: tape('Loan ID,LoanAmount\rA1,100\rA2,200\r', { rows: 2 }, 'Business'),
  C15: tape('Loan ID,LoanAmount,Lender\n=HYPERLINK(1),100,@SUM(A1)\nA2,100,+cmd|x\nA3,100,-2+3\n', { rows: 3 }, 'Business'),
  C17: async (gateway) => {
    const holder = await gateway.key('originator', 'Twice');
    for (let time = 0; time < 2; time += 1)
      assert.equal((await sendTape(gateway, holder, { loanType: 'Auto', bytes: autoTape(5) })).completed.status, 202);
  },
  C19: tape(
    'Loan ID,LoanAmount,DateApproved\nA,100,2026-02-30\nB,100,31/12/2025\nC,100,45000\nD,100,0001-01-01\n',
    { rows: 4, warnings: true },
    'Business',
  ),
  C21: tape('Loan ID,LoanAmount\nA1,100\nA2,200', { rows: 2 }, 'Business'),
  C23: tape(Buffer.from('504b0304140000000800', 'hex'), { complete: 'UNREADABLE_FILE' }),
  X13: tape(Buffer.from('d0cf11e0a1b11ae1', 'hex'), { complete: 'UNREADABLE_FILE', xlsx: true }),
  X23: tape('Loan ID,LoanAmount\nA1,100\n', { rows: 1, warnings: true, xlsx: true }, 'Business'),
  D13: async (gateway, world) => {
    const holder = world.tokens.A_BOTH as Holder;
    const path = `/v1/api/webhooks/deliveries/${world.names.A_FAILED_DELIVERY}`;
    const before = (await gateway.call('GET', path, { as: holder })).body.data;
    const replayed = await gateway.call('POST', `${path}/replay`, { as: holder });
    assert.ok([200, 201, 202].includes(replayed.status), String(replayed.status));
    assert.equal(replayed.body.data.status, 'PENDING');
    assert.notEqual(replayed.body.data.delivery_id, before.id);
    const after = (await gateway.call('GET', path, { as: holder })).body.data;
    assert.deepEqual([after.status, after.attempts, after.http_status], [before.status, before.attempts, before.http_status]);
  },
  D01: async (gateway) => {
    const delivered = await deliver(gateway, (_request, response) =>
      response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
    );
    assert.deepEqual([delivered.status, delivered.http_status], ['FAILED', 302]);
  },
  D03: async (gateway) => {
    const delivered = await deliver(gateway, () => {});
    assert.deepEqual([delivered.status, delivered.http_status, delivered.error], ['FAILED', null, 'timeout']);
  },
  D05: async (gateway) => {
    const delivered = await deliver(gateway, (_request, response) => {
      const flood = (): void => void (response.destroyed || (response.write(Buffer.alloc(1024 * 1024)), setImmediate(flood)));
      response.writeHead(200);
      flood();
    });
    assert.deepEqual([delivered.status, delivered.http_status], ['DELIVERED', 200]);
    assert.ok(delivered.attempts_log[0].response_excerpt.length <= 16 * 1024);
  },
  // A receiver that speaks no TLS at all stands for every handshake that fails.
  D07: async (gateway) => {
    const delivered = await deliver(gateway, (_request, response) => response.end(), 'https');
    assert.deepEqual([delivered.status, delivered.http_status], ['FAILED', null]);
  },
  D09: async (gateway) => {
    const delivered = await deliver(gateway, (_request, response) => response.writeHead(410).end());
    assert.deepEqual([delivered.status, delivered.http_status], ['FAILED', 410]);
  },
  D11: async (gateway) => {
    let valid = false;
    const delivered = await deliver(gateway, (request, response, secret) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const expected = `sha256=${createHmac('sha256', secret).update(Buffer.concat(chunks)).digest('hex')}`;
        valid = request.headers['x-platform-signature'] === expected && Buffer.concat(chunks).includes('é😀');
        response.end();
      });
    });
    assert.deepEqual([delivered.status, valid], ['DELIVERED', true]);
  },
  D15: async (gateway) => {
    const holder = await gateway.key('both', 'Pending');
    const subscription = await gateway.call('POST', '/v1/api/webhooks/subscriptions', {
      as: holder,
      body: { url: 'http://127.0.0.1:1025/' },
    });
    await gateway.call('POST', `/v1/api/webhooks/subscriptions/${subscription.body.data.id}/test`, {
      as: holder,
      body: { event: 'loan.approved' },
    });
    const [pending] = (await gateway.call('GET', '/v1/api/webhooks/deliveries?status=PENDING', { as: holder })).body.data;
    const replayed = await gateway.call('POST', `/v1/api/webhooks/deliveries/${pending.id}/replay`, { as: holder });
    assert.deepEqual([replayed.status, replayed.body.code], [409, 'NOT_REPLAYABLE']);
  },
  D17: async (gateway, world) => {
    const path = `/v1/api/webhooks/deliveries/${world.names.A_FAILED_DELIVERY}/replay`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => gateway.call('POST', path, { as: world.tokens.A_BOTH as Holder })),
    );
    assert.ok(answers.every((answer) => [200, 201, 202, 409].includes(answer.status)));
  },
  S11: (gateway) => oneRun(gateway),
  // A receiver of one organization is told nothing of another's events.
  T21: async (gateway, world) => {
    const [ours, theirs] = [world.tokens.A_BOTH as Holder, world.tokens.B_BOTH as Holder];
    const before = (await gateway.call('GET', '/v1/api/webhooks/deliveries', { as: ours })).body.pagination.total;
    const fired = await gateway.call('POST', '/v1/sandbox/events', { as: theirs, body: { event: 'loan.approved' } });
    assert.equal(fired.status, 201);
    await gateway.runDeliveries();
    assert.equal((await gateway.call('GET', '/v1/api/webhooks/deliveries', { as: ours })).body.pagination.total, before);
  },
  // The database is gone: the answer is generic and says when to come back.
  M01: async () => {
    const lone = await startGateway();
    const key = await lone.key('both', 'Lone');
    await lone.call('GET', '/v1/api/me', { as: key });
    await lone.deps.db[Symbol.asyncDispose]();
    const answer = await lone.call('GET', '/v1/api/alerts', { as: key });
    assert.ok([500, 503].includes(answer.status));
    assert.doesNotMatch(JSON.stringify(answer.body), /select|postgres|src.features|ECONN/i);
    assert.equal(typeof answer.body.request_id, 'string');
    // Its database is closed already: what is left of it closes all the same.
    await lone[Symbol.asyncDispose]().catch(() => {});
  },
  M09: async (gateway) => {
    for (const path of [
      '/.env',
      '/admin',
      '/v1/api/debug',
      '/v1/internal',
      '/graphql',
      '/v1/api/../../etc/passwd',
      '/swagger.json',
      '/v1/operator',
    ]) {
      assert.ok([401, 404, 405].includes((await gateway.call('GET', path)).status), path);
    }
  },
  ...WORKBOOKS,
  S07: async (gateway) => {
    const holder = await gateway.key('originator', 'Race');
    const { deal_id } = await sendTape(gateway, holder, { loanType: 'Auto', bytes: autoTape(20) });
    const [deleted] = await Promise.all([
      gateway.call('DELETE', `/v1/api/originator/loans/${deal_id}`, { as: holder }),
      gateway.runJobs(),
    ]);
    assert.equal(deleted.status, 409);
    assert.equal((await gateway.call('GET', `/v1/api/originator/loans/${deal_id}`, { as: holder })).body.data.loan_count, 20);
  },
  S03: async (gateway, world) => {
    const { deal_id } = await listDeal(gateway, world.tokens.B_BOTH as Holder, { tranches: [{ balance: 1_000_000 }] });
    const body = { subscription_amount: 15_000 };
    const answers = await Promise.all(
      Array.from({ length: 200 }, () =>
        gateway.call('POST', `/v1/api/investor/deals/${deal_id}/subscribe`, { as: world.tokens.I_INV as Holder, body }),
      ),
    );
    assert.ok(
      answers.every((answer) => [201, 409, 422].includes(answer.status)),
      String([...new Set(answers.map((answer) => answer.status))]),
    );
    assert.ok(answers.filter((answer) => answer.status === 201).length * 15_000 <= 1_000_000);
  },
};

type Handler = (request: IncomingMessage, response: ServerResponse, secret: string) => unknown;

/** Fires one event to a real receiver and tells what became of its delivery. */
async function deliver(gateway: Gateway, handler: Handler, scheme = 'http') {
  const holder = await gateway.key('both', `Receiver ${Math.random()}`);
  let secret = '';
  const receiver = createServer((request, response) => void handler(request, response, secret));
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', () => resolve()));
  try {
    const url = `${scheme}://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    secret = (await gateway.call('POST', '/v1/api/webhooks/subscriptions', { as: holder, body: { url } })).body.data.secret;
    const event = { event: 'document.uploaded', data: { file_name: 'é😀\u2028.pdf' } };
    assert.equal((await gateway.call('POST', '/v1/sandbox/events', { as: holder, body: event })).status, 201);
    await gateway.runDeliveries();
    const [row] = (await gateway.call('GET', '/v1/api/webhooks/deliveries', { as: holder })).body.data;
    return (await gateway.call('GET', `/v1/api/webhooks/deliveries/${row.id}`, { as: holder })).body.data;
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
}

type Ask = { raw: Buffer; headers: Record<string, string> };

async function tooLarge(gateway: Gateway, ask: (bytes: Buffer) => Ask): Promise<void> {
  const holder = await gateway.key('originator', `Large ${Math.random()}`);
  const initiated = await gateway.call('POST', '/v1/api/deals/documents/initiate', { as: holder, body: { fileName: 'w9.pdf' } });
  const { raw, headers } = ask(Buffer.alloc(initiated.body.data.max_bytes + 1));
  const answer = await gateway.call('PUT', new URL(initiated.body.data.upload_url).pathname, {
    raw,
    headers: { ...initiated.body.data.upload_headers, ...headers },
  });
  assert.equal(answer.status, 413);
  const body = { fileName: 'w9.pdf', fileKey: initiated.body.data.file_key };
  assert.equal(
    (await gateway.call('POST', '/v1/api/deals/documents/complete', { as: holder, body })).body.code,
    'FILE_NOT_UPLOADED',
  );
}

function ioi(gateway: Gateway, world: World, who: string, key: string) {
  const path = `/v1/api/investor/deals/${world.names.OPEN_DEAL}/ioi`;
  return gateway.call('POST', path, {
    as: world.tokens[who] as Holder,
    body: { interest_amount: 1_000 },
    headers: { 'idempotency-key': key },
  });
}

/** The same request again, many times at once: one effect, and the stored answer or a conflict for the others. */
/** Twenty runs of one set over one deal at once: one is live, the others are told so, and its counts add up. */
async function oneRun(gateway: Gateway): Promise<void> {
  const holder = await gateway.key('originator', 'Runs');
  const { deal_id } = await sendTape(gateway, holder, { loanType: 'Auto', bytes: autoTape(10) });
  await gateway.runJobs();
  const set = { loan_type: 'Auto', loan_rules: [{ id: 'A', rule: { field: 'credit_score', op: 'gte', value: 625 } }] };
  const { criteria_id } = (await gateway.call('POST', '/v1/api/originator/sc/criteria', { as: holder, body: set })).body.data;
  const run = () => gateway.call('POST', `/v1/api/originator/sc/deals/${deal_id}/run`, { as: holder, body: { criteria_id } });
  const answers = await Promise.all(Array.from({ length: 20 }, run));
  assert.equal(answers.filter((answer) => answer.status === 202).length, 1);
  assert.equal(answers.filter((answer) => answer.status === 409).length, 19);
  await gateway.runJobs();
  const [result] = (await gateway.call('GET', `/v1/api/originator/sc/deals/${deal_id}/results`, { as: holder })).body.data;
  assert.equal(result.passed + result.failed, result.total);
}

async function repeated(gateway: Gateway, world: World, key: string, times: number): Promise<void> {
  const investor = await gateway.key('investor', `Repeats ${key}`);
  const { deal_id } = await listDeal(gateway, world.tokens.B_BOTH as Holder);
  const post = () =>
    gateway.call('POST', `/v1/api/investor/deals/${deal_id}/ioi`, {
      as: investor,
      body: { interest_amount: 1_000 },
      headers: { 'idempotency-key': key },
    });
  const answers = [await post(), ...(await Promise.all(Array.from({ length: times }, post)))];
  assert.ok(answers.every((answer) => [201, 409].includes(answer.status)));
  const ids = new Set(answers.filter((answer) => answer.status === 201).map((answer) => answer.body.data.ioi_id));
  assert.equal(ids.size, 1);
  const again = await post();
  assert.equal(again.headers['idempotency-replayed'], 'true');
  assert.equal((await gateway.call('GET', '/v1/api/investor/iois', { as: investor })).body.pagination.total, 1);
}

/** Refused requests leave the window where its first request put it; past its end a new one starts. */
async function windowIsAnchored(gateway: Gateway): Promise<void> {
  const subject = `anchored ${Math.random()}`;
  const started = async (): Promise<string> =>
    (
      await gateway.deps.limits.direct<{ at: string }>('select started_at::text as at from rate_windows where subject = $1', [
        subject,
      ])
    )[0]?.at ?? '';
  for (let count = 0; count < 100; count += 1) assert.equal((await gateway.deps.rateLimiter.consume(subject, 100)).allowed, true);
  const anchor = await started();
  for (let count = 0; count < 100; count += 1)
    assert.equal((await gateway.deps.rateLimiter.consume(subject, 100)).allowed, false);
  assert.equal(await started(), anchor);
  await gateway.deps.limits.direct(`update rate_windows set started_at = started_at - interval '61 seconds' where subject = $1`, [
    subject,
  ]);
  assert.equal((await gateway.deps.rateLimiter.consume(subject, 100)).allowed, true);
  assert.notEqual(await started(), anchor);
}
