import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused, changesOf, dataOf, openDesk } from '../../../test/support/desk.ts';
import { startGateway, codeOf } from '../../../test/support/gateway.ts';
import { approvedDeal, formPool, issuedDeal, POOL_DATES, structuredPool, structureOver } from '../../../test/support/pools.ts';

type StoredTranche = Record<string, unknown> & { tranche: string };

test('the issue of a pool', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  let sellers = 0;
  const newSeller = () => gateway.key('originator', `Issuer ${(sellers += 1)}`);
  const issue = (poolId: string) => desk.operate('POST', `pools/${poolId}/issue`);
  /** A structured pool of a seller of its own, and the steps up to its issue. */
  const structured = async (changes: Record<string, unknown> = {}, terms: Record<string, unknown> = {}) => {
    const seller = await newSeller();
    const loans = await approvedDeal(gateway, seller, desk.operator, { rows: 6 });
    const { pool_id, balance } = dataOf(await formPool(gateway, seller, [loans], terms));
    const act = (method: string, path: string, body?: object) =>
      desk.send(method, `/v1/api/originator/pools/${pool_id}${path}`, seller, body);
    const put = await act('PUT', '/structure', structureOver(balance, changes));
    assert.equal(put.status, 200, JSON.stringify(put.body));
    const requested = async () => {
      dataOf(await act('POST', '/lock'));
      dataOf(await act('POST', '/issue'));
    };
    return { seller, pool: put.body.data, pool_id: pool_id as string, balance: balance as number, act, requested };
  };
  const tranchesOf = (dealId: string): Promise<StoredTranche[]> =>
    gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.rows(
        `select t.tranche, t.class, t.offered, t.original_balance::float8 as balance, t.current_balance::float8 as current, t.coupon_type,
           t.coupon::float8 as coupon, t.day_count, t.rating, t.seniority, t.denomination::float8 as denomination, t.increment::float8 as increment,
           t.erisa_eligible, t.offered_yield::float8 as offered_yield, t.dated_date::text as dated_date, t.accrued_from::text as accrued_from,
           t.final_maturity::text as final_maturity, b.capacity::float8 as capacity, b.committed::float8 as committed, b.open
         from tranches t left join tranche_books b using (tranche_id) where t.deal_id = $1 order by t.seniority`,
        [dealId],
      ),
    );

  await t.test('puts a deal on the market with the pool’s name, type and dates, in one act that the audit log has', async () => {
    const { seller, pool, pool_id, requested } = await structured({}, { name: 'Ürün Auto 2026-1', offering: '506C' });
    await requested();
    const { result, changed } = await changesOf(gateway, () => issue(pool_id));
    const { deal_id, status } = dataOf(result);
    assert.deepEqual([result.body.data.pool_id, status], [pool_id, 'ISSUED']);
    assert.deepEqual(changed, [
      'alerts',
      'audit_log',
      'events',
      'pools',
      'securitization_deals',
      'tranche_books',
      'tranche_factors',
      'tranches',
    ]);
    const investor = await desk.investor();
    const deal = await desk.read(`deals/${deal_id}`, investor);
    const size = pool.structure.tranches.reduce((sum: number, each: { balance: number }) => sum + each.balance, 0);
    const { name, asset_type, dealSize, market_status, closing_date, tranche_count } = deal;
    assert.deepEqual(
      { name, asset_type, dealSize, status: deal.status, market_status, closing_date, tranche_count },
      {
        name: 'Ürün Auto 2026-1',
        asset_type: 'Auto',
        dealSize: size,
        status: 'APPROVED',
        market_status: 'MARKETING',
        closing_date: POOL_DATES.closing_date,
        tranche_count: 2,
      },
    );
    const [entry] = (await desk.audited(pool_id)).filter((each) => each.action === 'pool.issued');
    assert.deepEqual(
      [entry?.actor, entry?.organization_id, entry?.before, entry?.after],
      [desk.operator.key_id, seller.organization_id, { status: 'LOCKED' }, { status: 'ISSUED', deal_id, deal_size: size }],
    );
    assert.equal((await desk.subscribe({ deal_id, pool_id, tranches: [] }, investor, 1_000)).status, 201, 'its books are open');
    const unaccredited = await desk.investor({ accredited: false });
    assert.equal(
      (await desk.subscribe({ deal_id, pool_id, tranches: [] }, unaccredited, 1_000)).status,
      422,
      'the offering is the pool’s',
    );
  });

  await t.test('gives each tranche the terms of the structure', async () => {
    const terms = {
      tranche: 'A-1',
      class: 'A',
      balance: 40_000.5,
      coupon: { type: 'FIXED', rate: 5.25 },
      day_count: 'ACT/360',
      seniority: 3,
      denomination: 5_000,
      increment: 250,
      rating: 'AA+',
      erisa_eligible: false,
      offered_yield: 5.5,
      final_maturity: '2040-01-15',
    };
    const { pool_id, requested } = await structured({
      tranches: [terms, { tranche: 'R', class: 'RESIDUAL', balance: 0 }],
      payment: { first_payment_date: '2027-01-15', dated_date: '2026-12-20' },
      accounts: [],
      triggers: [],
      waterfall: [
        { pay: 'FEE', to: ['servicing'] },
        { pay: 'INTEREST', to: ['A-1'] },
        { pay: 'PRINCIPAL', to: ['A-1'] },
        { pay: 'RESIDUAL', to: ['R'] },
      ],
    });
    await requested();
    const [residual, note] = await tranchesOf(dataOf(await issue(pool_id)).deal_id);
    const { coupon: _coupon, ...own } = terms;
    assert.deepEqual(note, {
      ...own,
      offered: true,
      current: 40_000.5,
      coupon_type: 'FIXED',
      coupon: 5.25,
      dated_date: '2026-12-20',
      accrued_from: '2026-12-20',
      capacity: 40_000.5,
      committed: 0,
      open: true,
    });
    assert.deepEqual([residual?.tranche, residual?.offered, residual?.seniority], ['R', false, 2]);
  });

  await t.test('gives a tranche that says little its name as class, its place as rank and holdings of 1,000', async () => {
    const { pool_id, balance, requested } = await structured({
      tranches: [
        { tranche: 'S', balance: 10_000, coupon: { type: 'FIXED', rate: 4 } },
        { tranche: 'F', balance: 20_000, coupon: { type: 'FLOATING', index: 'SOFR', margin_bp: 150 } },
        { tranche: 'E', balance: 0, coupon: { type: 'FIXED', rate: 6 } },
        { tranche: 'Z', balance: 5_000 },
        { tranche: 'R', class: 'RESIDUAL', balance: 0 },
      ],
      accounts: [],
      triggers: [],
      waterfall: [
        { pay: 'INTEREST', to: ['S', 'F', 'E', 'Z'] },
        { pay: 'PRINCIPAL', to: ['S', 'F', 'E', 'Z'] },
        { pay: 'RESIDUAL', to: ['R'] },
      ],
      fees: [],
    });
    assert.ok(balance > 35_000);
    await requested();
    const { deal_id } = dataOf(await issue(pool_id));
    const stored = await tranchesOf(deal_id);
    assert.deepEqual(
      stored.map((each) => [each.tranche, each.class, each.offered, each.seniority, each.coupon_type, each.coupon]),
      [
        ['S', 'S', true, 1, 'FIXED', 4],
        ['F', 'F', true, 2, 'FLOATING', null],
        ['E', 'E', false, 3, 'FIXED', 6],
        ['Z', 'Z', true, 4, 'FIXED', 0],
        ['R', 'RESIDUAL', false, 5, 'FIXED', 0],
      ],
    );
    for (const each of stored) {
      assert.deepEqual(
        [
          each.denomination,
          each.increment,
          each.day_count,
          each.erisa_eligible,
          each.rating,
          each.offered_yield,
          each.final_maturity,
        ],
        [1_000, 1_000, '30/360', true, null, null, null],
      );
      assert.deepEqual([each.dated_date, each.accrued_from], [POOL_DATES.closing_date, POOL_DATES.closing_date]);
    }
    const deal = await desk.read(`deals/${deal_id}`, await desk.investor());
    assert.deepEqual([deal.dealSize, deal.tranche_count, deal.minimum_investment], [35_000, 3, 1_000], 'of what is on offer');
  });

  await t.test('is refused before the lock with the state, and before the request of the originator', async () => {
    const drafter = await newSeller();
    const loans = await approvedDeal(gateway, drafter, desk.operator, { rows: 6 });
    const draft = dataOf(await formPool(gateway, drafter, [loans])).pool_id;
    const early = await assertRefused(gateway, () => issue(draft), [409, 'INVALID_TRANSITION']);
    assert.equal(early.body.current_status, 'DRAFT');
    const { pool_id, act } = await structured();
    const unlocked = await assertRefused(gateway, () => issue(pool_id), [409, 'INVALID_TRANSITION']);
    assert.equal(unlocked.body.current_status, 'STRUCTURED');
    dataOf(await act('POST', '/lock'));
    const unasked = await assertRefused(gateway, () => issue(pool_id), [409, 'CONFLICT']);
    assert.deepEqual([unasked.body.current_status, /has not requested/.test(unasked.body.message ?? '')], ['LOCKED', true]);
    dataOf(await act('POST', '/issue'));
    assert.equal((await issue(pool_id)).status, 200);
  });

  await t.test('is made once, also when it is confirmed several times at once', async () => {
    const { pool_id, requested } = await structured();
    await requested();
    const answers = await Promise.all([issue(pool_id), issue(pool_id), issue(pool_id)]);
    assert.deepEqual(answers.map((answer) => answer.status).toSorted(), [200, 409, 409]);
    const late = await assertRefused(gateway, () => issue(pool_id), [409, 'INVALID_TRANSITION']);
    assert.equal(late.body.current_status, 'ISSUED');
    const deals = await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.rows('select deal_id from securitization_deals where pool_id = $1', [pool_id]),
    );
    assert.equal(deals.length, 1);
  });

  await t.test('is decided by an operator of another organization', async () => {
    const { seller, pool_id, requested } = await structured();
    await requested();
    const path = `/v1/operator/pools/${pool_id}/issue`;
    const own = await gateway.mixedKey(seller);
    await assertRefused(gateway, () => desk.send('POST', path, own), [403, 'OWN_ORGANIZATION']);
    await assertRefused(gateway, () => desk.send('POST', path, seller), [403, 'ROLE_FORBIDDEN']);
    await assertRefused(gateway, () => issue('pool_none'), [404, 'NOT_FOUND']);
  });

  await t.test('the operator lists pools of all originators by status, type, organization and either deal', async () => {
    const seller = await newSeller();
    const pool = await structuredPool(gateway, seller, desk.operator, 6);
    const deal_id = await issuedDeal(gateway, seller, desk.operator, pool.pool_id);
    const { pool_id: other, seller: neighbour } = await structured();
    const listed = async (query: string): Promise<string[]> =>
      dataOf(await desk.operate('GET', `pools?limit=100&${query}`)).map((row: { pool_id: string }) => row.pool_id);
    const own = `organization_id=${seller.organization_id}`;
    assert.deepEqual(await listed(own), [pool.pool_id]);
    assert.deepEqual(await listed(`${own}&status=ISSUED&type=Auto`), [pool.pool_id]);
    assert.deepEqual(await listed(`${own}&status=STRUCTURED`), []);
    assert.deepEqual(await listed(`${own}&type=Mortgage`), []);
    assert.deepEqual(await listed(`deal_id=${deal_id}`), [pool.pool_id]);
    assert.deepEqual(await listed(`deal_id=${pool.deal_ids[0]}`), [pool.pool_id]);
    assert.deepEqual(await listed('deal_id=deal_none'), []);
    assert.deepEqual(await listed(`organization_id=${neighbour.organization_id}&status=STRUCTURED`), [other]);
    assert.deepEqual((await listed('')).slice(0, 2), [other, pool.pool_id], 'newest first');
    const [row] = dataOf(await desk.operate('GET', `pools?${own}`));
    assert.deepEqual([row.organization_id, row.deal_id, row.status], [seller.organization_id, deal_id, 'ISSUED']);
    assert.deepEqual(codeOf(await desk.operate('GET', 'pools?from=2026-02-01&to=2026-01-01')), [422, 'RANGE_REVERSED']);
    assert.equal((await desk.operate('GET', 'pools?status=issued')).status, 400);
  });
});
