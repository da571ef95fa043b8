import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync, gzipSync, inflateRawSync } from 'node:zlib';
import { openEngine } from '../../src/loans/engine/engine.ts';
import { autoTape } from '../support/tapes.ts';
import { until } from '../support/until.ts';
import { ask, createMachine, issueKey, type Machine, readDeal, type Running, sendTape } from './processes.ts';

const LOANS = '/v1/api/originator/loans';
const SC = '/v1/api/originator/sc';
const ENDED_MS = 120_000;

/** Values that occur nowhere else. */
const CANARIES = ['Zyxquolla', 'Vombatusgasse', 'zyx.quolla', '907-65-43', '(646) 555-73', 'OBLG-QUOLLA', 'Shiftedquolla'];

/** An Auto tape of personal data in recognisable columns, one row of which a stray comma has moved to the right. */
function personalTape(rows: number, name = 'Zyxquolla'): string {
  const bytes = autoTape(rows, (row, index) => {
    const two = String(index % 100).padStart(2, '0');
    row['Borrower Name'] = `Ann${index} ${name}`;
    row.Street = `${index} Vombatusgasse`;
    row.Eta = `zyx.quolla${index}@example.com`;
    row.Theta = `907-65-43${two}`;
    row.Iota = `(646) 555-73${two}`;
    row['Customer ID'] = `OBLG-QUOLLA-${index % 7}`;
  });
  const lines = bytes.trimEnd().split('\n');
  lines[3] = `Shiftedquolla,${lines[3]}`;
  return `${lines.join('\n')}\n`;
}

/** Each canary in the forms in which bytes may hold it. */
const FORMS = CANARIES.flatMap((canary) => [
  ...[canary, canary.toUpperCase()].flatMap((text) => [
    Buffer.from(text),
    Buffer.from(text, 'utf16le'),
    Buffer.from(Buffer.from(text).toString('hex')),
  ]),
  // At each of the three places that a text can have in base64, without the characters that its neighbours change.
  ...[0, 1, 2].map((shift) =>
    Buffer.from(
      Buffer.from(`${'x'.repeat(shift)}${canary}`)
        .toString('base64')
        .slice(shift === 0 ? 0 : shift + 1)
        .replace(/.{0,3}=*$/, ''),
    ),
  ),
]);

async function findCanaries(directories: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  const holds = (bytes: Buffer): boolean => FORMS.some((form) => bytes.includes(form));
  for (const directory of directories)
    for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (!entry.isFile()) continue;
      const bytes = readFileSync(path);
      if (holds(bytes) || unpacked(bytes).some(holds) || (await parquetTexts(path, bytes)).some(holds)) found.push(path);
    }
  return found;
}

/** What is packed in a file with gzip or in the entries of a ZIP archive. */
function unpacked(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  const attempt = (unpack: () => Buffer) => {
    try {
      parts.push(unpack());
    } catch {
      // The bytes only look like a packed file.
    }
  };
  for (let at = bytes.indexOf('\x1f\x8b\x08', 0, 'latin1'); at >= 0; at = bytes.indexOf('\x1f\x8b\x08', at + 1, 'latin1'))
    attempt(() => gunzipSync(bytes.subarray(at)));
  for (let at = bytes.indexOf('PK\x03\x04', 0, 'latin1'); at >= 0; at = bytes.indexOf('PK\x03\x04', at + 1, 'latin1'))
    attempt(() => inflateRawSync(bytes.subarray(at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28))));
  return parts;
}

async function parquetTexts(path: string, bytes: Buffer): Promise<Buffer[]> {
  if (bytes.subarray(0, 4).toString('latin1') !== 'PAR1') return [];
  await using engine = await openEngine({ workDir: dirname(path), allowedDirectories: [dirname(path)], memoryLimit: '256MB' });
  const rows = await engine.rows(`SELECT * FROM read_parquet('${path}')`);
  const manifest = await engine.rows(`SELECT decode(value) AS text FROM parquet_kv_metadata('${path}')`);
  return [Buffer.from(JSON.stringify([rows, manifest]))];
}

async function checked(gateway: Running, token: string, dealId: string): Promise<void> {
  await until(
    async () => !['RUNNING', undefined].includes((await readDeal(gateway, token, dealId)).qc?.state),
    ENDED_MS,
    'the end of the checks',
  );
}

const fileOf = (gateway: Running, token: string, dealId: string, version: number) =>
  fetch(new URL(`${LOANS}/${dealId}/tapes/${version}/file`, gateway.address), { headers: { authorization: `Bearer ${token}` } });

/** Everything on the disk of the machine but its keys. */
const disk = (machine: Machine): string[] =>
  readdirSync(machine.dataDir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'secrets')
    .map((entry) => join(machine.dataDir, entry.name));

