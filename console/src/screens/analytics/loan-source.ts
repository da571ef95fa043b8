import { api, type Records, sent } from '../../app/api.ts';

type Of<What> = Promise<{ data: What }>;
export type Strats = Omit<Records['Strats'], 'tape_versions'>;
export type Vintages = Omit<Records['Vintages'], 'tape_versions' | 'roll_rates'> &
  Partial<Pick<Records['Vintages'], 'roll_rates'>>;
export type Risk = Omit<Records['CreditRisk'], 'tape_versions'>;
export type Unit = Records['VintageUnit'];
type LoanType = Records['LoanType'];

/** Where loans are looked at: by their originator, the operator, or an investor, of whom each sees their own part. */
export type LoanSource = {
  loanType: LoanType;
  key: readonly string[];
  strats: (by: string) => Of<Strats>;
  vintages: (by: Unit) => Of<Vintages>;
  risk?: () => Of<Risk>;
};

export function loansOfDeal(dealId: string, loanType: LoanType): LoanSource {
  const path = { dealId };
  return {
    loanType,
    key: ['deals', dealId, 'loans-by'],
    strats: (by) => sent(api.GET('/v1/api/originator/analytics/deals/{dealId}/strats', { params: { path, query: { by } } })),
    vintages: (by) => sent(api.GET('/v1/api/originator/analytics/deals/{dealId}/vintage', { params: { path, query: { by } } })),
    risk: () => sent(api.GET('/v1/api/originator/analytics/deals/{dealId}/risk', { params: { path } })),
  };
}

export function loansOfPlatformDeal(dealId: string, loanType: LoanType): LoanSource {
  const path = { dealId };
  return {
    loanType,
    key: ['deals', dealId, 'loans-by'],
    strats: (by) => sent(api.GET('/v1/operator/deals/{dealId}/strats', { params: { path, query: { by } } })),
    vintages: (by) => sent(api.GET('/v1/operator/deals/{dealId}/vintage', { params: { path, query: { by } } })),
  };
}

export function loansOfPool(poolId: string, loanType: LoanType): LoanSource {
  const path = { poolId };
  return {
    loanType,
    key: ['pools', poolId, 'loans-by'],
    strats: (by) => sent(api.GET('/v1/api/originator/analytics/pools/{poolId}/strats', { params: { path, query: { by } } })),
    vintages: (by) => sent(api.GET('/v1/api/originator/analytics/pools/{poolId}/vintage', { params: { path, query: { by } } })),
    risk: () => sent(api.GET('/v1/api/originator/analytics/pools/{poolId}/risk', { params: { path } })),
  };
}

export function loansOnMarket(dealId: string, loanType: LoanType): LoanSource {
  const path = { dealId };
  return {
    loanType,
    key: ['market', dealId, 'loans-by'],
    strats: (by) => sent(api.GET('/v1/api/investor/deals/{dealId}/analytics/strats', { params: { path, query: { by } } })),
    vintages: (by) => sent(api.GET('/v1/api/investor/deals/{dealId}/analytics/vintage', { params: { path, query: { by } } })),
    risk: () => sent(api.GET('/v1/api/investor/deals/{dealId}/analytics/risk', { params: { path } })),
  };
}
