import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, type Gateway, type Holder, startGateway, codeOf } from '../../../test/support/gateway.ts';
import { listDeal } from '../../../test/support/market.ts';
import { audit } from '../../platform/audit.ts';

type Entry = { id: string; sequence: number; action: string; entity_id: string; at: string; hash: string; previous_hash: string };

/** Writes entries about one record, one transaction each. */
async function note(
  gateway: Gateway,
  { organization_id, key_id }: Holder,
  entityId: string,
  ...actions: string[]
): Promise<void> {
  for (const action of actions) {
    await gateway.deps.db.tx({ organization: organization_id }, async (tx) =>
      audit(tx, {
        organization_id,
        actor: key_id,
        action,
        entity_type: 'test',
        entity_id: entityId,
        after: { status: action.toUpperCase() },
      }),
    );
  }
}
const own = async (gateway: Gateway, as: Holder, query = ''): Promise<Entry[]> => {
  const answer = await gateway.call('GET', `/v1/api/audit?${query}`, { as });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.data;
};
const actions = (entries: Entry[]): string[] => entries.map((entry) => entry.action);

test('a customer reads of the audit log', async (t) => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');

  await t.test('its own entries, newest first, in pages, with the hash and without its place in the log of all', async () => {
    const ours = await gateway.key('both', 'Reader');
    await note(gateway, ours, 'one', 'a.first', 'a.second');
    const [second, first, issued, ...more] = await own(gateway, ours);
    assert.deepEqual([second?.action, first?.action, issued?.action, more], ['a.second', 'a.first', 'key.issued', []]);
    assert.match(second?.hash ?? '', /^[0-9a-f]{64}$/);
    assert.deepEqual([second?.sequence, second?.previous_hash], [undefined, undefined], 'how much others do is not its business');
    assert.deepEqual(actions(await own(gateway, ours, 'limit=1&page=2')), ['a.first']);
    const { body } = await gateway.call('GET', '/v1/api/audit?limit=2', { as: ours });
    assert.deepEqual([body.pagination.total, body.pagination.hasNextPage], [3, true]);
  });

  await t.test('no entry of another organization, by whatever filter', async () => {
    const [ours, theirs] = [await gateway.key('both', 'Mine'), await gateway.key('both', 'Theirs')];
    await note(gateway, theirs, 'shared name', 'b.secret');
    await note(gateway, ours, 'shared name', 'b.known');
    assert.deepEqual(actions(await own(gateway, ours, 'entity_id=shared%20name')), ['b.known']);
    assert.deepEqual(await own(gateway, ours, 'action=b.secret'), []);
    assert.deepEqual(actions(await own(gateway, ours)), ['b.known', 'key.issued']);
  });

  await t.test('what the operator decided about its records, and not who the operator is', async () => {
    const ours = await gateway.key('investor', 'Decided');
    await gateway.call('POST', `/v1/operator/organizations/${ours.organization_id}/suspend`, { as: operator });
    await gateway.call('POST', `/v1/operator/organizations/${ours.organization_id}/resume`, { as: operator });
    assert.deepEqual(actions(await own(gateway, ours, `entity_id=${ours.organization_id}`)), [
      'organization.resume',
      'organization.suspend',
    ]);
  });

  await t.test('by action, by record and by time, and all of these together', async () => {
    const ours = await gateway.key('both', 'Filtering');
    await note(gateway, ours, 'one', 'c.first', 'c.second');
    await note(gateway, ours, 'two', 'c.first');
    const [last] = await own(gateway, ours);
    const at = last?.at ?? '';
    assert.deepEqual(
      (await own(gateway, ours, 'action=c.first')).map((entry) => entry.entity_id),
      ['two', 'one'],
    );
    assert.deepEqual(actions(await own(gateway, ours, 'entity_id=one')), ['c.second', 'c.first']);
    assert.deepEqual((await own(gateway, ours, 'action=c.first&entity_id=one')).length, 1);
    assert.deepEqual(actions(await own(gateway, ours, `from=${at}&entity_id=two`)), ['c.first'], 'at or after');
    assert.deepEqual(actions(await own(gateway, ours, `to=${at}&entity_id=two`)), ['c.first'], 'at or before');
    const earlier = new Date(Date.parse(at) - 1).toISOString();
    assert.deepEqual(await own(gateway, ours, `to=${earlier}&entity_id=two`), []);
    assert.deepEqual([await own(gateway, ours, 'to=2020-01-01'), await own(gateway, ours, 'from=2999-01-01')], [[], []]);
    const reversed = await gateway.call('GET', '/v1/api/audit?from=2021-01-02&to=2021-01-01', { as: ours });
    assert.deepEqual(codeOf(reversed), [422, 'RANGE_REVERSED']);
    for (const query of ['action=', `action=${'x'.repeat(65)}`, `entity_id=${'x'.repeat(129)}`, 'from=yesterday', 'limit=101'])
      assert.deepEqual(
        codeOf(await gateway.call('GET', `/v1/api/audit?${query}`, { as: ours })),
        [400, 'VALIDATION_FAILED'],
        query,
      );
  });

  await t.test('nothing at the operator’s address, and the operator nothing at the customer’s', async () => {
    const ours = await gateway.key('both', 'Roles');
    for (const path of ['/v1/operator/audit', '/v1/operator/audit/verify'])
      assert.deepEqual(codeOf(await gateway.call('GET', path, { as: ours })), [403, 'ROLE_FORBIDDEN'], path);
    assert.deepEqual(codeOf(await gateway.call('GET', '/v1/api/audit', { as: operator })), [403, 'ROLE_FORBIDDEN']);
  });
});

