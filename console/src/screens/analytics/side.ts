import { api, type Records, sent } from '../../app/api.ts';
import type { ListPage } from '../../ui/list.tsx';

export type Summary = Omit<Records['InvestorCalculationSummary'], 'deal_id'>;
export type Calculation = Omit<Records['InvestorCalculation'], 'deal_id'>;
export type Request = Records['NewCalculation'];
export type CashFlow = Records['CashFlow'];
type ListQuery = { page: number; limit: number };
type Of<What> = Promise<{ data: What }>;

/** Where calculations are asked for: the pool of an originator, or the deal of an investor. */
export type Side = {
  key: readonly string[];
  list: (query: ListQuery) => Promise<ListPage<Summary>>;
  ask: (request: Request) => Of<Summary>;
  read: (id: string) => Of<Calculation>;
  cashFlows: (id: string, scenario: string) => Promise<readonly CashFlow[]>;
  /** Of one period, or of all. */
  trace: (id: string, scenario: string, period?: number) => Of<Records['PeriodTrace'][]>;
  /** What was reported; nothing before the first month. */
  performance: () => Of<Records['PerformancePeriod'][]>;
  /** The pool, whose collateral its originator sees against the notes. */
  poolId?: string;
};

type Rows = { data: CashFlow[] } | string;
const rowsOf = (answer: Rows): readonly CashFlow[] => {
  // It is a file where a format is asked for.
  if (typeof answer === 'string') throw new Error('The gateway gave a file in the place of the cash flows.');
  return answer.data;
};

/** The cash of every tranche and of the loans, which the API gives by themselves. */
async function everyFlow(read: (of: { tranche?: string }) => Promise<Rows>): Promise<readonly CashFlow[]> {
  const [tranches, loans] = await Promise.all([read({}), read({ tranche: 'collateral' })]);
  return [...rowsOf(tranches), ...rowsOf(loans)];
}

export const sideOfPool = (poolId: string): Side => {
  const at = (calculationId: string) => ({ poolId, calculationId });
  return {
    key: ['pools', poolId, 'calculations'],
    poolId,
    performance: () => sent(api.GET('/v1/api/originator/pools/{poolId}/performance', { params: { path: { poolId } } })),
    list: (query) =>
      sent(api.GET('/v1/api/originator/analytics/pools/{poolId}/calculations', { params: { path: { poolId }, query } })),
    ask: (body) =>
      sent(api.POST('/v1/api/originator/analytics/pools/{poolId}/calculations', { params: { path: { poolId } }, body })),
    read: (id) =>
      sent(api.GET('/v1/api/originator/analytics/pools/{poolId}/calculations/{calculationId}', { params: { path: at(id) } })),
    cashFlows: (id, scenario) =>
      everyFlow((tranche) =>
        sent(
          api.GET('/v1/api/originator/analytics/pools/{poolId}/calculations/{calculationId}/cashflows', {
            params: { path: at(id), query: { scenario, ...tranche } },
          }),
        ),
      ),
    trace: (id, scenario, period) =>
      sent(
        api.GET('/v1/api/originator/analytics/pools/{poolId}/calculations/{calculationId}/trace', {
          params: { path: at(id), query: { scenario, ...(period === undefined ? {} : { period }) } },
        }),
      ),
  };
};

export const sideOfDeal = (dealId: string): Side => {
  const at = (calculationId: string) => ({ dealId, calculationId });
  return {
    key: ['market', dealId, 'calculations'],
    performance: () => sent(api.GET('/v1/api/investor/deals/{dealId}/performance', { params: { path: { dealId } } })),
    list: (query) => sent(api.GET('/v1/api/investor/deals/{dealId}/calculations', { params: { path: { dealId }, query } })),
    ask: (body) => sent(api.POST('/v1/api/investor/deals/{dealId}/calculations', { params: { path: { dealId } }, body })),
    read: (id) => sent(api.GET('/v1/api/investor/deals/{dealId}/calculations/{calculationId}', { params: { path: at(id) } })),
    cashFlows: (id, scenario) =>
      everyFlow((tranche) =>
        sent(
          api.GET('/v1/api/investor/deals/{dealId}/calculations/{calculationId}/cashflows', {
            params: { path: at(id), query: { scenario, ...tranche } },
          }),
        ),
      ),
    trace: (id, scenario, period) =>
      sent(
        api.GET('/v1/api/investor/deals/{dealId}/calculations/{calculationId}/trace', {
          params: { path: at(id), query: { scenario, ...(period === undefined ? {} : { period }) } },
        }),
      ),
  };
};
