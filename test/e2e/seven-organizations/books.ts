import assert from 'node:assert/strict';
import { PDF } from '../../support/documents.ts';
import { until } from '../../support/until.ts';
import { type Issue, publishMark } from './loans.ts';
import { type Data, type Market, type Member, upload } from './members.ts';

export type Issues = Record<'harbor' | 'ridge' | 'twin', Issue>;

const PROFILE = {
  kyc_status: 'VERIFIED',
  kyc_expires_on: '2030-12-31',
  sanctions_status: 'CLEAR',
  qib: true,
  accredited: true,
  us_person: true,
  tax_form: 'W9_FORM',
  erisa_plan: false,
};

const setProfile = ({ platform }: Market, member: Member, changes: Partial<typeof PROFILE> = {}): Promise<Data> =>
  platform.put(`organizations/${member.holder.organization_id}/profile`, { ...PROFILE, ...changes }, 'organization.profile_set');

/** What investors do on one deal; every act must succeed. */
const bidder = ({ deal_id, tranches }: Issue, investor: Member) => {
  const on = `investor/deals/${deal_id}`;
  const tranche = (at: number) => ({ tranche_id: tranches[at].tranche_id as string });
  return {
    indicate: (interest_amount: number) => investor.post(`${on}/ioi`, { interest_amount }, 'ioi.submitted'),
    check: (subscription_amount: number) => investor.post(`${on}/subscribe/check`, { subscription_amount }),
    subscribe: (subscription_amount: number, at = 0): Promise<Data> =>
      investor.post(`${on}/subscribe`, { subscription_amount, ...tranche(at) }, 'subscription.created'),
    order: (amount: number, at = 0, more: object = {}): Promise<Data> =>
      investor.post(`${on}/orders`, { amount, ...tranche(at), ...more }, 'order.placed'),
    refusedOrder: (amount: number, at = 0) =>
      investor.refused(['POST', `${on}/orders`, { amount, ...tranche(at) }], [422, 'COMPLIANCE_FAILED'], 'order.refused'),
    watch: () => investor.put(`investor/watchlist/${deal_id}`, {}),
  };
};

async function sendDocument({ gateway }: Market, owner: Member, { deal_id }: Issue, fileName: string): Promise<string> {
  const opened = await owner.post('deals/documents/initiate', { fileName, dealId: deal_id });
  await upload(gateway, opened, PDF);
  const body = { fileName, fileKey: opened.file_key, dealId: deal_id };
  return (await owner.post('deals/documents/complete', body, 'document.registered')).document_id;
}

async function fileTaxForm({ gateway }: Market, investor: Member): Promise<void> {
  const base = 'investor/profile/documents';
  const opened = await investor.post(`${base}/initiate`, { fileName: 'w9.pdf', documentType: 'W9_FORM' });
  await upload(gateway, opened, PDF);
  await investor.post(`${base}/complete`, { fileName: 'w9.pdf', fileKey: opened.file_key }, 'profile.document_filed');
}

/** Profiles and papers before the books open: a tax form is filed and reviewed, and one investor waits for a sanctions review. */
export async function prepareInvestors(market: Market, { harbor, twin }: Issues) {
  await fileTaxForm(market, market.elm);
  await setProfile(market, market.elm);
  await setProfile(market, market.summit, { sanctions_status: 'REVIEW' });
  const [prospectus] = [await sendDocument(market, market.harbor, harbor, 'prospectus.pdf')];
  await sendDocument(market, market.twin, twin, 'internal.pdf');
  return { prospectus };
}

/** The books at their fullest, before anything is rejected, cancelled or withdrawn. */
export async function fillBooks(market: Market, issues: Issues) {
  const { northgate, elm, summit, twin } = market;
  const inHarbor = {
    n: bidder(issues.harbor, northgate),
    e: bidder(issues.harbor, elm),
    s: bidder(issues.harbor, summit),
    t: bidder(issues.harbor, twin),
  };
  const inTwin = { n: bidder(issues.twin, northgate), e: bidder(issues.twin, elm), s: bidder(issues.twin, summit) };
  const inRidge = { n: bidder(issues.ridge, northgate), e: bidder(issues.ridge, elm), s: bidder(issues.ridge, summit) };

  const { ioi_id } = await inHarbor.n.indicate(250_000);
  await northgate.patch(`investor/iois/${ioi_id}`, { interest_amount: 300_000 }, 'ioi.amended');
  const withdrawn = await inRidge.e.indicate(90_000);
  await inTwin.s.indicate(70_000);
  await inRidge.s.indicate(60_000);
  await inTwin.e.watch();
  await inRidge.s.watch();

  assert.equal((await inHarbor.n.check(200_000)).compliance_check_result, 'passed');
  const subscriptions = {
    northgate: await inHarbor.n.subscribe(200_000),
    summit: await inHarbor.s.subscribe(120_000),
    rejected: await inHarbor.e.subscribe(100_000),
    cancelled: await inHarbor.t.subscribe(50_000),
    late: await inHarbor.t.subscribe(30_000),
    mezzanine: await inTwin.n.subscribe(100_000, 1),
    ridge: await inRidge.n.subscribe(100_000),
  };
  assert.equal(subscriptions.summit.compliance_check_result, 'review_required');
  await bidder(issues.twin, twin).refusedOrder(10_000);
  const orders = {
    northgate: await inHarbor.n.order(200_000, 0, { limit_yield: 4.95 }),
    elm: await inHarbor.e.order(250_000),
    twin: await inHarbor.t.order(200_000),
    cancelled: await inHarbor.t.order(20_000, 1),
    elmOnB: await inHarbor.e.order(60_000, 1),
    summitOnB: await inHarbor.s.order(90_000, 1, { limit_yield: 6, minimum_amount: 10_000 }),
    unfilled: await inHarbor.n.order(40_000, 1, { limit_yield: 7 }),
    floaters: [
      await inTwin.n.order(300_000, 0, { limit_yield: 5.8 }),
      await inTwin.e.order(200_000, 0, { limit_yield: 5.9 }),
      await inTwin.s.order(200_000),
    ],
    mezzanine: await inTwin.e.order(80_000, 1),
    ridge: await inRidge.e.order(80_000),
  };
  return { withdrawnIoi: withdrawn.ioi_id as string, subscriptions, orders };
}

