import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused, dataOf, type Desk, openDesk } from '../../../test/support/desk.ts';
import { type Gateway, startGateway } from '../../../test/support/gateway.ts';
import { type Serviced, servicedDeal } from '../../../test/support/servicing.ts';
import { applyDueRemittances } from './apply-remittances.ts';

const PRINCIPAL = 20_000;

/** A report with its cash. The fee is right where `fees` is what the structure says: 1 % a year of the pool. */
const reportOf = (deal: Serviced, fees: number) => {
  const report = deal.report({ principal: PRINCIPAL });
  return { ...report, collateral: { ...report.collateral, fees }, available: { interest: 6_600, principal: PRINCIPAL } };
};
/** The two reports of two such months with the right fees; of the first, A-1 may have been paid that much less, which is due again. */
function twoMonths(deal: Serviced, short = 0) {
  return [1, 2].map((count) => {
    const report = deal.report(...Array.from({ length: count }, () => ({ principal: PRINCIPAL })));
    const [a, ...others] = report.tranches;
    const unpaid =
      count === 1 && short > 0 && a
        ? [{ ...a, interest_paid: a.interest_paid - short, interest_shortfall: short }, ...others]
        : null;
    const fees = Math.round((report.collateral.beginning_pool_balance * 100) / 1_200) / 100;
    return {
      ...report,
      tranches: unpaid ?? report.tranches,
      collateral: { ...report.collateral, fees },
      available: { interest: 6_600, principal: PRINCIPAL },
    };
  });
}

/** What the owner and the operator were told of reports of a deal that differ: the period, and the first figure. */
async function toldOf(desk: Desk, { deal_id }: Serviced): Promise<string[][]> {
  const [own, operators] = [
    desk.send('GET', '/v1/api/events?type=remittance.differs&limit=100', desk.seller),
    desk.operate('GET', 'events?type=remittance.differs&limit=100'),
  ];
  return Promise.all(
    [own, operators].map(async (answer) =>
      (dataOf(await answer) as { data: { deal_id: string; period: number; differences: { path: string }[] } }[])
        .filter(({ data }) => data.deal_id === deal_id)
        .map(({ data }) => `${data.period} ${data.differences[0]?.path}`),
    ),
  );
}

const rightFee = ({ pool }: Serviced): number => Math.round((pool * 100) / 1_200) / 100;

const accept = (desk: Desk, id: string) => desk.operate('POST', `remittances/${id}/accept`, { reason: 'The fee was cut.' });

async function paidTo(gateway: Gateway, { deal_id }: Serviced): Promise<number> {
  const [row] = await gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.rows<{ payments: number }>('select count(*)::int as payments from payments where deal_id = $1', [deal_id]),
  );
  return row?.payments ?? -1;
}

