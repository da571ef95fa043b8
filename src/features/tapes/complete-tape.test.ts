import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { startGateway, codeOf } from '../../../test/support/gateway.ts';
import { autoTape, CSV, PARQUET, put, seller, type Seller, waitingJobs, XLSX } from '../../../test/support/tapes.ts';
import { parquetOf } from '../../loans/reading/testing/parquet-for-test.ts';
import { asId } from '../../platform/ids.ts';
import { checkUploadedTape, completeTape } from './complete-tape.ts';
import { tapeErrorCode } from './probe-file.ts';

/** A refused completion leaves a DRAFT without a tape, an entry of the audit log or an event. */
async function untouched({ deal, call, audited, events }: Seller, dealId: string): Promise<void> {
  assert.equal((await deal(dealId)).status, 'DRAFT');
  assert.deepEqual((await call('GET', `/${dealId}/tapes`)).body.data, []);
  assert.deepEqual([await audited(dealId), await events(dealId)], [[], []]);
}

test('completing an upload', async (t) => {
  await using gateway = await startGateway();

  await t.test('pins the file as version 1, moves the deal to IN_REVIEW and queues its checks, all at once', async () => {
    const ours = await seller(gateway, 'Completer');
    const bytes = autoTape(7);
    const dealId = await ours.uploaded(bytes);
    const before = await waitingJobs(gateway);
    const completed = await ours.complete(dealId);
    const { job_id, id, deal_id, status } = completed.body.data;
    assert.deepEqual([completed.status, id, deal_id, status], [202, dealId, dealId, 'IN_REVIEW']);
    assert.match(job_id, /^job_/);
    assert.equal((await waitingJobs(gateway)) - before, 1);
    const [version, ...more] = (await ours.call('GET', `/${dealId}/tapes`)).body.data;
    assert.deepEqual(more, []);
    assert.deepEqual(
      [version.version, version.file_name, version.format, version.mode, version.size, version.state, version.completed_at],
      [1, 'tape.csv', 'csv', 'REPLACE', Buffer.byteLength(bytes), 'RUNNING', null],
    );
    const { history } = await ours.deal(dealId);
    assert.deepEqual(
      history.map((each: Record<string, unknown>) => [each.from, each.to, each.actor]),
      [
        [null, 'DRAFT', ours.as.key_id],
        ['DRAFT', 'IN_REVIEW', ours.as.key_id],
      ],
    );
    assert.deepEqual(
      (await ours.events(dealId)).map(({ event, data: of }) => [event, of.previous_status, of.current_status]),
      [['deal.status_changed', 'DRAFT', 'IN_REVIEW']],
    );
    const [entry, ...others] = await ours.audited(dealId);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [entry?.action, entry?.actor, entry?.after],
      ['tape.completed', ours.as.key_id, { status: 'IN_REVIEW', job_id }],
    );
    assert.deepEqual(
      (await ours.alerts(dealId)).map(({ type, priority }) => [type, priority]),
      [['deal.status_changed', 'LOW']],
    );
  });

  await t.test('happens once, however often it is asked for at once', async () => {
    const ours = await seller(gateway, 'Hasty');
    const dealId = await ours.uploaded();
    const before = await waitingJobs(gateway);
    const answers = await Promise.all(Array.from({ length: 6 }, () => ours.complete(dealId)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 409, 409, 409, 409, 409]);
    assert.equal((await waitingJobs(gateway)) - before, 1);
    assert.equal((await ours.call('GET', `/${dealId}/tapes`)).body.data.length, 1);
    assert.equal((await ours.events(dealId)).length, 1);
  });

  await t.test('of an upload that was completed is refused: with its status, and its address takes no more bytes', async () => {
    const { initiate, complete } = await seller(gateway, 'Repeater');
    const initiated = await initiate();
    await put(gateway, initiated, autoTape(5));
    const dealId = initiated.body.data.deal_id;
    await complete(dealId);
    const again = await complete(dealId);
    assert.deepEqual(
      [...codeOf(again), again.body.current_status, again.body.allowed],
      [409, 'INVALID_TRANSITION', 'IN_REVIEW', ['DRAFT']],
    );
    assert.deepEqual(codeOf(await put(gateway, initiated, 'x')), [409, 'ALREADY_COMPLETED']);
    await gateway.runJobs();
    assert.deepEqual([...codeOf(await complete(dealId))], [409, 'INVALID_TRANSITION']);
  });

  await t.test('needs the file name of the initiate, to the letter', async () => {
    const ours = await seller(gateway, 'Misnamer');
    const dealId = await ours.uploaded();
    for (const fileName of ['other.csv', 'Tape.csv', 'tape.csv ', 'tape']) {
      const refused = await ours.complete(dealId, fileName);
      assert.deepEqual([...codeOf(refused), refused.body.errors?.[0].field], [400, 'FILE_NAME_MISMATCH', 'fileName'], fileName);
    }
    await untouched(ours, dealId);
    assert.equal((await ours.complete(dealId)).status, 202);
  });

  await t.test('is its originator’s: to others the deal is not there', async () => {
    const [ours, theirs] = [await seller(gateway, 'Owner'), await seller(gateway, 'Thief')];
    const dealId = await ours.uploaded();
    assert.deepEqual(codeOf(await theirs.complete(dealId)), [404, 'NOT_FOUND']);
    assert.deepEqual(codeOf(await theirs.complete('deal_none')), [404, 'NOT_FOUND']);
    await untouched(ours, dealId);
  });

  await t.test(
    'is refused for a file that is absent, empty, without rows or unreadable, and the deal stays a DRAFT',
    async () => {
      const ours = await seller(gateway, 'Sender');
      const initiated = await ours.initiate();
      const dealId = initiated.body.data.deal_id;
      const before = await waitingJobs(gateway);
      const cases: [string, Buffer | string | null][] = [
        ['FILE_NOT_UPLOADED', null],
        ['EMPTY_FILE', ''],
        ['NO_LOAN_ROWS', 'Loan ID,LoanAmount\n'],
        ['UNREADABLE_FILE', Buffer.from('504b0304140000000000', 'hex')],
      ];
      for (const [code, bytes] of cases) {
        if (bytes !== null) assert.equal((await put(gateway, initiated, bytes)).status, 200);
        assert.deepEqual(codeOf(await ours.complete(dealId)), [422, code]);
        await untouched(ours, dealId);
      }
      assert.equal(await waitingJobs(gateway), before);
      await put(gateway, initiated, autoTape(3));
      assert.equal((await ours.complete(dealId)).status, 202, 'a better file may follow');
    },
  );

  await t.test('reads a file as what it is: a CSV that is called a workbook has a finding', async () => {
    const ours = await seller(gateway, 'Formats');
    const dealId = await ours.uploaded(autoTape(3), { fileFormat: XLSX, fileName: 'tape.csv' });
    assert.equal((await ours.complete(dealId)).status, 202);
    await gateway.runJobs();
    const [issue] = (await ours.call('GET', `/${dealId}/issues`)).body.data;
    assert.deepEqual([(await ours.deal(dealId)).loan_count, issue.rule_id, issue.actual], [3, 'FORMAT_DIFFERS', 'csv']);
  });

  await t.test('takes Parquet and packed CSV, as the first tape and as a version of it', async () => {
    const ours = await seller(gateway, 'Lake');
    const send = async (fileFormat: string, fileName: string, bytes: Buffer, dealId?: string) => {
      const request = { fileFormat, fileName, fileSize: bytes.length };
      const opened = await ours.call('POST', dealId ? `/${dealId}/tapes` : '/initiate', {
        ...request,
        ...(!dealId && { loanType: 'Auto' }),
      });
      assert.equal(opened.status, 201, JSON.stringify(opened.body));
      assert.equal((await put(gateway, opened, bytes)).status, 200);
      const { deal_id } = opened.body.data;
      assert.equal((await ours.complete(deal_id, fileName)).status, 202);
      await gateway.runJobs();
      return ours.deal(deal_id);
    };
    const lake = await parquetOf(
      `SELECT 'L' || i AS loan_id, 20000.50::DECIMAL(18,2) AS original_balance, 100.25::DECIMAL(18,2) AS current_balance FROM range(4) t(i)`,
    );
    const first = await send(PARQUET, 'auto.parquet', lake);
    assert.deepEqual([first.name, first.status, first.loan_count, first.total_balance], ['auto', 'QC_COMPLETED', 4, 401]);
    const next = await send(CSV, 'auto.csv.gz', gzipSync(autoTape(5)), first.id);
    assert.deepEqual([next.status, next.loan_count, next.tape_version], ['QC_COMPLETED', 5, 2]);
    const refreshed = await ours.initiate({ fileName: 'auto.csv.gz' });
    assert.equal((await ours.deal(refreshed.body.data.deal_id)).name, 'auto');
    const patched = await ours.call('PATCH', `/${refreshed.body.data.deal_id}`, {
      fileFormat: PARQUET,
      fileName: 'auto.parquet',
    });
    assert.deepEqual(
      [patched.body.data.upload_headers, patched.body.data.max_bytes],
      [{ 'content-type': PARQUET }, 512 * 1024 * 1024],
    );
  });

  await t.test('refuses a file that is not what a tape can be, in a sentence that names it', async () => {
    const ours = await seller(gateway, 'Other files');
    const damaged = await parquetOf('SELECT 1 AS loan_id, 2 AS balance');
    damaged.fill(0x55, 4, damaged.length - 8);
    const cases: [Buffer | string, RegExp][] = [
      ['[{"loan_id":"A1","balance":100}]', /^This is a JSON document\./],
      [Buffer.from(`d0cf11e0a1b11ae1${'00'.repeat(600)}`, 'hex'), /legacy Office file.*Save it as \.xlsx or CSV/],
      [damaged, /^The Parquet file cannot be read: it is damaged/],
      [gzipSync(Buffer.alloc(64 * 1024 * 1024, 'a,b\n')), /expands to more than 150 times its size/],
    ];
    const initiated = await ours.initiate({ fileFormat: PARQUET });
    for (const [bytes, message] of cases) {
      await put(gateway, initiated, bytes);
      const refused = await ours.complete(initiated.body.data.deal_id);
      assert.deepEqual(codeOf(refused), [422, 'UNREADABLE_FILE']);
      assert.match(refused.body.message ?? '', message);
      await untouched(ours, initiated.body.data.deal_id);
    }
  });

  await t.test('takes no file whose bytes in the store are not those that were sent', async () => {
    const ours = await seller(gateway, 'Damaged');
    const dealId = await ours.uploaded(autoTape(5));
    const [row] = await gateway.deps.db.tx({ organization: ours.as.organization_id }, (tx) =>
      tx.rows<{ object_key: string }>('select object_key from uploads where deal_id = $1', [dealId]),
    );
    const path = join(gateway.deps.config.dataDir, 'objects', row?.object_key ?? '');
    writeFileSync(path, autoTape(5).replace('A000001', 'B000001'));
    assert.deepEqual(codeOf(await ours.complete(dealId)), [422, 'FILE_NOT_UPLOADED']);
    await gateway.deps.store.delete(row?.object_key ?? '');
    assert.deepEqual(codeOf(await ours.complete(dealId)), [422, 'FILE_NOT_UPLOADED']);
    await untouched(ours, dealId);
  });

  await t.test('takes the file that was checked: one that arrived since is completed by a request of its own', async () => {
    const ours = await seller(gateway, 'Resender');
    const initiated = await ours.initiate();
    const dealId = asId('deal', initiated.body.data.deal_id);
    const request = { dealId, fileName: 'tape.csv' };
    await put(gateway, initiated, autoTape(5));
    const checked = await checkUploadedTape(gateway.deps, ours.as, request);
    await put(gateway, initiated, autoTape(6));
    const stale = gateway.deps.db.tx({ organization: ours.as.organization_id }, (tx) =>
      completeTape(tx, ours.as, { ...request, checked }, gateway.deps),
    );
    await assert.rejects(stale, { code: 'CONFLICT' });
    await untouched(ours, dealId);
    assert.equal((await ours.complete(dealId)).status, 202);
  });

  await t.test('asks for both of its fields', async () => {
    const { call } = await seller(gateway, 'Terse');
    for (const [body, field] of [
      [{ fileName: 'tape.csv' }, 'dealId'],
      [{ dealId: 'deal_none' }, 'fileName'],
      [{ dealId: 7, fileName: 'tape.csv' }, 'dealId'],
    ] as const) {
      const refused = await call('POST', '/complete', body);
      assert.deepEqual([refused.status, refused.body.errors?.[0].field], [400, field]);
    }
  });
});

test('problems of files have few codes: what is too large is 413, and whatever else is wrong cannot be read', () => {
  assert.equal(tapeErrorCode('EMPTY_FILE'), 'EMPTY_FILE');
  assert.equal(tapeErrorCode('NO_LOAN_ROWS'), 'NO_LOAN_ROWS');
  for (const code of ['TOO_LARGE', 'TOO_MANY_ROWS']) assert.equal(tapeErrorCode(code), 'PAYLOAD_TOO_LARGE');
  for (const code of ['UNREADABLE_FILE', 'ENCRYPTED', '']) assert.equal(tapeErrorCode(code), 'UNREADABLE_FILE');
});
