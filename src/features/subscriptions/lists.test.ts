import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataOf, openDesk } from '../../../test/support/desk.ts';
import { startGateway, codeOf } from '../../../test/support/gateway.ts';
import { newId } from '../../platform/ids.ts';

type Row = { subscription_id: string; organization_id?: string };

test('lists of subscriptions', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const ids = (rows: Row[]) => rows.map((row) => row.subscription_id);
  /** Subscriptions of two investors in two deals, each a second after the one before. */
  const made = async () => {
    const [one, two] = [await desk.list(), await desk.list()];
    const [anna, bert] = [await desk.investor(), await desk.investor()];
    const subscribe = async (deal: typeof one, as: typeof anna): Promise<Row & { created_at: string }> => {
      await gateway.advance(1);
      return dataOf(await desk.subscribe(deal, as, 1_000));
    };
    const rows = [
      await subscribe(one, anna),
      await subscribe(two, anna),
      await subscribe(one, bert),
      await subscribe(one, anna),
    ] as const;
    return { one, two, anna, bert, rows };
  };

  await t.test('an investor has its own, newest first, by deal, status and time of creation', async () => {
    const { one, two, anna, rows } = await made();
    dataOf(await desk.cancel(rows[0].subscription_id, anna));
    const [first, second, , fourth] = ids([...rows]);
    const cases: [string, (string | undefined)[]][] = [
      ['', [fourth, second, first]],
      [`deal_id=${one.deal_id}`, [fourth, first]],
      [`deal_id=${two.deal_id}`, [second]],
      ['status=cancelled', [first]],
      [`status=pending_confirmation&deal_id=${one.deal_id}`, [fourth]],
      [`from=${rows[1].created_at}`, [fourth, second]],
      [`to=${rows[1].created_at}`, [second, first]],
      ['limit=1&page=2', [second]],
      ['limit=3&page=2', []],
    ];
    for (const [query, expected] of cases)
      assert.deepEqual(ids(await desk.read(`subscriptions?${query}`, anna)), expected, query);
    assert.equal('organization_id' in (await desk.read('subscriptions', anna))[0], false);
    assert.deepEqual(codeOf(await desk.get('subscriptions?from=2026-02-01&to=2026-01-01', anna)), [422, 'RANGE_REVERSED']);
    assert.equal((await desk.get('subscriptions?status=CANCELLED', anna)).status, 400);
  });

  await t.test('the operator has everybody’s with their owners, by deal, organization and status', async () => {
    const { one, anna, bert, rows } = await made();
    dataOf(await desk.confirm(rows[2].subscription_id));
    const [first, , third, fourth] = ids([...rows]);
    const listed = async (query: string): Promise<Row[]> => dataOf(await desk.operate('GET', `subscriptions?${query}`));
    assert.deepEqual(
      (await listed(`deal_id=${one.deal_id}`)).map((row) => [row.subscription_id, row.organization_id]),
      [
        [fourth, anna.organization_id],
        [third, bert.organization_id],
        [first, anna.organization_id],
      ],
    );
    assert.deepEqual(ids(await listed(`organization_id=${bert.organization_id}`)), [third]);
    assert.deepEqual(ids(await listed(`deal_id=${one.deal_id}&status=confirmed`)), [third]);
    assert.deepEqual(ids(await listed(`deal_id=${one.deal_id}&organization_id=${bert.organization_id}&status=rejected`)), []);
    assert.deepEqual(codeOf(await desk.send('GET', '/v1/operator/subscriptions', anna)), [403, 'ROLE_FORBIDDEN']);
    assert.deepEqual(codeOf(await desk.get('subscriptions', desk.seller)), [403, 'ROLE_FORBIDDEN']);
  });

  await t.test('another’s subscription is as an absent one', async () => {
    const { bert, rows } = await made();
    const [foreign, absent] = [
      await desk.get(`subscriptions/${rows[0].subscription_id}`, bert),
      await desk.get(`subscriptions/${newId('sub')}`, bert),
    ];
    assert.deepEqual([codeOf(foreign), foreign.body.message], [[404, 'NOT_FOUND'], absent.body.message]);
  });
});
