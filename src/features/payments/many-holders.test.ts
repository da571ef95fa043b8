import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDesk } from '../../../test/support/desk.ts';
import { startGateway } from '../../../test/support/gateway.ts';
import { counting } from '../../../test/support/many.ts';
import { manyHolders, PAYMENT_DATES, type Serviced, servicedDeal } from '../../../test/support/servicing.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Id } from '../../platform/ids.ts';
import { bookPayments, bookRestatement, loadFactors, type PaidReport } from './payment.ts';

/** More than one statement books. */
const HOLDERS = 1_200;
const AT_ONCE = 1_000;
/** A field of a row is read a few times. */
const READS_PER_ROW = 100;

test('paying and restating cost a few steps for each holder, no statement books them all, and none books a factor that is not known', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await servicedDeal(desk);
  const first = await desk.investor();
  const holders = await manyHolders(desk, deal, first, HOLDERS);
  const report = (version: number, cents: bigint): PaidReport => ({
    deal_id: deal.deal_id as Id<'deal'>,
    deal_name: 'A deal',
    owner: desk.seller.organization_id,
    remittance_id: 'rem_1' as Id<'rem'>,
    version,
    period: 1,
    payment_date: PAYMENT_DATES[0],
    amounts: new Map([['A-1', { interest: cents, principal: 2n * cents, writedown: 0n, accreted: 0n }]]),
  });
  const face = BigInt(deal.a * 100);
  const act = (work: (tx: Tx, factors: Awaited<ReturnType<typeof loadFactors>>) => Promise<unknown>) =>
    gateway.deps.db.tx({ platform: true }, async (tx) => {
      const { seen, counted } = counting(tx);
      await work(counted, await loadFactors(tx, deal.deal_id as Id<'deal'>));
      return seen;
    });

  for (const [name, seen] of [
    ['paid', await act((tx, factors) => bookPayments(tx, report(1, face / 100n), factors))],
    ['restated', await act((tx, factors) => bookRestatement(tx, report(2, face / 50n), factors, new Map()))],
  ] as const) {
    assert.ok(seen.rows > HOLDERS && seen.reads > 0, name);
    assert.ok(seen.reads < READS_PER_ROW * seen.rows, `${name}: ${seen.reads} reads of ${seen.rows} rows`);
    assert.ok(seen.largest > 0 && seen.largest <= AT_ONCE, `${name}: ${seen.largest} in a statement`);
  }
  const unknown = act((tx) => bookPayments(tx, report(3, face / 100n), new Map()));
  await assert.rejects(unknown, /no factor of trn_\w+ before the report/);
  const paid = await paidTo(deal, holders);
  assert.equal(paid.length, HOLDERS);
  for (const each of paid) assert.deepEqual([each.payments, each.interest, each.told], [2, 0.2, 2], each.organization_id);

  function paidTo({ deal_id }: Serviced, organizations: readonly string[]) {
    return gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.rows<{ organization_id: string; payments: number; interest: number; told: number }>(
        `select organization_id, count(*)::int as payments, sum(interest)::float8 as interest,
           (select count(*)::int from events e where e.organization_id = p.organization_id and event = 'payment.made') as told
         from payments p where deal_id = $1 and organization_id = any($2) group by organization_id`,
        [deal_id, organizations],
      ),
    );
  }
});
