import type { KeyObject } from 'node:crypto';
import { raiseAlert } from '../../src/events/emit.ts';
import type { Gateway, Holder } from '../support/gateway.ts';
import { listDeal } from '../support/market.ts';
import { autoTape, put, sendTape } from '../support/tapes.ts';

export type World = {
  tokens: Record<string, Holder>;
  names: Record<string, string>;
  signingKey: KeyObject;
  otherEnvironment: string;
};

const NOTICE = {
  category: 'deal',
  priority: 'LOW',
  title: 'A title',
  message: 'A message',
  entity_type: 'deal',
  entity_id: 'deal_1',
} as const;
const REFUSED = 'http://127.0.0.1:1025/hook';

/** The organizations, keys and objects that the cases name. */
export async function buildWorld(gateway: Gateway): Promise<World> {
  const tokens: World['tokens'] = {
    A_BOTH: await gateway.key('both', 'A'),
    A_ORIG: await gateway.key('originator', 'A'),
    A_REVOKED: await gateway.key('both', 'A'),
    B_BOTH: await gateway.key('both', 'B'),
    I_INV: await gateway.key('investor', 'I'),
    I_UNACCREDITED: await gateway.key('investor', 'U', { profile: 'none' }),
    SUSPENDED_ORG: await gateway.key('both', 'S'),
    OPERATOR: await gateway.key('operator', 'Platform'),
  };
  const as = (name: string): Holder => tokens[name] as Holder;
  const call = async (name: string, method: string, path: string, body?: unknown) => {
    const answer = await gateway.call(method, path, { as: as(name), ...(body === undefined ? {} : { body }) });
    if (answer.status >= 400) throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer;
  };
  await call('OPERATOR', 'POST', `/v1/operator/keys/${as('A_REVOKED').key_id}/revoke`);
  await call('OPERATOR', 'POST', `/v1/operator/organizations/${as('SUSPENDED_ORG').organization_id}/suspend`);
  for (const name of ['A_BOTH', 'B_BOTH']) {
    await gateway.deps.db.tx({ platform: true }, (tx) => raiseAlert(tx, as(name).organization_id, 'loan.mapping_needed', NOTICE));
  }
  const firstAlert = async (name: string): Promise<string> => (await call(name, 'GET', '/v1/api/alerts')).body.data[0].id;
  const bulk = async (name: string): Promise<string> =>
    (
      await call(name, 'POST', '/v1/api/originator/loans/bulk', {
        deals: [{ loanType: 'Auto', loans: [{ loan_id: '1', original_balance: 5 }] }],
      })
    ).body.data.job_id;
  const draft = async (name: string, loanType: string): Promise<string> =>
    (await call(name, 'POST', '/v1/api/originator/loans/initiate', { loanType, fileFormat: 'text/csv', fileName: 't.csv' })).body
      .data.deal_id;
  const document = async (name: string): Promise<string> => {
    const initiated = await call(name, 'POST', '/v1/api/deals/documents/initiate', { fileName: 'w9.pdf' });
    await put(gateway, initiated, '%PDF-1.4\n%%EOF\n');
    return initiated.body.data.file_key;
  };
  const approved = await sendTape(gateway, as('A_BOTH'), { loanType: 'Student', bytes: autoTape(5) });
  const names: World['names'] = {
    A_ALERT_UPPER: (await firstAlert('A_BOTH')).toUpperCase(),
    B_ALERT: await firstAlert('B_BOTH'),
    A_JOB: await bulk('A_BOTH'),
    B_JOB: await bulk('B_BOTH'),
    A_APPROVED: approved.deal_id,
    B_DRAFT: await draft('B_BOTH', 'Auto'),
    A_DRAFT: await draft('A_BOTH', 'Auto'),
    A_DRAFT_EMPTY: await draft('A_BOTH', 'Business'),
    A_FILEKEY: await document('A_BOTH'),
    B_FILEKEY: await document('B_BOTH'),
    B_SUB: (await call('B_BOTH', 'POST', '/v1/api/webhooks/subscriptions', { url: REFUSED })).body.data.id,
    OPEN_DEAL: (await listDeal(gateway, as('B_BOTH'))).deal_id,
    CLOSED_DEAL: (await listDeal(gateway, as('B_BOTH'), { market_status: 'CLOSED' })).deal_id,
    HIDDEN_DEAL: (await listDeal(gateway, as('B_BOTH'), { market_status: 'WITHDRAWN' })).deal_id,
    BASE_HOST: '127.0.0.1',
    ...(await deliveries(gateway, as('A_BOTH'))),
  };
  await gateway.runJobs();
  await call('OPERATOR', 'POST', `/v1/operator/deals/${approved.deal_id}/approve`);
  const other = await gateway.key('both', 'A', { environment: 'production' });
  return { tokens, names, signingKey: gateway.deps.tokens.privateKey, otherEnvironment: other.token };
}

/** One delivery that failed because nobody listens, and one that nobody has tried yet. */
async function deliveries(gateway: Gateway, holder: Holder): Promise<Record<string, string>> {
  const subscription = await gateway.call('POST', '/v1/api/webhooks/subscriptions', {
    as: holder,
    body: { url: REFUSED, events: ['trade.settled'] },
  });
  const fire = () =>
    gateway.call('POST', `/v1/api/webhooks/subscriptions/${subscription.body.data.id}/test`, {
      as: holder,
      body: { event: 'trade.settled' },
    });
  await fire();
  await gateway.runDeliveries();
  const failed = (await gateway.call('GET', '/v1/api/webhooks/deliveries?status=FAILED', { as: holder })).body.data[0];
  await fire();
  const pending = (await gateway.call('GET', '/v1/api/webhooks/deliveries?status=PENDING', { as: holder })).body.data[0];
  return { A_FAILED_DELIVERY: failed.id, A_PENDING: pending.id };
}
