import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { buy, type DealInput, insertMarkWithCash, type ListedDeal, listDeal } from '../../../test/support/market.ts';
import { yieldAtPrice } from '../../finance/structure/tranche-cash.ts';
import { settlementDate } from '../../finance/settlement.ts';
import { verifyLedger } from './ledger-queries.ts';

test('trades', async (t) => {
  await using gateway = await startGateway();
  const seller = await gateway.key('originator', 'Seller');
  const buyer = await gateway.key('investor', 'Buyer');
  const operator = await gateway.key('operator', 'Platform');
  const post = (path: string, as: Holder, body?: object, headers: Record<string, string> = {}) =>
    gateway.call('POST', path, { as, headers, ...(body === undefined ? {} : { body }) });
  const verify = () => gateway.deps.db.tx({ platform: true }, verifyLedger);
  const trade = (input?: DealInput, method = 'PRO_RATA', terms = {}) =>
    accept(gateway, { seller, buyer, operator }, input, method, terms);

  await t.test('an accepted allocation is a trade at par with interest from the dated date to settlement', async () => {
    const { row } = await trade({ closing_date: '2031-03-14', tranches: [{ coupon: 6, dated_date: '2031-03-01' }] });
    assert.deepEqual([row.face, row.price, row.principal_amount], [1_000_000, 100, 1_000_000]);
    assert.equal(row.settlement_date, '2031-03-14');
    // 13 days of 30/360 at 6 % on 1,000,000.
    assert.deepEqual([row.accrued_interest, row.net_amount], [2_166.67, 1_002_166.67]);
    const late = (await trade({ closing_date: '2020-01-02' })).row;
    assert.equal(late.settlement_date, settlementDate(late.trade_date, '2020-01-02'));
  });

  await t.test('what cleared at a yield pays what that yield costs, by the cash flows behind the mark', async () => {
    const deal = await listDeal(gateway, seller);
    const { cash } = await insertMarkWithCash(gateway, seller, deal, { price: 99.5 });
    const { row } = await accept(gateway, { seller, buyer, operator }, deal, 'CLEARING_YIELD', { limit_yield: 5.25 });
    const earned = yieldAtPrice(cash, row.price) ?? 0;
    assert.ok(earned >= 5.25 - 1e-9 && earned <= 5.2505, String(earned));
    assert.deepEqual([row.yield, row.principal_amount], [5.25, Math.round(row.price * 1_000_000) / 100]);
  });

  await t.test('50 settlements at once settle once: one journal, one position, one event each', async () => {
    const { row } = await trade();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => post(`/v1/operator/trades/${row.trade_id}/settle`, operator)),
    );
    assert.deepEqual(
      answers.map((answer) => answer.status).toSorted((a, b) => a - b),
      [200, ...Array.from({ length: 49 }, () => 409)],
    );
    const legs = await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.rows<{ organization_id: string; account: string; amount: number }>(
        'select organization_id, account, amount::float8 as amount from ledger_entries where trade_id = $1 order by entry_id',
        [row.trade_id],
      ),
    );
    assert.deepEqual(
      legs.map((leg) => [leg.organization_id, leg.account, leg.amount]),
      [
        [buyer.organization_id, 'FACE', 1_000_000],
        [seller.organization_id, 'FACE', -1_000_000],
        [buyer.organization_id, 'CASH', -row.net_amount],
        [seller.organization_id, 'CASH', row.net_amount],
      ],
    );
    const told = async (as: Holder) =>
      (await gateway.call('GET', '/v1/api/events?type=trade.settled&limit=100', { as })).body.data.filter(
        (event: { data: { trade_id: string } }) => event.data.trade_id === row.trade_id,
      );
    assert.deepEqual([(await told(buyer)).length, (await told(seller)).length], [1, 1]);
    assert.doesNotMatch(JSON.stringify(await told(seller)), new RegExp(buyer.organization_id));
    assert.equal((await verify()).valid, true);
  });

  await t.test('repeated under one key a settlement is answered again', async () => {
    const { row } = await trade();
    const settle = () =>
      post(`/v1/operator/trades/${row.trade_id}/settle`, operator, undefined, { 'idempotency-key': `settle ${row.trade_id}` });
    assert.equal((await settle()).status, 200);
    const again = await settle();
    assert.deepEqual([again.status, again.headers['idempotency-replayed'], again.body.data.status], [200, 'true', 'SETTLED']);
  });

  await t.test('a failed trade books nothing, is taken up again and settles, or is cancelled', async () => {
    const { row } = await trade();
    const act = async (name: string) => {
      const answer = await post(`/v1/operator/trades/${row.trade_id}/${name}`, operator, { reason: 'no cash came' });
      return [answer.status, answer.body.data?.status ?? answer.body.current_status];
    };
    assert.deepEqual(await act('fail'), [200, 'FAILED']);
    assert.deepEqual(await act('fail'), [409, 'FAILED']);
    assert.deepEqual(await act('retry'), [200, 'PENDING_SETTLEMENT']);
    assert.deepEqual(await act('fail'), [200, 'FAILED']);
    assert.deepEqual(await act('settle'), [200, 'SETTLED']);
    for (const name of ['settle', 'fail', 'retry', 'cancel']) assert.deepEqual(await act(name), [409, 'SETTLED']);
    const other = (await trade()).row;
    assert.equal((await post(`/v1/operator/trades/${other.trade_id}/cancel`, operator)).body.data.status, 'CANCELLED');
    assert.equal((await post(`/v1/operator/trades/${other.trade_id}/settle`, operator)).status, 409);
    assert.equal((await verify()).valid, true);
  });

  await t.test('settling brings the subscription from allocated to settled', async () => {
    const deal = await listDeal(gateway, seller);
    await buy(gateway, operator, buyer, deal, 500_000);
    const { data } = (await gateway.call('GET', `/v1/api/investor/subscriptions?deal_id=${deal.deal_id}`, { as: buyer })).body;
    assert.equal(data[0].status, 'settled');
  });

  await t.test('an investor sees its own trades only', async () => {
    const { row } = await trade();
    const other = await gateway.key('investor', 'Other');
    assert.equal((await gateway.call('GET', `/v1/api/investor/trades/${row.trade_id}`, { as: other })).status, 404);
    assert.equal((await gateway.call('GET', '/v1/api/investor/trades', { as: other })).body.pagination.total, 0);
    assert.equal((await gateway.call('GET', `/v1/api/investor/trades/${row.trade_id}`, { as: buyer })).status, 200);
  });
});