test('a report that differs from its structure', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);

  await t.test('agrees with the right fee, and differs by that figure with another', async () => {
    const deal = await servicedDeal(desk);
    const right = dataOf(await deal.send(reportOf(deal, rightFee(deal))));
    assert.deepEqual([right.status, right.verification.status], ['SCHEDULED', 'AGREES']);
    const wrong = dataOf(await deal.send(reportOf(deal, rightFee(deal) + 1)));
    assert.equal(wrong.verification.status, 'DIFFERS');
    const differing = wrong.verification.lines.filter(({ difference }: { difference: number }) => difference !== 0);
    assert.deepEqual(
      differing.map(({ what, path, difference }: { what: string; path: string; difference: number }) => [what, path, difference]),
      [['FEE_PAID', 'collateral.fees', 1]],
    );
  });

  await t.test('and was accepted ahead of its payment date is applied on it', async () => {
    const deal = await servicedDeal(desk);
    const { remittance_id } = dataOf(await deal.send(reportOf(deal, 900)));
    const accepted = dataOf(await accept(desk, remittance_id));
    assert.deepEqual([accepted.status, accepted.accepted_at !== null], ['SCHEDULED', true]);
    await gateway.setClock('2027-01-15T15:00:00Z');
    assert.equal(await applyDueRemittances(gateway.deps.db), 1);
    assert.equal((await deal.read(remittance_id)).status, 'APPLIED');
  });

  await t.test('is held on its payment date by the jobs, pays nobody, and makes way for the right figures', async () => {
    const deal = await servicedDeal(desk);
    const { remittance_id } = dataOf(await deal.send(reportOf(deal, 900)));
    await gateway.setClock('2027-01-15T15:00:00Z');
    assert.equal(await applyDueRemittances(gateway.deps.db), 0);
    assert.deepEqual([(await deal.read(remittance_id)).status, await paidTo(gateway, deal)], ['HELD', 0]);
    const right = dataOf(await deal.send(reportOf(deal, rightFee(deal))));
    assert.deepEqual([right.status, right.remittance_id], ['APPLIED', remittance_id]);
    assert.ok((await paidTo(gateway, deal)) > 0);
    await assertRefused(gateway, () => accept(desk, remittance_id), [409, 'CONFLICT']);
  });

  await t.test('is accepted once by two operators at once', async () => {
    const deal = await servicedDeal(desk);
    await gateway.setClock('2027-01-15T15:00:00Z');
    const { remittance_id, status } = dataOf(await deal.send(reportOf(deal, 900)));
    assert.equal(status, 'HELD');
    const answers = await Promise.all([accept(desk, remittance_id), accept(desk, remittance_id)]);
    assert.deepEqual(answers.map((each) => each.status).toSorted(), [200, 409]);
    // One payment each of A-1, B and the residual, to their owner.
    const once = await paidTo(gateway, deal);
    assert.ok(once > 0 && once <= 3, `${once} payments`);
  });

  await t.test('is found by the operator among the reports of all pools, with whose it is', async () => {
    const other = await gateway.key('originator', 'Other Seller');
    const deals = [await servicedDeal(desk), await servicedDeal(desk, other)] as const;
    const [held, theirs] = deals;
    const right = await servicedDeal(desk);
    await gateway.setClock('2027-01-15T15:00:00Z');
    const ids: string[] = [];
    for (const deal of deals) ids.push(dataOf(await deal.send(reportOf(deal, 900))).remittance_id);
    const agreeing = dataOf(await right.send(reportOf(right, rightFee(right)))).remittance_id;
    const list = async (query: string) => dataOf(await desk.operate('GET', `remittances?limit=100&${query}`));
    const idsOf = async (query: string) => (await list(query)).map((row: { remittance_id: string }) => row.remittance_id);
    const [newest, before] = await list('status=HELD');
    assert.deepEqual([newest.remittance_id, before.remittance_id], ids.toReversed());
    assert.deepEqual([newest.organization_id, newest.pool_name], [other.organization_id, 'Harbor Auto 2026-1']);
    assert.ok(!(await idsOf('status=HELD')).includes(agreeing));
    assert.ok((await idsOf('verification=AGREES')).includes(agreeing));
    assert.deepEqual(await idsOf(`verification=DIFFERS&deal_id=${held.deal_id}`), [ids[0]]);
    assert.deepEqual(await idsOf(`organization_id=${other.organization_id}`), [ids[1]]);
    assert.deepEqual(dataOf(await desk.operate('GET', `remittances/${ids[1]}`)), newest);
    assert.deepEqual((await desk.send('GET', '/v1/operator/remittances', theirs.seller)).status, 403);
  });

  await t.test('has nothing to accept where it agrees', async () => {
    const deal = await servicedDeal(desk);
    const { remittance_id } = dataOf(await deal.send(reportOf(deal, rightFee(deal))));
    await assertRefused(gateway, () => accept(desk, remittance_id), [409, 'CONFLICT']);
  });

  await t.test('since one before it was replaced or restated is told then, and again where its sign-off is void', async () => {
    const deal = await servicedDeal(desk);
    const [first, second] = twoMonths(deal);
    const [unpaid] = twoMonths(deal, 100);
    const later = 'tranches[0].interest_paid';
    const own = '1 tranches[0].interest_paid';
    const { remittance_id } = dataOf(await deal.send(first));
    const next = dataOf(await deal.send(second));
    assert.deepEqual([next.verification.status, await toldOf(desk, deal)], ['AGREES', [[], []]]);

    dataOf(await deal.send(unpaid));
    assert.equal((await deal.read(next.remittance_id)).verification.status, 'DIFFERS');
    assert.deepEqual(await toldOf(desk, deal), Array(2).fill([own, `2 ${later}`]));
    dataOf(await accept(desk, next.remittance_id));
    dataOf(await deal.send(first));
    assert.deepEqual(await toldOf(desk, deal), Array(2).fill([own, `2 ${later}`]), 'it agrees again');

    await gateway.setClock('2027-01-15T15:00:00Z');
    await applyDueRemittances(gateway.deps.db);
    dataOf(await deal.restate(remittance_id, unpaid));
    assert.deepEqual(await toldOf(desk, deal), Array(2).fill([own, `2 ${later}`, own, `2 ${later}`]));
    const waits = await deal.read(next.remittance_id);
    assert.deepEqual([waits.status, waits.accepted_at], ['SCHEDULED', null]);
  });
});
