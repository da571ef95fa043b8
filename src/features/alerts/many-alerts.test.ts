import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '../../../test/support/gateway.ts';
import { counting } from '../../../test/support/many.ts';
import { markAlerts } from './queries.ts';

test('many alerts are marked in statements of a part each, also where all were raised at one moment', async () => {
  await using gateway = await startGateway();
  const { organization_id } = await gateway.key('investor');
  await gateway.deps.db.patient().tx({ platform: true }, (tx) =>
    tx.exec(
      `insert into alerts (alert_id, organization_id, type, category, priority, title, message, status, created_at)
       select 'alt_' || i, $1, 'payment.made', case when i % 10 = 0 then 'deal' else 'trade' end, 'LOW', 'A title', 'A message',
         case when i = 1 then 'ARCHIVED' else 'UNREAD' end, sluice_now() - make_interval(hours => 1 + i % 2)
       from generate_series(1, 6000) i`,
      [organization_id],
    ),
  );
  const mark = (which: { category?: string }) =>
    gateway.deps.db.patient().tx({ organization: organization_id }, async (tx) => {
      const { seen, counted } = counting(tx);
      const updated = await markAlerts(counted, organization_id, { before: tx.now, ...which }, 'READ');
      return [updated, seen.statements];
    });
  assert.deepEqual(await mark({ category: 'deal' }), [600, 1]);
  assert.deepEqual(await mark({}), [5_399, 2]);
  assert.deepEqual(await mark({}), [0, 1]);
});
