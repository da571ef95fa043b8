import { setPolicy } from '../../src/features/approvals/policy.ts';
import { addMember } from '../../src/features/members/change-members.ts';
import type { Policy } from '../../src/features/approvals/queries.ts';
import type { ApprovalAct } from '../../src/platform/http/approval-acts.ts';
import { platformActor } from '../../src/platform/http/platform-actor.ts';
import { type Desk, dataOf } from './desk.ts';
import { PRICING, analyst } from './calculations.ts';
import { selector } from './criteria.ts';
import type { Gateway, Holder } from './gateway.ts';
import { issuedDeal, structuredPool } from './pools.ts';
import { servicedDeal, soldTrades } from './servicing.ts';
import { seller } from './tapes.ts';

/** How many people acts need; those that are left out need one. */
export function setNeeded(gateway: Gateway, operator: Holder, acts: Partial<Policy>): Promise<void> {
  return gateway.deps.db.tx({ platform: true }, (tx) => setPolicy(tx, operator, acts));
}

/** A request of an act that could be done now. */
export type Act = { method: string; path: string; body?: object };

/** For each act of the policy, its routes: each makes a record on which the act can be done once, with acts that need nobody else. */
export function actsOn(desk: Desk): Record<ApprovalAct, Record<string, () => Promise<Act>>> {
  const { gateway, operator } = desk;
  let made = 0;
  const name = (): string => `House ${(made += 1)}`;
  const checked = async (): Promise<string> => (await seller(gateway, name())).checked();
  const post = (path: string, body?: object): Act => ({
    method: 'POST',
    path: `/v1/operator/${path}`,
    ...(body ? { body } : {}),
  });
  const waiver = async (): Promise<string> => {
    const own = await selector(gateway, name());
    const { exception_file_id } = await own.run();
    return dataOf(await own.waive(exception_file_id, ['A000001'])).waiver_id;
  };
  const investor = () => desk.investor();
  const reason = { reason: 'Seen.' };
  return {
    DEAL_APPROVE: { approveDeal: async () => post(`deals/${await checked()}/approve`) },
    DEAL_REJECT: { rejectDeal: async () => post(`deals/${await checked()}/reject`, reason) },
    POOL_ISSUE: {
      issuePool: async () => {
        const as = await gateway.key('originator', name());
        const { pool_id } = await structuredPool(gateway, as, operator);
        for (const step of ['lock', 'issue']) dataOf(await desk.send('POST', `/v1/api/originator/pools/${pool_id}/${step}`, as));
        return post(`pools/${pool_id}/issue`);
      },
    },
    ALLOCATE: {
      allocateDeal: async () => {
        const deal = await desk.list({ name: name() });
        await desk.confirmed(deal, await investor(), 50_000);
        return post(`deals/${deal.deal_id}/allocations`, { method: 'PRO_RATA' });
      },
    },
    SETTLE: {
      settleTrade: async () => {
        const deal = await servicedDeal(desk, await gateway.key('originator', name()));
        const [trade] = await soldTrades(desk, deal, [[await investor(), 50_000]]);
        return post(`trades/${trade}/settle`);
      },
    },
    MARK_PUBLISH: {
      publishCalculation: async () => {
        const { ours, pool, run } = await analyst(gateway, operator, name());
        const calculation = await run(PRICING);
        await issuedDeal(gateway, ours, operator, pool.pool_id);
        return post(`calculations/${calculation}/publish`);
      },
    },
    PROFILE_SET: {
      setOrganizationProfile: async () => ({
        method: 'PUT',
        path: `/v1/operator/organizations/${(await gateway.key('investor', name(), { profile: 'none' })).organization_id}/profile`,
        body: {
          kyc_status: 'VERIFIED',
          kyc_expires_on: null,
          sanctions_status: 'CLEAR',
          qib: true,
          accredited: true,
          us_person: true,
          tax_form: 'W9_FORM',
          erisa_plan: false,
        },
      }),
    },
    WAIVER: {
      approveWaiver: async () => post(`waivers/${await waiver()}/approve`, reason),
      denyWaiver: async () => post(`waivers/${await waiver()}/deny`, reason),
    },
    KEY_ISSUE: {
      issueKey: async () =>
        post('keys', { organization: name(), role: 'both', environment: 'development', requester: 'Ada', use_case: 'Trade' }),
      rotateKey: async () => post(`keys/${(await gateway.key('both', name())).key_id}/rotate`),
    },
    REMITTANCE_ACCEPT: {
      acceptRemittance: async () => {
        const deal = await servicedDeal(desk, await gateway.key('originator', name()));
        const report = deal.report({ principal: 20_000 });
        const available = { interest: 6_600, principal: 20_000 };
        const differing = { ...report, collateral: { ...report.collateral, fees: 900 }, available };
        return post(`remittances/${dataOf(await deal.send(differing)).remittance_id}/accept`, reason);
      },
    },
    POLICY_SET: {
      setApprovalPolicy: async () => ({
        method: 'PUT',
        path: '/v1/operator/approval-policy',
        body: { acts: { POLICY_SET: 2, DEAL_REJECT: (made += 1) % 2 ? 2 : 3 } },
      }),
    },
    MEMBER_SET: {
      createOperatorMember: async () => post('members', { email: `m${(made += 1)}@example.com`, name: 'Max', rights: ['VIEW'] }),
      changeOperatorMember: async () => ({
        method: 'PATCH',
        path: `/v1/operator/members/${await member(gateway, operator, `m${(made += 1)}@example.com`)}`,
        body: { rights: ['EDIT'] },
      }),
      deleteOperatorMember: async () => ({
        method: 'DELETE',
        path: `/v1/operator/members/${await member(gateway, operator, `m${(made += 1)}@example.com`)}`,
      }),
    },
  };
}

function member(gateway: Gateway, { organization_id }: Holder, email: string): Promise<string> {
  const row = { organization_id, email, name: 'Mia', rights: ['VIEW'] as const };
  return gateway.deps.db.tx({ platform: true }, async (tx) => (await addMember(tx, platformActor('test'), row)).member_id);
}