type Cast = { seller: Holder; buyer: Holder; operator: Holder };
type TradeRow = {
  trade_id: string;
  face: number;
  price: number;
  yield: number;
  principal_amount: number;
  accrued_interest: number;
  net_amount: number;
  trade_date: string;
  settlement_date: string;
};

/** An order of 1,000,000 in the first tranche, allocated and accepted. */
async function accept(
  gateway: Gateway,
  { seller, buyer, operator }: Cast,
  input: DealInput | ListedDeal = {},
  method = 'PRO_RATA',
  terms: object = {},
): Promise<{ deal: ListedDeal; row: TradeRow }> {
  const deal = 'deal_id' in input ? input : await listDeal(gateway, seller, input);
  const call = async (method: string, path: string, as: Holder, body?: object) => {
    const answer = await gateway.call(method, path, { as, ...(body === undefined ? {} : { body }) });
    assert.ok(answer.status < 300, `${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body.data;
  };
  const order = { tranche_id: deal.tranches[0], amount: 1_000_000, ...terms };
  await call('POST', `/v1/api/investor/deals/${deal.deal_id}/orders`, buyer, order);
  const { allocations } = await call('POST', `/v1/operator/deals/${deal.deal_id}/allocations`, operator, { method });
  const accepted = await call('POST', `/v1/api/investor/allocations/${allocations[0].allocation_id}/accept`, buyer);
  return { deal, row: await call('GET', `/v1/api/investor/trades/${accepted.trade_id}`, buyer) };
}
