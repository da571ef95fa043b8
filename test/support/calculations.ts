import type { Answer, Gateway, Holder } from './gateway.ts';
import { structuredPool } from './pools.ts';

export const PRICING = {
  type: 'PRICING',
  purpose: 'MARK',
  assumptions: { cpr: 6, cdr: 1.5, severity: 45, recovery_lag_months: 6 },
};

/** An originator with a STRUCTURED pool of its own, and its calls about the pool's calculations. */
export async function analyst(gateway: Gateway, operator: Holder, name: string, rows = 20) {
  const ours = await gateway.key('originator', name);
  const pool = await structuredPool(gateway, ours, operator, rows);
  const base = `/v1/api/originator/analytics/pools/${pool.pool_id}`;
  const get = (path: string, as = ours): Promise<Answer> => gateway.call('GET', `${base}${path}`, { as });
  const request = (body: unknown, as = ours): Promise<Answer> => gateway.call('POST', `${base}/calculations`, { as, body });
  /** Requests a calculation that must be accepted; its id. */
  const queue = async (body: unknown = PRICING): Promise<string> => {
    const requested = await request(body);
    if (requested.status !== 202) throw new Error(`calculation answered ${requested.status}: ${JSON.stringify(requested.body)}`);
    return requested.body.data.calculation_id;
  };
  /** Requests a calculation and runs it; its id. */
  const run = async (body: unknown = PRICING): Promise<string> => {
    const id = await queue(body);
    await gateway.runJobs();
    return id;
  };
  const read = async (id: string) => (await get(`/calculations/${id}`)).body.data;
  return { ours, pool, get, request, queue, run, read };
}
