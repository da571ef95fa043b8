import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROUTES } from '../../src/app.ts';
import { type Answer, type Gateway, type Holder, startGateway } from '../support/gateway.ts';
import { buy, listDeal } from '../support/market.ts';

const OWN_PEOPLE = 'its own members, by one of them with the right ADMIN; no key writes them';
const OWN_NOTICES = 'its own alerts and receivers: no other organization has a part in them';

// What an operator may do about its own organization, and why.
const EXEMPT: Record<string, string> = {
  'PUT /v1/operator/fixings': 'a fixing belongs to no organization: it moves every tranche that follows the index',
  'POST /v1/operator/profile-documents/:documentId/download': 'reads a form and decides nothing',
  'POST /v1/operator/alerts/mark': OWN_NOTICES,
  'PATCH /v1/operator/alerts/:alertId': OWN_NOTICES,
  'PUT /v1/operator/notification-preferences': OWN_NOTICES,
  'POST /v1/operator/webhooks/subscriptions': OWN_NOTICES,
  'PATCH /v1/operator/webhooks/subscriptions/:id': OWN_NOTICES,
  'DELETE /v1/operator/webhooks/subscriptions/:id': OWN_NOTICES,
  'POST /v1/operator/webhooks/subscriptions/:id/test': OWN_NOTICES,
  'POST /v1/operator/webhooks/subscriptions/:id/rotate-secret': OWN_NOTICES,
  'POST /v1/operator/webhooks/subscriptions/:id/recover': OWN_NOTICES,
  'POST /v1/operator/members': OWN_PEOPLE,
  'PATCH /v1/operator/members/:memberId': OWN_PEOPLE,
  'DELETE /v1/operator/members/:memberId': OWN_PEOPLE,
  'PUT /v1/operator/approval-policy': 'how the operators decide; it names no organization',
  'POST /v1/operator/approvals/:approvalId/approve':
    'the act refuses a person of the organization that it is about (approvals.test.ts)',
  'POST /v1/operator/approvals/:approvalId/deny': 'nothing is done',
  'POST /v1/operator/approvals/:approvalId/token': 'the key that it has asked for itself',
  'POST /v1/operator/keys': 'keys of its own kind; a customer’s key for its organization is ROLE_CONFLICT',
  'POST /v1/operator/keys/:keyId/revoke': 'a key of its own that leaked is revoked at once',
  'POST /v1/operator/keys/:keyId/rotate': 'its own keys are rotated; role and organization stay as they are',
};

const DECISIONS = ROUTES.filter((route) => route.path.startsWith('/v1/operator/') && route.method !== 'GET');
const REASON = { reason: 'A reason.' };
const PROFILE = {
  kyc_status: 'VERIFIED',
  kyc_expires_on: null,
  sanctions_status: 'CLEAR',
  qib: true,
  accredited: true,
  us_person: true,
  tax_form: 'W9_FORM',
  erisa_plan: false,
};

test('an operator decides nothing about its own organization', async (t) => {
  await using gateway = await startGateway();
  const [own, other, platform] = [
    await gateway.key('both', 'Own'),
    await gateway.key('both', 'Other'),
    await gateway.key('operator', 'Platform'),
  ];
  const mixed = await gateway.mixedKey(own);
  const records = await makeRecords(gateway, own, other, platform);
  const act = (method: string, path: string, body: unknown, as: Holder): Promise<Answer> =>
    gateway.call(method, path, { as, ...(body === undefined ? {} : { body }) });

  await t.test('every decision of the route list is tried on a record of its own, or exempt for a reason', async () => {
    for (const route of DECISIONS) {
      const name = `${route.method} ${route.path}`;
      if (EXEMPT[name]) continue;
      const tries = records[name];
      assert.ok(tries && tries.length > 0, `${name}: say here which records of an operator’s own organization it is refused for`);
      for (const [id, body] of tries) {
        const path = route.path.replace(/:\w+/, id);
        const refused = await act(route.method, path, body, mixed);
        assert.deepEqual([name, id, refused.status, refused.body.code], [name, id, 403, 'OWN_ORGANIZATION']);
      }
    }
  });

  await t.test('and the exempt ones exist', () => {
    const names = new Set(DECISIONS.map((route) => `${route.method} ${route.path}`));
    for (const name of [...Object.keys(EXEMPT), ...Object.keys(records)]) assert.ok(names.has(name), name);
  });

  await t.test('its own keys stay in its hands, and a customer’s key for it is refused', async () => {
    const asked = { organization: 'Platform', environment: 'development', requester: 'Ada', use_case: 'Operate' };
    const issued = await act('POST', '/v1/operator/keys', { ...asked, role: 'operator' }, platform);
    assert.equal(issued.status, 201);
    const id = issued.body.data.key_id;
    assert.equal((await act('POST', `/v1/operator/keys/${id}/rotate`, {}, platform)).status, 201);
    assert.equal((await act('POST', `/v1/operator/keys/${id}/revoke`, {}, platform)).status, 200);
    const customer = await act('POST', '/v1/operator/keys', { ...asked, role: 'both' }, platform);
    assert.deepEqual([customer.status, customer.body.code], [409, 'ROLE_CONFLICT']);
  });
});

type Tries = Record<string, [id: string, body: unknown][]>;

