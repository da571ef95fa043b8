import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Gateway, startGateway } from '../test/support/gateway.ts';
import { seller } from '../test/support/tapes.ts';
import { start } from './commands/serve.ts';
import { doctor } from './commands/doctor.ts';
import { checkEncryptionKey, takeEncryptionKey } from './encryption-key.ts';
import { forgetKeyMark } from './platform/db/key-mark.ts';
import { createSecretBox } from './platform/secret-box.ts';

const REFUSED = /SLUICE_ENCRYPTION_KEY is not the encryption key under which this database is sealed/;
const [OWN, OTHER] = ['a'.repeat(43), 'b'.repeat(43)];

const withKey = ({ deps }: Gateway, encryptionKey: string) => ({
  ...deps,
  config: { ...deps.config, encryptionKey },
  secrets: createSecretBox(encryptionKey),
});

test('the encryption key of a database', async (t) => {
  await t.test('is the one of the first start: with another no part starts and the doctor fails', async () => {
    await using gateway = await startGateway({ SLUICE_ENCRYPTION_KEY: OWN, PORT: '0', SLUICE_METRICS_LISTEN: 'off' });
    const { config, db } = gateway.deps;
    const parts = { api: true, worker: false };
    const begin = async (each: typeof config, which = parts) => (await start(each, which)).stop();
    await begin(config);
    await begin(config);
    const other = { ...config, encryptionKey: OTHER };
    await assert.rejects(begin(other), REFUSED);
    await assert.rejects(begin(other, { api: false, worker: true }), REFUSED);
    const lines: string[] = [];
    const look = (key: string) =>
      doctor({ DATABASE_URL: config.databaseUrl ?? '', SLUICE_DATA_DIR: config.dataDir, SLUICE_ENCRYPTION_KEY: key }, (line) =>
        lines.push(line),
      );
    assert.equal(await look(OTHER), 1);
    assert.match(lines.find((line) => line.startsWith('FAIL')) ?? '', REFUSED);
    assert.equal(await look(OWN), 0);
    await db.tx({ platform: true }, forgetKeyMark);
    await takeEncryptionKey(withKey(gateway, OTHER));
    await assert.rejects(takeEncryptionKey(gateway.deps), REFUSED);
  });

  await t.test('is, of two first starts at once with different ones, that of one', async () => {
    await using gateway = await startGateway({ SLUICE_ENCRYPTION_KEY: OWN });
    const starts = await Promise.allSettled([OWN, OTHER].map((key) => takeEncryptionKey(withKey(gateway, key))));
    assert.deepEqual(starts.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    const [index] = starts.flatMap(({ status }, at) => (status === 'fulfilled' ? [at] : []));
    await checkEncryptionKey(withKey(gateway, [OWN, OTHER][index ?? 0] ?? ''));
  });

  await t.test('is, of one from before the mark, the one that sealed its tapes or its webhook secrets', async () => {
    for (const sealed of ['tape', 'webhook']) {
      await using gateway = await startGateway({ SLUICE_ENCRYPTION_KEY: OWN });
      const ours = await seller(gateway, 'Earlier');
      if (sealed === 'tape') await ours.checked();
      else {
        const body = { url: 'https://receiver.example/hook' };
        const made = await gateway.call('POST', '/v1/api/webhooks/subscriptions', { as: ours.as, body });
        assert.equal(made.status, 201, made.text);
      }
      await assert.rejects(checkEncryptionKey(withKey(gateway, OTHER)), REFUSED, sealed);
      await assert.rejects(takeEncryptionKey(withKey(gateway, OTHER)), REFUSED, sealed);
      await takeEncryptionKey(gateway.deps);
      await checkEncryptionKey(gateway.deps);
    }
  });

  await t.test('that was made into the data directory is named by its file', async () => {
    await using gateway = await startGateway();
    await takeEncryptionKey(gateway.deps);
    const { config } = gateway.deps;
    const moved = { ...gateway.deps, secrets: createSecretBox(OTHER) };
    const where = `${config.dataDir}/secrets/encryption-key is not the encryption key`;
    await assert.rejects(checkEncryptionKey(moved), (error: Error) => error.message.startsWith(where));
  });
});
