import type { Gateway, Holder } from './gateway.ts';
import { autoTape, sendTape } from './tapes.ts';

export type Envelope = Awaited<ReturnType<Gateway['call']>>['body'];

/** A loan deal whose tape was sent, checked and approved. */
export async function approvedDeal(
  gateway: Gateway,
  originator: Holder,
  operator: Holder,
  tape: { loanType?: string; rows?: number; bytes?: string; name?: string } = {},
): Promise<string> {
  const bytes = tape.bytes ?? nextAutoTape(gateway, originator, tape.rows ?? 60);
  const { deal_id } = await sendTape(gateway, originator, {
    loanType: tape.loanType ?? 'Auto',
    bytes,
    ...(tape.name ? { name: tape.name } : {}),
  });
  await gateway.runJobs();
  const approved = await gateway.call('POST', `/v1/operator/deals/${deal_id}/approve`, { as: operator });
  if (approved.status !== 200) throw new Error(`approve answered ${approved.status}: ${JSON.stringify(approved.body)}`);
  return deal_id;
}

const dealsOf = new WeakMap<Gateway, Map<string, number>>();

/** A tape of loans that no deal of the originator has: the ids of its first one begin with A, those of the next with B, and so on. */
function nextAutoTape(gateway: Gateway, { organization_id }: Holder, rows: number): string {
  const counts = dealsOf.get(gateway) ?? new Map<string, number>();
  dealsOf.set(gateway, counts);
  const count = counts.get(organization_id) ?? 0;
  counts.set(organization_id, count + 1);
  const series = `${String.fromCharCode(65 + (count % 26))}${count < 26 ? '' : Math.floor(count / 26)}`;
  return autoTape(rows, (row) => {
    row['Loan ID'] = row['Loan ID']?.replace(/^A/, series) ?? '';
  });
}

export const POOL_DATES = { cut_off_date: '2026-11-30', closing_date: '2026-12-15' };

/** Forms a pool of the deals; the answer, whatever it is. */
export function formPool(gateway: Gateway, originator: Holder, dealIds: string[], more: Record<string, unknown> = {}) {
  const body = { name: 'Harbor Auto 2026-1', deal_ids: dealIds, ...POOL_DATES, ...more };
  return gateway.call('POST', '/v1/api/originator/pools', { as: originator, body });
}

/** Two notes paid one after the other, a fee, a reserve, a loss trigger and a residual, on a pool of that balance. */
export function structureOver(balance: number, changes: Record<string, unknown> = {}): Record<string, unknown> {
  const share = (fraction: number) => Math.floor((balance * fraction) / 1_000) * 1_000;
  const note = (tranche: string, fraction: number, rate: number, seniority: number) => ({
    tranche,
    class: tranche.slice(0, 1),
    balance: share(fraction),
    coupon: { type: 'FIXED', rate },
    day_count: '30/360',
    seniority,
    denomination: 1_000,
    increment: 1_000,
    rating: seniority === 1 ? 'AAA' : 'A',
  });
  return {
    payment: { first_payment_date: '2027-01-15', business_day: 'FOLLOWING' },
    tranches: [note('A-1', 0.7, 5, 1), note('B', 0.15, 6.5, 2), { tranche: 'R', class: 'RESIDUAL', balance: 0, seniority: 9 }],
    accounts: [{ account: 'reserve', initial: share(0.005) + 1_000, target: { percent: 0.5, of: 'POOL_ORIGINAL' } }],
    fees: [{ fee: 'servicing', percent: 1, of: 'POOL_BEGINNING' }],
    waterfall: [
      { pay: 'FEE', to: ['servicing'] },
      { pay: 'INTEREST', to: ['A-1', 'B'] },
      { pay: 'PRINCIPAL', to: ['A-1', 'B'] },
      { pay: 'RESERVE', to: ['reserve'] },
      { pay: 'RESIDUAL', to: ['R'] },
    ],
    triggers: [{ trigger: 'cnl', metric: 'CUMULATIVE_NET_LOSS', op: 'gt', value: 1.5 }],
    ...changes,
  };
}

/** A STRUCTURED pool over one approved deal: the pool as its detail tells it. */
export async function structuredPool(
  gateway: Gateway,
  originator: Holder,
  operator: Holder,
  rows = 60,
  change: (structure: Record<string, unknown>) => object = (structure) => structure,
) {
  const dealId = await approvedDeal(gateway, originator, operator, { rows });
  const formed = await formPool(gateway, originator, [dealId]);
  if (formed.status !== 201) throw new Error(`pool answered ${formed.status}: ${JSON.stringify(formed.body)}`);
  const path = `/v1/api/originator/pools/${formed.body.data.pool_id}/structure`;
  const put = await gateway.call('PUT', path, { as: originator, body: change(structureOver(formed.body.data.balance)) });
  if (put.status !== 200) throw new Error(`structure answered ${put.status}: ${JSON.stringify(put.body)}`);
  return put.body.data;
}

/** Locks, asks for and confirms the issue of a STRUCTURED pool; the id of the securitization deal. */
export async function issuedDeal(gateway: Gateway, originator: Holder, operator: Holder, poolId: string): Promise<string> {
  await gateway.call('POST', `/v1/api/originator/pools/${poolId}/lock`, { as: originator });
  await gateway.call('POST', `/v1/api/originator/pools/${poolId}/issue`, { as: originator });
  const issued = await gateway.call('POST', `/v1/operator/pools/${poolId}/issue`, { as: operator });
  if (issued.status !== 200) throw new Error(`issue answered ${issued.status}: ${JSON.stringify(issued.body)}`);
  return issued.body.data.deal_id;
}
