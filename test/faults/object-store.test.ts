import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Gateway, type Holder, startGateway } from '../support/gateway.ts';
import { startS3 } from '../support/s3.ts';
import { autoTape, CSV, put, sendTape } from '../support/tapes.ts';

const LOANS = '/v1/api/originator/loans';

test('a gateway whose files are in an S3 service', async (t) => {
  await using s3 = await startS3();
  await using gateway = await startGateway({ SLUICE_STORAGE_URL: s3.url });
  const originator = await gateway.key('originator', 'Originator');
  const late = await gateway.key('originator', 'Late');
  let deal = '';

  await t.test('takes a tape from its address to its findings, with every file of it in the service', async () => {
    const bytes = autoTape(60, (row, index) => {
      if (index < 3) row['Original Amount Financed'] = '0';
    });
    const sent = await sendTape(gateway, originator, { loanType: 'Auto', bytes });
    assert.equal(sent.completed.status, 202, JSON.stringify(sent.completed.body));
    await gateway.runJobs();
    deal = sent.deal_id;
    const seen = (await gateway.call('GET', `${LOANS}/${deal}`, { as: originator })).body.data;
    assert.deepEqual([seen.status, seen.qc.rows, seen.qc.accepted, seen.qc.rejected], ['QC_COMPLETED', 60, 57, 3]);
    const loans = await gateway.call('GET', `${LOANS}/${deal}/loans?limit=1`, { as: originator });
    assert.deepEqual([loans.body.pagination.total, loans.body.data[0].loan_id], [57, 'A000004']);
    const issues = await gateway.call('GET', `${LOANS}/${deal}/issues?severity=ERROR`, { as: originator });
    assert.equal(issues.body.pagination.total, 3);
    assert.deepEqual(
      s3
        .keys()
        .map((key) => key.split('/').at(-1))
        .filter((name) => name?.endsWith('.parquet'))
        .sort(),
      ['issues.parquet', 'loans.parquet', 'raw.parquet'],
    );
  });

  await t.test('takes a second version of it and tells the difference', async () => {
    const body = { fileName: 'next.csv', fileFormat: CSV };
    const initiated = await gateway.call('POST', `${LOANS}/${deal}/tapes`, { as: originator, body });
    assert.equal((await put(gateway, initiated, autoTape(61))).status, 200);
    const completed = await gateway.call('POST', `${LOANS}/complete`, {
      as: originator,
      body: { dealId: deal, fileName: 'next.csv' },
    });
    assert.equal(completed.status, 202, JSON.stringify(completed.body));
    await gateway.runJobs();
    const diff = await gateway.call('GET', `${LOANS}/${deal}/tapes/2/diff?against=1`, { as: originator });
    assert.equal(diff.status, 200, JSON.stringify(diff.body));
    assert.equal(diff.body.data.added, 4);
  });

  await t.test(
    'asks to come again while the service is down, says that it is not ready, and goes on by itself afterwards',
    async () => {
      const initiated = await gateway.call('POST', `${LOANS}/initiate`, {
        as: late,
        body: { loanType: 'Auto', fileFormat: CSV, fileName: 'late.csv' },
      });
      await s3.stop();
      for (const answer of [
        await put(gateway, initiated, autoTape(5)),
        await put(gateway, initiated, autoTape(100_000)),
        await uncached(gateway, originator, deal),
      ]) {
        assert.equal(answer.status, 503, JSON.stringify(answer.body));
        assert.equal(answer.body.code, 'UNAVAILABLE');
        assert.ok(Number(answer.headers['retry-after']) >= 1);
      }
      const ready = await gateway.call('GET', '/readyz');
      assert.deepEqual([ready.status, ready.body.checks.storage], [503, false]);
      await s3.start();
      assert.equal((await gateway.call('GET', '/readyz')).status, 200);
      assert.equal((await put(gateway, initiated, autoTape(5))).status, 200);
      assert.equal((await uncached(gateway, originator, deal)).status, 200);
    },
  );

  await t.test('leaves a tape for another try when the service is down while its checks run', async () => {
    const fileName = 'late.csv';
    const drafts = (await gateway.call('GET', `${LOANS}?status=DRAFT`, { as: late })).body.data;
    const completed = await gateway.call('POST', `${LOANS}/complete`, { as: late, body: { dealId: drafts[0].id, fileName } });
    assert.equal(completed.status, 202, JSON.stringify(completed.body));
    await s3.stop();
    await assert.rejects(gateway.runJobs(), /does not respond/);
    const seen = (await gateway.call('GET', `${LOANS}/${drafts[0].id}`, { as: late })).body.data;
    assert.deepEqual([seen.status, seen.qc.state], ['IN_REVIEW', 'RUNNING']);
    await s3.start();
  });
});