test('the search finds a canary in whatever form it is written', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-canary-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  await using engine = await openEngine({ workDir: folder, allowedDirectories: [folder] });
  const text = 'about Ann3 Zyxquolla and others';
  const write = (name: string, bytes: string | Buffer) => writeFileSync(join(folder, name), bytes);
  write('plain', text);
  write('wide', Buffer.from(text, 'utf16le'));
  write('hex', Buffer.from(text).toString('hex'));
  for (const shift of [0, 1, 2]) write(`base64-${shift}`, Buffer.from(text.slice(shift)).toString('base64'));
  write('gzip', Buffer.concat([Buffer.from('before'), gzipSync(text)]));
  await engine.run(
    `COPY (SELECT 'Ann3 Zyxquolla' AS name FROM range(1000)) TO '${folder}/file.parquet' (FORMAT parquet, COMPRESSION zstd)`,
  );
  write('other', 'nothing of it');
  const found = (await findCanaries([folder])).map((path) => basename(path)).sort();
  assert.deepEqual(found, ['base64-0', 'base64-1', 'base64-2', 'file.parquet', 'gzip', 'hex', 'plain', 'wide']);
});

test('personal data on a tape', async (t) => {
  await using machine = createMachine({ LOG_LEVEL: 'trace' });
  const backups = mkdtempSync(join(tmpdir(), 'sluice-sealed-'));
  t.after(() => rmSync(backups, { recursive: true, force: true }));
  const gateway = await machine.start(['serve']);
  const [token, stranger, operator] = [
    await issueKey(machine, 'originator', 'Owner'),
    await issueKey(machine, 'originator', 'Stranger'),
    await issueKey(machine, 'operator', 'Platform'),
  ];
  const call = (method: string, path: string, body?: unknown) => ask(gateway, method, path, { token, body });
  const sent = personalTape(60);
  const dealId = await sendTape(gateway, token, sent);
  await checked(gateway, token, dealId);
  const mapping = (await call('GET', `${LOANS}/${dealId}/mapping`)).body.data;
  const early = join(backups, 'early');

  await t.test('is recognised by header and by content, and marked in the mapping', () => {
    assert.deepEqual(mapping.sealed.map(({ source, sealed }: { source: string; sealed: boolean }) => [source, sealed]).sort(), [
      ['Borrower Name', true],
      ['Customer ID', true],
      ['Eta', true],
      ['Iota', true],
      ['Street', true],
      ['Theta', true],
    ]);
  });

  await t.test('is on no disk, in no database, log, list, file or backup in any form', async () => {
    const saved = await call('POST', `${SC}/criteria`, {
      loan_type: 'Auto',
      loan_rules: [{ id: 'SCORE', rule: { field: 'credit_score', op: 'gte', value: 640 } }],
      pool_tests: [{ id: 'OBLIGOR', type: 'concentration', group_by: ['obligor_id'], op: 'lte', value: 0.05 }],
    });
    assert.equal(saved.status, 201, JSON.stringify(saved.body));
    const criteria = saved.body.data.criteria_id;
    const run = (await call('POST', `${SC}/deals/${dealId}/run`, { criteria_id: criteria })).body.data.sc_job_id;
    await until(async () => (await call('GET', `${SC}/jobs/${run}`)).body.data.status === 'COMPLETED', ENDED_MS, 'the run');
    const asked = await call('POST', `${SC}/criteria`, {
      loan_type: 'Auto',
      loan_rules: [{ id: 'NAME', rule: { field: 'theta', op: 'not_null' } }],
      custom_fields: { theta: 'string' },
    });
    assert.equal(asked.status, 201, JSON.stringify(asked.body));
    const refused = await call('POST', `${SC}/deals/${dealId}/run`, { criteria_id: asked.body.data.criteria_id });
    assert.deepEqual(
      [refused.status, refused.body.code, refused.body.errors[0].field],
      [422, 'SEALED_FIELD', 'custom_fields.theta'],
    );
    const approved = await ask(gateway, 'POST', `/v1/operator/deals/${dealId}/approve`, { token: operator, body: {} });
    assert.equal(approved.status, 200, JSON.stringify(approved.body));
    const pool = await call('POST', '/v1/api/originator/pools', {
      name: 'Pool',
      deal_ids: [dealId],
      cut_off_date: '2026-11-30',
      closing_date: '2026-12-15',
    });
    assert.equal(pool.status, 201, JSON.stringify(pool.body));
    const exceptions = (await call('GET', `${SC}/jobs/${run}`)).body.data.exception_file_id;
    const paths = [
      `${LOANS}/${dealId}`,
      `${LOANS}/${dealId}/mapping`,
      `${LOANS}/${dealId}/loans?limit=100`,
      `${LOANS}/${dealId}/issues?limit=100`,
      `${LOANS}/${dealId}/issues/file?format=csv`,
      `${LOANS}/${dealId}/tapes`,
      `${SC}/jobs/${run}`,
      `${SC}/jobs/${run}/loans?limit=100`,
      ...['csv', 'json'].map((format) => `${SC}/exceptions/${exceptions}/download?format=${format}`),
      '/v1/api/events?limit=100',
      '/v1/api/alerts?limit=100',
      '/v1/api/audit?limit=100',
    ];
    for (const path of paths) {
      const response = await fetch(new URL(path, gateway.address), { headers: { authorization: `Bearer ${token}` } });
      const text = await response.text();
      assert.equal(response.status, 200, `${path}: ${text.slice(0, 300)}`);
      for (const canary of CANARIES) assert.ok(!text.includes(canary), `${path} has ${canary}`);
    }
    const made = await machine.run(['backup', early]);
    assert.equal(made.code, 0, made.stderr);
    assert.deepEqual(JSON.parse(made.stdout).problems, []);
    assert.deepEqual(await findCanaries([...disk(machine), backups]), []);
    for (const output of [gateway.stdout(), gateway.stderr()])
      for (const canary of CANARIES) assert.ok(!output.includes(canary), `the log has ${canary}`);
  });

  await t.test('groups the loans of an obligor by a token that only the platform can make', async () => {
    const { data } = (await call('GET', `${LOANS}/${dealId}/loans?limit=100`)).body;
    const tokens = new Set(data.map(({ obligor_id }: { obligor_id: string }) => obligor_id));
    assert.equal(tokens.size, 7);
    for (const each of tokens) assert.match(String(each), /^obl_[0-9a-f]{24}$/);
  });

  await t.test('opens to its owner’s download, byte by byte, which is on record, and to nobody else', async () => {
    const response = await fileOf(gateway, token, dealId, 1);
    assert.deepEqual([response.status, await response.text()], [200, sent]);
    assert.equal((await fileOf(gateway, stranger, dealId, 1)).status, 404);
    const entries = (await call('GET', `/v1/api/audit?entity_id=${dealId}&limit=100`)).body.data;
    assert.ok(entries.some(({ action }: { action: string }) => action === 'tape.downloaded'));
  });

  await t.test('is gone for good once its owner has it destroyed, and stays so when an older backup is restored', async () => {
    const destroyed = (await call('DELETE', `${LOANS}/${dealId}/personal-data`)).body.data;
    assert.deepEqual(destroyed.versions, [1]);
    const response = await fileOf(gateway, token, dealId, 1);
    assert.deepEqual([response.status, ((await response.json()) as { code: string }).code], [410, 'PERSONAL_DATA_DESTROYED']);
    assert.deepEqual((await call('DELETE', `${LOANS}/${dealId}/personal-data`)).body.data.versions, []);
    const issues = await fetch(new URL(`${LOANS}/${dealId}/issues/file?format=csv`, gateway.address), {
      headers: { authorization: `Bearer ${token}` },
    });
    const text = await issues.text();
    assert.match(text, /\[destroyed\]/);
    assert.doesNotMatch(text, /\[sealed\]/);
    gateway.signal('SIGTERM');
    await gateway.exited;
    await using other = createMachine();
    // The object store and the keys outlived the database.
    const kept = ['objects', 'secrets'];
    for (const name of kept) cpSync(join(machine.dataDir, name), join(other.dataDir, name), { recursive: true });
    const restored = await other.run(['restore', early]);
    assert.equal(restored.code, 0, restored.stderr);
    assert.deepEqual(JSON.parse(restored.stdout).destructions, { listed: 1, destroyed: 1 });
    const again = await other.start(['serve']);
    assert.equal((await fileOf(again, token, dealId, 1)).status, 410);
    assert.equal((await readDeal(again, token, dealId)).loan_count, 59);
    assert.deepEqual(await findCanaries(disk(other)), []);
  });

  await t.test('is told by the doctor, and destroyed by a command, where the database alone was taken back', async () => {
    await using taken = createMachine();
    cpSync(join(machine.dataDir, 'secrets'), join(taken.dataDir, 'secrets'), { recursive: true });
    assert.equal((await taken.run(['restore', early])).code, 0);
    // A store that went on: it has the list that the database is older than.
    cpSync(join(machine.dataDir, 'objects', 'destructions'), join(taken.dataDir, 'objects', 'destructions'), { recursive: true });
    const warned = async (): Promise<string[]> =>
      (await taken.run(['doctor'])).stdout.split('\n').filter((line) => line.startsWith('WARN  destructions'));
    assert.match(
      (await warned()).join(),
      new RegExp(`earlier moment or the request was not carried out, of ${dealId}: run sluice destructions apply$`),
    );
    const applied = await taken.run(['destructions', 'apply']);
    assert.deepEqual([applied.code, JSON.parse(applied.stdout)], [0, { listed: 1, destroyed: 1, failures: [] }], applied.stderr);
    assert.deepEqual(await warned(), []);
    const gateway = await taken.start(['serve']);
    assert.equal((await fileOf(gateway, token, dealId, 1)).status, 410);
  });
});
