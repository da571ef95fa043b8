import type { EventData, EventName, PlatformEvent } from './events.ts';

const AT = '2026-01-15T09:30:00.000Z';

const TRADE = {
  trade_id: 'trd_sample',
  deal_id: 'deal_sample',
  tranche_id: 'trn_sample',
  face: 5_000_000,
  net_amount: 4_998_250.5,
  settlement_date: '2026-01-15',
};
const ALLOCATION = {
  allocation_id: 'all_sample',
  deal_id: 'deal_sample',
  tranche_id: 'trn_sample',
  requested_amount: 5_000_000,
  allocated_amount: 3_750_000,
  yield: 5.43,
  price: 99.962512,
  expires_at: '2026-01-19T09:30:00.000Z',
};
const LISTING = { deal_id: 'deal_sample', name: 'Harbor Auto 2026-1', asset_type: 'Auto', deal_size: 250_000_000 };

/** An example of every event's data, for the API reference and for test deliveries. */
export const SAMPLES: { [Name in EventName]: EventData<Name> } = {
  'deal.status_changed': { deal_id: 'deal_sample', previous_status: 'IN_REVIEW', current_status: 'QC_COMPLETED' },
  'loan.approved': {
    deal_id: 'deal_sample',
    loan_type: 'Auto',
    approved_at: AT,
    loan_count: 4_000,
    total_balance: 96_591_731.29,
  },
  'loan.rejected': {
    deal_id: 'deal_sample',
    loan_type: 'Auto',
    rejected_at: AT,
    reason_code: 'QC_FAILED',
    reason: '512 of 4000 rows (12.8 %) cannot serve as loans; at most 10 % may be rejected.',
  },
  'trade.settled': { ...TRADE, settled_at: AT },
  'trade.failed': { ...TRADE, failed_at: AT, reason: 'The cash did not arrive.' },
  'trade.cancelled': { ...TRADE, cancelled_at: AT, reason: 'Settlement failed twice.' },
  'trade.retried': { ...TRADE, retried_at: AT, reason: null },
  'sc.completed': {
    deal_id: 'deal_sample',
    sc_job_id: 'scj_sample',
    status: 'COMPLETED',
    passed: 2_806,
    failed: 1_194,
    total: 4_000,
    run_at: AT,
    exception_file_id: 'exf_sample',
  },
  'document.uploaded': {
    document_id: 'doc_sample',
    deal_id: null,
    document_type: 'W9_FORM',
    file_name: 'w9.pdf',
    uploaded_at: AT,
  },
  'subscription.status_changed': {
    subscription_id: 'sub_sample',
    deal_id: 'deal_sample',
    tranche_id: 'trn_sample',
    amount: 5_000_000,
    previous_status: 'pending_confirmation',
    current_status: 'confirmed',
    reason: null,
  },
  'order.status_changed': {
    order_id: 'ord_sample',
    deal_id: 'deal_sample',
    tranche_id: 'trn_sample',
    amount: 5_000_000,
    previous_status: 'OPEN',
    current_status: 'PARTIALLY_ALLOCATED',
  },
  'allocation.issued': { ...ALLOCATION, status: 'ISSUED' },
  'allocation.expiring': { ...ALLOCATION, status: 'ISSUED' },
  'allocation.status_changed': { ...ALLOCATION, status: 'ACCEPTED' },
  'deal.listed': { ...LISTING, previous_market_status: null, current_market_status: 'MARKETING' },
  'deal.market_status_changed': { ...LISTING, previous_market_status: 'MARKETING', current_market_status: 'BOOKS_CLOSED' },
  'demand.changed': {
    deal_id: 'deal_sample',
    tranches: [
      {
        tranche_id: 'trn_sample',
        indications: { count: 3, amount: 40_000_000 },
        subscriptions: { count: 2, amount: 75_000_000 },
        orders: { count: 4, amount: 100_000_000 },
        coverage: 0.875,
      },
    ],
  },
  'waiver.decided': {
    waiver_id: 'wvr_sample',
    deal_id: 'deal_sample',
    exception_file_id: 'exf_sample',
    rule_id: 'fico',
    status: 'APPROVED',
    reason: 'Compensating factors are on file.',
  },
  'bulk.completed': { job_id: 'job_sample', status: 'PARTIALLY_COMPLETED', total: 12, failed: 1 },
  'calculation.completed': { calculation_id: 'calc_sample', pool_id: 'pool_sample', type: 'PRICING', status: 'COMPLETED' },
  'remittance.applied': { pool_id: 'pool_sample', deal_id: 'deal_sample', period: 3, payment_date: '2026-01-15' },
  'pool.factor_off': {
    pool_id: 'pool_sample',
    deal_id: 'deal_sample',
    period: 3,
    payment_date: '2026-01-15',
    reported: 0.88,
    projected: 0.91,
    difference: -0.03,
    calculation_id: 'calc_sample',
  },
  'trigger.near': {
    pool_id: 'pool_sample',
    deal_id: 'deal_sample',
    period: 3,
    payment_date: '2026-01-15',
    trigger: 'cnl',
    tests: [{ metric: 'CUMULATIVE_NET_LOSS', op: 'gt', actual: 1.41, threshold: 1.5, headroom: 0.09 }],
  },
  'remittance.differs': {
    remittance_id: 'rem_sample',
    pool_id: 'pool_sample',
    deal_id: 'deal_sample',
    period: 3,
    payment_date: '2026-01-15',
    differences: [{ what: 'RESIDUAL', path: 'residual', reported: 1_200.01, expected: 1_200, difference: 0.01 }],
  },
  'pledge.conflict': {
    conflict_id: 'plc_sample',
    loan_type: 'Auto',
    count: 3,
    balance: 41_250.75,
    met: ['contract_number', 'vin'],
    pools: ['pool_sample'],
    pledges: [],
    first_seen: '2026-01-15T14:30:00.000Z',
  },
  'remittance.restated': {
    remittance_id: 'rem_sample',
    pool_id: 'pool_sample',
    deal_id: 'deal_sample',
    period: 3,
    payment_date: '2026-01-15',
    version: 2,
  },
  'payment.made': {
    deal_id: 'deal_sample',
    period: 3,
    payment_date: '2026-01-15',
    interest: 20_833.33,
    principal: 150_000,
    writedown: 0,
    payments: [
      {
        payment_id: 'pay_sample',
        tranche_id: 'trn_sample',
        tranche: 'A-1',
        face: 5_000_000,
        interest: 20_833.33,
        principal: 150_000,
        writedown: 0,
        factor_before: 1,
        factor_after: 0.97,
        restates: null,
      },
    ],
  },
};

export function sampleOf(event: EventName): PlatformEvent['data'] {
  return SAMPLES[event];
}