test('the operator reads of the audit log', async (t) => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  const list = async (query: string): Promise<Entry[]> => {
    const answer = await gateway.call('GET', `/v1/operator/audit?${query}`, { as: operator });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body.data;
  };

  await t.test('the entries of all, each with its place and the hash of the one before', async () => {
    const [one, two] = [await gateway.key('both', 'One'), await gateway.key('both', 'Two')];
    await note(gateway, one, 'x', 'd.first');
    await note(gateway, two, 'y', 'd.second');
    const entries = await list('limit=100');
    assert.deepEqual(actions(entries.slice(0, 2)), ['d.second', 'd.first']);
    for (const [index, entry] of entries.slice(0, -1).entries()) {
      assert.equal(entry.sequence, (entries[index + 1]?.sequence ?? 0) + 1);
      assert.equal(entry.previous_hash, entries[index + 1]?.hash);
    }
    assert.equal(entries.at(-1)?.previous_hash, '0'.repeat(64));
  });

  await t.test('those of one organization, those that led to a status, and both together', async () => {
    const [one, two] = [await gateway.key('both', 'Status one'), await gateway.key('both', 'Status two')];
    await note(gateway, one, 'x', 'e.done', 'e.other');
    await note(gateway, two, 'y', 'e.done');
    assert.deepEqual(actions(await list(`organization_id=${one.organization_id}`)), ['e.other', 'e.done', 'key.issued']);
    assert.deepEqual(actions(await list('status=E.DONE')), ['e.done', 'e.done']);
    assert.deepEqual(
      (await list(`status=E.DONE&organization_id=${two.organization_id}`)).map((entry) => entry.entity_id),
      ['y'],
    );
    assert.deepEqual([await list('status=NOWHERE'), await list('organization_id=org_none')], [[], []]);
  });

  await t.test('those of a deal with all that hangs on it, and of no other deal', async () => {
    const [seller, buyer] = [await gateway.key('originator', 'Seller'), await gateway.key('investor', 'Buyer')];
    const [deal, other] = [await listDeal(gateway, seller), await listDeal(gateway, seller, { name: 'Other' })];
    const act = async (path: string, body: object): Promise<Answer> => {
      const answer = await gateway.call('POST', path, { as: buyer, body });
      assert.ok(answer.status < 300, JSON.stringify(answer.body));
      return answer;
    };
    const investor = `/v1/api/investor/deals/${deal.deal_id}`;
    await act(`${investor}/ioi`, { interest_amount: 5_000 });
    await act(`${investor}/subscribe`, { subscription_amount: 10_000 });
    await act(`${investor}/orders`, { tranche_id: deal.tranches[0], amount: 5_000 });
    await act(`/v1/api/investor/deals/${other.deal_id}/subscribe`, { subscription_amount: 20_000 });
    await note(gateway, seller, deal.pool_id, 'f.pool');
    await note(gateway, seller, deal.deal_id, 'f.deal');
    await note(gateway, seller, 'something else', 'f.elsewhere');
    const found = actions(await list(`deal_id=${deal.deal_id}`));
    assert.deepEqual(
      found.filter((action) => action.startsWith('f.')),
      ['f.deal', 'f.pool'],
    );
    for (const action of ['ioi.submitted', 'subscription.created', 'order.placed'])
      assert.equal(found.filter((each) => each === action).length, 1, action);
    assert.equal((await list(`deal_id=${other.deal_id}`)).length, 1);
    assert.deepEqual(await list('deal_id=deal_none'), []);
  });
});