export type Bids = Awaited<ReturnType<typeof fillBooks>>;

/** What leaves the books, is amended or is confirmed before they close. */
export async function settleBooks(
  market: Market,
  issues: Issues,
  { withdrawnIoi, subscriptions, orders }: Bids,
  prospectus: string,
) {
  const { northgate, elm, summit, twin, platform, harbor } = market;
  await elm.remove(`investor/iois/${withdrawnIoi}`, 'ioi.withdrawn');
  await northgate.patch(
    `investor/subscriptions/${subscriptions.northgate.subscription_id}`,
    { subscription_amount: 150_000 },
    'subscription.amended',
  );
  await platform.post(
    `subscriptions/${subscriptions.rejected.subscription_id}/reject`,
    { reason: 'Papers are missing.' },
    'subscription.rejected',
  );
  await twin.post(
    `investor/subscriptions/${subscriptions.cancelled.subscription_id}/cancel`,
    undefined,
    'subscription.cancelled',
  );
  await summit.patch(`investor/orders/${orders.summitOnB.order_id}`, { amount: 40_000 }, 'order.amended');
  await twin.remove(`investor/orders/${orders.cancelled.order_id}`, 'order.cancelled');
  await setProfile(market, summit);
  for (const each of [subscriptions.northgate, subscriptions.summit, subscriptions.mezzanine, subscriptions.ridge])
    await platform.post(`subscriptions/${each.subscription_id}/confirm`, undefined, 'subscription.confirmed');

  await harbor.put(`deals/documents/${prospectus}/visibility`, { visibility: 'INVESTORS' }, 'document.visibility_set');
  await northgate.post(`investor/deals/${issues.harbor.deal_id}/documents/${prospectus}/download`);

  // A second key of an organization works until it is revoked.
  const request = {
    organization: northgate.name,
    role: 'investor',
    environment: 'development',
    requester: 'Ada',
    use_case: 'a desk',
  };
  const issued = await platform.post('keys', request, 'key.issued');
  const second = northgate.withKey(issued);
  await second.patch(`investor/orders/${orders.unfilled.order_id}`, { amount: 30_000 }, 'order.amended');
  await platform.post(`keys/${issued.key_id}/revoke`, { reason: 'The desk has moved.' }, 'key.revoked');
  const refused = async () => (await market.gateway.call('GET', '/v1/api/investor/orders', { as: second.holder })).body.code;
  await until(async () => (await refused()) === 'KEY_REVOKED', 120_000, 'the end of the revoked key');
}

/** Closes a book and opens it again, and allocates all three deals: one at the clearing yield of its mark. */
export async function allocate(market: Market, issues: Issues): Promise<void> {
  const { platform, twin } = market;
  await platform.post(`deals/${issues.twin.deal_id}/close-books`, undefined, 'deal.market_books_closed');
  await market.northgate.refused(
    ['POST', `investor/deals/${issues.twin.deal_id}/ioi`, { interest_amount: 1_000 }],
    [409, 'BOOKS_CLOSED'],
  );
  await platform.post(`deals/${issues.twin.deal_id}/reopen-books`, undefined, 'deal.market_marketing');
  await platform.refused(
    ['POST', `deals/${issues.twin.deal_id}/allocations`, { method: 'CLEARING_YIELD' }],
    [422, 'MARK_REQUIRED'],
  );
  await publishMark(market, twin, issues.twin, 6, { F: 100.4, M: 99.75 });
  await platform.post(`deals/${issues.harbor.deal_id}/allocations`, { method: 'PRO_RATA', dry_run: true });
  for (const [issue, method] of [
    [issues.harbor, 'PRO_RATA'],
    [issues.twin, 'CLEARING_YIELD'],
    [issues.ridge, 'PRO_RATA'],
  ] as const)
    await platform.post(`deals/${issue.deal_id}/allocations`, { method }, ['deal.market_books_closed', 'deal.allocated']);
}