/** For each decision, records that concern the organization `own`: its own ones, and those of others in its deals. */
async function makeRecords(gateway: Gateway, own: Holder, other: Holder, platform: Holder): Promise<Tries> {
  const created = async (path: string, as: Holder, body: unknown) => {
    const answer = await gateway.call('POST', path, { as, body });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body.data;
  };
  const [issued, theirs] = [await listDeal(gateway, own), await listDeal(gateway, other, { name: 'Other 2026-1' })];
  const subscribed = async (deal: string, as: Holder): Promise<string> =>
    (await created(`/v1/api/investor/deals/${deal}/subscribe`, as, { subscription_amount: 5_000 })).subscription_id;
  const subscriptions = [await subscribed(issued.deal_id, other), await subscribed(theirs.deal_id, own)];
  const sold = await buy(gateway, platform, other, await listDeal(gateway, own, { name: 'Own 2026-2' }), 5_000);
  const bought = await buy(gateway, platform, own, await listDeal(gateway, other, { name: 'Other 2026-2' }), 5_000);
  const draft = await created('/v1/api/originator/loans/initiate', own, {
    loanType: 'Auto',
    fileFormat: 'text/csv',
    fileName: 'a.csv',
  });
  const waivers = ['wvr_own1', 'wvr_own2'];
  await gateway.deps.db.tx({ platform: true }, async (tx) => {
    const organization = own.organization_id;
    await tx.exec(
      `insert into sc_jobs (sc_job_id, organization_id, deal_id, criteria_id, criteria_version, tape_version, status) values ('scj_own', $1, $2, 'crt_own', 1, 1, 'COMPLETED')`,
      [organization, draft.deal_id],
    );
    await tx.exec(
      `insert into exception_files (exception_file_id, organization_id, deal_id, sc_job_id, exception_count) values ('exf_own', $1, $2, 'scj_own', 1)`,
      [organization, draft.deal_id],
    );
    for (const waiver of waivers) {
      await tx.exec(
        `insert into waivers (waiver_id, organization_id, deal_id, exception_file_id, criteria_id, rule_id, loan_ids, reason, requested_by)
         values ($1, $2, $3, 'exf_own', 'crt_own', 'R', '{L}', 'x', 'key_x')`,
        [waiver, organization, draft.deal_id],
      );
    }
    await tx.exec(
      `insert into calculations (calculation_id, organization_id, pool_id, calculation_key, type, purpose, status, as_of, granularity, inputs)
       values ('calc_own', $1, $2, 'k', 'PRICING', 'MARK', 'PENDING', '2026-11-30', 'x', '{}')`,
      [organization, issued.pool_id],
    );
    await tx.exec(
      `insert into remittances (remittance_id, pool_id, period, organization_id, deal_id, payment_date, report, performance, triggers, state_after, verification, status, created_at, updated_at)
       values ('rem_own', $1, 1, $2, $3, '2027-01-15', '{}', '{}', '[]', '{}', '{"status": "DIFFERS", "lines": [], "missing": []}', 'HELD', $4, $4)`,
      [issued.pool_id, organization, issued.deal_id, tx.now],
    );
    for (const holder of [own, other])
      await tx.exec(
        `insert into pledge_conflicts (conflict_id, organization_id, holder_id, pair, loan_type, status, count, balance, met, first_seen, updated_at)
         values ('plc_own', $1, $1, 'p', 'Auto', 'OPEN', 1, 1, '{vin}', $2, $2)`,
        [holder.organization_id, tx.now],
      );
  });
  const each = (ids: string[], body: unknown = REASON): [string, unknown][] => ids.map((id) => [id, body]);
  const deal = '/v1/operator/deals/:dealId';
  const organization = '/v1/operator/organizations/:organizationId';
  const trades = each([sold, bought]);
  return {
    [`PUT ${organization}/profile`]: each([own.organization_id], PROFILE),
    [`POST ${organization}/suspend`]: each([own.organization_id], {}),
    [`POST ${organization}/resume`]: each([own.organization_id], {}),
    [`POST ${deal}/approve`]: each([draft.deal_id]),
    [`POST ${deal}/reject`]: each([draft.deal_id]),
    [`POST ${deal}/withdraw`]: each([draft.deal_id, issued.deal_id]),
    [`POST ${deal}/close-books`]: each([issued.deal_id], {}),
    [`POST ${deal}/reopen-books`]: each([issued.deal_id]),
    [`POST ${deal}/close`]: each([issued.deal_id]),
    [`POST ${deal}/allocations`]: [
      ...each([issued.deal_id, theirs.deal_id], { method: 'PRO_RATA' }),
      ...each([issued.deal_id, theirs.deal_id], { method: 'PRO_RATA', dry_run: true }),
    ],
    'POST /v1/operator/waivers/:waiverId/approve': each(waivers.slice(0, 1)),
    'POST /v1/operator/waivers/:waiverId/deny': each(waivers.slice(1)),
    'POST /v1/operator/pledge-conflicts/:conflictId/resolve': each(['plc_own']),
    'POST /v1/operator/remittances/:remittanceId/accept': each(['rem_own']),
    'POST /v1/operator/pools/:poolId/issue': each([issued.pool_id]),
    'POST /v1/operator/calculations/:calculationId/publish': each(['calc_own']),
    'POST /v1/operator/subscriptions/:subscriptionId/confirm': each(subscriptions, {}),
    'POST /v1/operator/subscriptions/:subscriptionId/reject': each(subscriptions),
    'POST /v1/operator/trades/:tradeId/settle': trades,
    'POST /v1/operator/trades/:tradeId/fail': trades,
    'POST /v1/operator/trades/:tradeId/retry': trades,
    'POST /v1/operator/trades/:tradeId/cancel': trades,
  };
}
