import type { Answer, Gateway } from './gateway.ts';
import { autoTape, seller } from './tapes.ts';

export const SC = '/v1/api/originator/sc';

/** On the small Auto tape, whose scores are 620 + row, the first twenty loans fail SCORE; DPD cannot be waived. */
export const PRIME = {
  name: 'Prime',
  loan_type: 'Auto',
  loan_rules: [
    { id: 'SCORE', rule: { field: 'credit_score', op: 'gte', value: 640 } },
    { id: 'DPD', waivable: false, rule: { field: 'days_past_due', op: 'lte', value: 30 } },
  ],
  pool_tests: [],
};

/** An organization with a checked deal, by default of 30 Auto loans, and a criteria set, by default PRIME; and its calls about them. */
export async function selector(
  gateway: Gateway,
  name: string,
  { bytes = autoTape(30), set = PRIME, role = 'originator' }: { bytes?: string; set?: object; role?: 'originator' | 'both' } = {},
) {
  const ours = await seller(gateway, name, role);
  const { as } = ours;
  const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
    gateway.call(method, `${SC}${path}`, { as, ...(body === undefined ? {} : { body }) });
  const dealId = await ours.checked(bytes);
  const save = async (body: object): Promise<string> => {
    const saved = await call('POST', '/criteria', body);
    if (saved.status !== 201) throw new Error(`criteria answered ${saved.status}: ${JSON.stringify(saved.body)}`);
    return saved.body.data.criteria_id;
  };
  const criteriaId = await save(set);
  /** Asks for a run; the answer, whatever it is. */
  const ask = (body: object = {}): Promise<Answer> => call('POST', `/deals/${dealId}/run`, { criteria_id: criteriaId, ...body });
  /** Queues a run; its id. */
  const queue = async (body: object = {}): Promise<string> => {
    const queued = await ask(body);
    if (queued.status !== 202) throw new Error(`run answered ${queued.status}: ${JSON.stringify(queued.body)}`);
    return queued.body.data.sc_job_id;
  };
  const job = async (id: string) => (await call('GET', `/jobs/${id}`)).body.data;
  return {
    ours,
    as,
    dealId,
    criteriaId,
    call,
    save,
    ask,
    queue,
    job,
    /** Queues a run and runs it; the result as it is read. */
    async run(body: object = {}) {
      const id = await queue(body);
      await gateway.runJobs();
      return job(id);
    },
    /** The outcomes of a run, a page of them. */
    loans: async (id: string, query = '') => (await call('GET', `/jobs/${id}/loans?limit=100&${query}`)).body,
    /** Asks for a waiver of SCORE. */
    waive: (fileId: string, loanIds: string[], more: object = {}): Promise<Answer> =>
      call('POST', `/exceptions/${fileId}/waivers`, { loan_ids: loanIds, rule_id: 'SCORE', reason: 'Co-signer.', ...more }),
  };
}

export type Selector = Awaited<ReturnType<typeof selector>>;
