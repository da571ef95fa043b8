import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operatorReadRoutes } from '../../src/operator-reads.ts';
import { dataOf, openDesk } from '../support/desk.ts';
import { dealRoom } from '../support/documents.ts';
import { otherId, startGateway } from '../support/gateway.ts';
import { approvedDeal, formPool, issuedDeal, structureOver } from '../support/pools.ts';

/** What the owner asks where it reads the same. */
type Parts = { calculation: string; document: string };
const OWNERS: Record<string, (id: string, parts: Parts) => string> = {
  'deals/:dealId/loans': (id) => `originator/loans/${id}/loans`,
  'deals/:dealId/loans/:rowNumber': (id) => `originator/loans/${id}/loans/1`,
  'deals/:dealId/loans/file': (id) => `originator/loans/${id}/loans/file`,
  'deals/:dealId/checks': (id) => `originator/loans/${id}`,
  'deals/:dealId/issues': (id) => `originator/loans/${id}/issues`,
  'deals/:dealId/mapping': (id) => `originator/loans/${id}/mapping`,
  'deals/:dealId/tapes': (id) => `originator/loans/${id}/tapes`,
  'deals/:dealId/results': (id) => `originator/sc/deals/${id}/results`,
  'deals/:dealId/documents': (id) => `deals/documents?dealId=${id}`,
  'deals/:dealId/documents/:documentId': (_id, { document }) => `deals/documents/${document}`,
  'deals/:dealId/strats': (id) => `originator/analytics/deals/${id}/strats?by=state`,
  'deals/:dealId/vintage': (id) => `originator/analytics/deals/${id}/vintage`,
  'deals/:dealId/risk': (id) => `originator/analytics/deals/${id}/risk`,
  'pools/:poolId/structure': (id) => `originator/pools/${id}/structure`,
  'pools/:poolId/calculations': (id) => `originator/analytics/pools/${id}/calculations`,
  'pools/:poolId/calculations/:calculationId': (id, { calculation }) =>
    `originator/analytics/pools/${id}/calculations/${calculation}`,
  'pools/:poolId/calculations/:calculationId/cashflows': (id, { calculation }) =>
    `originator/analytics/pools/${id}/calculations/${calculation}/cashflows`,
  'pools/:poolId/remittances': (id) => `originator/pools/${id}/remittances`,
};

test('what the operator reads of others is what its owner reads, and the owner sees who has read it', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const loanDeal = await approvedDeal(gateway, desk.seller, desk.operator, { rows: 30 });
  const pool = dataOf(await formPool(gateway, desk.seller, [loanDeal]));
  dataOf(await desk.send('PUT', `/v1/api/originator/pools/${pool.pool_id}/structure`, desk.seller, structureOver(pool.balance)));
  const { calculation_id } = dataOf(
    await desk.send('POST', `/v1/api/originator/analytics/pools/${pool.pool_id}/calculations`, desk.seller, {
      type: 'CASHFLOW',
      assumptions: { cpr: 6 },
    }),
  );
  await gateway.runJobs();
  const room = await dealRoom(gateway, 'Seller');
  const { document_id } = await room.register('memorandum.pdf', { dealId: loanDeal });
  const stranger = await gateway.key('both', 'Stranger');
  const log = async () => dataOf(await desk.send('GET', '/v1/api/access-log?limit=100', desk.seller));
  const operate = (path: string, as = desk.operator) => desk.send('GET', `/v1/operator/${path}`, as);

  for (const { path, replyKind } of operatorReadRoutes) {
    const part = path.replace('/v1/operator/', '');
    await t.test(part, async () => {
      const own = OWNERS[part];
      assert.ok(own, 'the test knows what the owner asks');
      const id = part.startsWith('deals') ? loanDeal : pool.pool_id;
      const filled = part
        .replace(/:dealId|:poolId/, id)
        .replace(':rowNumber', '1')
        .replace(':documentId', document_id)
        .replace(':calculationId', calculation_id);
      const query = part.endsWith('strats') ? '?by=state' : '';
      const before = (await log()).length;
      if (replyKind === 'file') assert.equal((await desk.send('HEAD', `/v1/operator/${filled}`, desk.operator)).status, 200);
      const [owners, read] = [
        await desk.send('GET', `/v1/api/${own(id, { calculation: calculation_id, document: document_id })}`, desk.seller),
        await operate(`${filled}${query}`),
      ];
      const { pagination: _own, request_id: _id, ...expected } = owners.body as Record<string, unknown>;
      const { pagination: _read, request_id: _other, ...shown } = read.body as Record<string, unknown>;
      assert.equal(owners.status, 200, owners.text.slice(0, 300));
      assert.deepEqual(shown, expected);
      if (replyKind === 'file') assert.ok(owners.text.length > 0 && read.text === owners.text);
      const entries = await log();
      assert.equal(entries.length, before + 1, 'one entry of the log for one reading');
      const [{ reader, act, entity_id, what }] = entries;
      const taken = replyKind === 'file' ? 'DOWNLOADED' : 'READ';
      assert.deepEqual([reader, act, entity_id, what], ['Platform', taken, id, part.split('/')[2]]);
      assert.equal((await operate(`${filled.replace(id, `${id}x`)}${query}`)).status, 404);
      for (const as of [desk.seller, stranger]) assert.equal((await operate(`${filled}${query}`, as)).status, 403);
    });
  }

  await t.test('a document is one of its deal alone', async () => {
    const { document_id: ofNone } = await room.register('licence.pdf');
    assert.equal((await operate(`deals/${loanDeal}/documents/${ofNone}`)).status, 404);
    assert.equal((await operate(`deals/${loanDeal}/documents/${otherId(document_id)}`)).status, 404);
  });

  await t.test('jobs of all organizations, with an entry in the log of each', async () => {
    const jobs = dataOf(await operate('jobs'));
    assert.deepEqual(
      jobs.map(({ organization_id, kind, deal_id, status }: Record<string, string>) => [organization_id, kind, deal_id, status]),
      [[desk.seller.organization_id, 'TAPE_CHECKS', loanDeal, 'COMPLETED']],
    );
    const [{ what, details }] = await log();
    assert.deepEqual([what, details], ['job', { jobs: [jobs[0].job_id] }]);
    assert.deepEqual(dataOf(await operate('jobs?status=FAILED')), []);
    assert.deepEqual(dataOf(await operate(`jobs?organization_id=${stranger.organization_id}`)), []);
    const { organization_id: _organization, ...job } = dataOf(await operate(`jobs/${jobs[0].job_id}`));
    assert.deepEqual(job, dataOf(await desk.send('GET', `/v1/api/originator/loans/jobs/${jobs[0].job_id}`, desk.seller)));
  });

  await t.test('the loans behind a securitization deal are those of its pool', async () => {
    const dealId = await issuedDeal(gateway, desk.seller, desk.operator, pool.pool_id);
    const own = await desk.send('GET', `/v1/api/originator/analytics/pools/${pool.pool_id}/risk`, desk.seller);
    assert.deepEqual(dataOf(await operate(`deals/${dealId}/risk`)), dataOf(own));
    assert.equal((await operate(`deals/${dealId}/loans`)).status, 404);
  });
});
