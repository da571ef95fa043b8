import assert from 'node:assert/strict';
import { globSync, truncateSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { dataOf } from '../../../test/support/desk.ts';
import { dealRoom, pathOf, PDF } from '../../../test/support/documents.ts';
import { type Gateway, startGateway } from '../../../test/support/gateway.ts';
import { autoTape, seller } from '../../../test/support/tapes.ts';
import { until } from '../../../test/support/until.ts';

/** More than the buffers between the two take. */
const LARGE_BYTES = 24_000_000;

/** A client that takes the beginning of a file, and the rest when it is told to. */
function begin(gateway: Gateway, path: string, token?: string): Promise<IncomingMessage> {
  const { port } = gateway.app.server.address() as AddressInfo;
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    const asked = request({ port, host: '127.0.0.1', path, agent: false, headers }, (response) => {
      response.on('error', () => {});
      resolve(response.pause());
    });
    asked.on('error', reject).end();
  });
}

const connectionsOf = ({ app }: Gateway): Promise<number> => promisify(app.server.getConnections.bind(app.server))();

/** The download ends although its client takes nothing, and what has arrived is seen to be a part. */
async function assertCutOff(gateway: Gateway, response: IncomingMessage): Promise<void> {
  assert.equal(response.statusCode, 200);
  await until(async () => (await connectionsOf(gateway)) === 0, 60_000, 'the end of the download');
  await assert.rejects(buffer(response));
  assert.equal(response.complete, false);
}

test('a download ends with the right of whoever has begun it, and is seen to be cut off', async (t) => {
  await using gateway = await startGateway();
  await gateway.app.listen({ port: 0, host: '127.0.0.1' });
  const operator = await gateway.key('operator', 'Platform');

  await t.test('with its key', async () => {
    const doomed = await gateway.key('originator', 'Doomed');
    const owner = await gateway.owner();
    await owner.query(
      `insert into audit_log (sequence, entry_id, organization_id, actor, action, entity_type, entity_id, reason, at, previous_hash, hash)
       select 1000000 + n, 'aud_' || lpad(n::text, 26, '0'), $1, 'test', 'test', 'test', 'test', repeat('-', 20000), now(), '-', '-'
       from generate_series(1, $2::int) n`,
      [doomed.organization_id, LARGE_BYTES / 20_000],
    );
    await owner.end();
    const response = await begin(gateway, '/v1/api/audit/export', doomed.token);
    await gateway.call('POST', `/v1/operator/keys/${doomed.key_id}/revoke`, { as: operator });
    await assertCutOff(gateway, response);
  });

  await t.test('with the key for which its address was signed', async () => {
    const room = await dealRoom(gateway, 'Owner');
    const bytes = Buffer.concat([PDF, Buffer.alloc(LARGE_BYTES)]);
    const { document_id } = await room.register('terms.pdf', {}, bytes);
    const { download_url } = dataOf(await room.call('POST', `/${document_id}/download`));
    const response = await begin(gateway, pathOf(download_url));
    await gateway.call('POST', `/v1/operator/organizations/${room.as.organization_id}/suspend`, {
      as: operator,
      body: { reason: 'a test' },
    });
    await assertCutOff(gateway, response);
  });

  await t.test('with the recipient of a share', async () => {
    const { as, checked } = await seller(gateway, 'Harbor');
    const dealId = await checked(autoTape(5));
    const { profile, recipient_id } = dataOf(
      await gateway.call('POST', '/v1/api/share-recipients', { as, body: { name: 'warehouse' } }),
    );
    const table = `${new URL(profile.endpoint).pathname}/shares/tapes/schemas/${dealId}/tables/loans`;
    const query = await gateway.call('POST', `${table}/query`, { as: profile.bearerToken, body: {} });
    const { file } = JSON.parse(query.text.trim().split('\n')[2] ?? '');
    for (const path of globSync(join(gateway.deps.config.dataDir, 'objects', '**', '*.parquet'))) truncateSync(path, LARGE_BYTES);
    const response = await begin(gateway, pathOf(file.url));
    await gateway.call('POST', `/v1/api/share-recipients/${recipient_id}/revoke`, { as });
    await assertCutOff(gateway, response);
  });
});