for (const sealed of [false, true]) {
  test(`a ${sealed ? 'sealed' : 'waiting'} tape arrives whole at a reader that stalls, whatever becomes of the service meanwhile`, async () => {
    await using s3 = await startS3();
    await using gateway = await startGateway({ SLUICE_STORAGE_URL: s3.url });
    const originator = await gateway.key('originator');
    // More than the buffers of both ends of a connection hold.
    const bytes = autoTape(16, (row) => {
      row['Notes'] = 'x'.repeat(1024 * 1024);
    });
    const { deal_id } = await sendTape(gateway, originator, { loanType: 'Auto', bytes });
    if (sealed) await gateway.runJobs();
    await gateway.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = gateway.app.server.address() as AddressInfo;
    const outgoing = request({
      host: '127.0.0.1',
      port,
      agent: false,
      path: `${LOANS}/${deal_id}/tapes/1/file`,
      headers: { authorization: `Bearer ${originator.token}` },
    }).end();
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    assert.equal(response.statusCode, 200);
    await s3.stop();
    assert.equal(sha256(Buffer.concat(await Array.fromAsync(response as AsyncIterable<Buffer>))), sha256(Buffer.from(bytes)));
    assert.deepEqual(
      readdirSync(gateway.deps.workDir).filter((name) => name.startsWith('tape-')),
      [],
    );
  });
}

for (const kind of ['local', 'S3'] as const) {
  test(`an upload that grows over its limit is answered 413 and not merely cut, and nothing of it is kept (${kind} files)`, async () => {
    await using s3 = await startS3();
    await using gateway = await startGateway(kind === 'S3' ? { SLUICE_STORAGE_URL: s3.url } : {});
    const originator = await gateway.key('originator');
    const initiated = await gateway.call('POST', `${LOANS}/initiate`, {
      as: originator,
      body: { loanType: 'Auto', fileFormat: CSV, fileName: 'large.csv' },
    });
    await gateway.deps.db.tx({ platform: true }, (tx) => tx.exec('update uploads set max_bytes = 100000'));
    const answer = await sendInPieces(gateway, initiated.body.data, 40, 64 * 1024);
    assert.deepEqual([answer.status, answer.code], [413, 'PAYLOAD_TOO_LARGE']);
    const body = { dealId: initiated.body.data.deal_id, fileName: 'large.csv' };
    assert.equal((await gateway.call('POST', `${LOANS}/complete`, { as: originator, body })).body.code, 'FILE_NOT_UPLOADED');
    assert.deepEqual(s3.keys(), []);
  });
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** A read of a file that this process has no copy of any more. */
async function uncached(gateway: Gateway, holder: Holder, deal: string) {
  rmSync(join(gateway.deps.config.dataDir, 'cache'), { recursive: true, force: true });
  return gateway.call('GET', `${LOANS}/${deal}/loans?limit=1`, { as: holder });
}

/** Sends a body without saying its length, as a client that streams does; the answer, also when it comes before the end. */
async function sendInPieces(
  gateway: Gateway,
  initiated: { upload_url: string; upload_headers: Record<string, string> },
  pieces: number,
  bytes: number,
): Promise<{ status: number; code: string }> {
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = gateway.app.server.address() as AddressInfo;
  const outgoing = request({
    host: '127.0.0.1',
    port,
    agent: false,
    method: 'PUT',
    path: new URL(initiated.upload_url).pathname,
    headers: initiated.upload_headers,
  });
  const answered = new Promise<{ status: number; code: string }>((resolve, reject) => {
    outgoing.on('error', reject).on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (more: string) => {
        text += more;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, code: JSON.parse(text).code }));
    });
  });
  for (let piece = 0; piece < pieces && !outgoing.destroyed; piece += 1) {
    await new Promise((resolve) => outgoing.write(randomBytes(bytes), resolve));
  }
  outgoing.end();
  return answered;
}
