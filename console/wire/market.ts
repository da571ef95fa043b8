// What investors see and do, and what becomes of it. The parts of the API's answers that the console shows; the reference at /docs has all of them.

export type MarketDeal = {
  id: string;
  name: string;
  asset_type: string;
  dealSize: number;
  wa_yield: number;
  wal: number | null;
  originator: string;
  market_status: string;
  tranche_count?: number;
  minimum_investment?: number | null;
  closing_date: string;
};

export type Tranche = {
  tranche_id: string;
  tranche: string;
  class: string;
  balance: number;
  coupon: number | null;
  rating: string | null;
  denomination: number;
  increment: number;
  remaining_capacity: number;
  wal: number | null;
  yield: number | null;
  price: number | null;
};

export type PoolMetrics = { period: number; date: string; pool_balance: number; cumulative_net_loss: number; basis: string };

export type DealDetail = MarketDeal & {
  tranches: Tranche[];
  strats: { loan_count: number; balance: number; wac: number | null; wam: number | null; cut_off_date: string } | null;
  performance?: {
    tranche_performance: { tranche: string; period: number; date: string; balance: number; basis: string }[];
    pool_metrics: PoolMetrics[];
  };
};

export type Check = { check: string; result: 'passed' | 'review_required' | 'failed'; reason: string };

export type CheckResult = { compliance_check_result: string; compliance_checks: Check[] };

export type Subscription = CheckResult & {
  subscription_id: string;
  status: string;
  deal_id: string;
  tranche_id: string;
  subscription_amount: number;
  reason: string | null;
  created_at: string;
  organization_id?: string;
};

export type Ioi = { ioi_id: string; status: string; deal_id: string; interest_amount: number; created_at: string };

export type Order = {
  order_id: string;
  status: string;
  deal_id: string;
  tranche_id: string;
  amount: number;
  minimum_amount: number | null;
  limit_yield: number | null;
  reason: string | null;
  created_at: string;
};

export type Allocation = {
  allocation_id: string | null;
  deal_id: string;
  tranche_id: string;
  requested_amount: number;
  allocated_amount: number;
  fill_ratio: number;
  yield: number | null;
  method: string;
  reason: string;
  status: string | null;
  expires_at: string | null;
  trade_id?: string | null;
  organization_id?: string;
};

/** An entry of a book that names nobody. */
export type Bid = { entry: number; amount: number; minimum_amount: number; limit_yield: number | null };

export type Proof = {
  rule: string;
  kind: string;
  method: string;
  size: number;
  increment: number;
  demand: number;
  market_yield: number | null;
  yield: number | null;
  book: Bid[];
  book_hash: string;
  own_entry: number;
  recomputed_amount: number;
  agrees: boolean;
};

export type Trade = {
  trade_id: string;
  deal_id: string;
  tranche_id: string;
  side: string;
  face: number;
  price: number;
  accrued_interest: number;
  net_amount: number;
  trade_date: string;
  settlement_date: string;
  status: string;
  reason: string | null;
  organization_id?: string;
};

export type Position = {
  position_id: string;
  deal_id: string;
  tranche_id: string;
  class: string;
  asset_type: string;
  originator: string;
  face: number;
  factor: number;
  current_balance: number;
  price: number;
  market_value: number;
  accrued_interest: number;
  yield: number | null;
  spread: number | null;
  wal: number | null;
  duration: number | null;
  unrealized_gain: number;
  as_of: string;
};

export type Slice = { name: string; market_value: number; weight: number; wa_yield: number; position_count: number };

export type Summary = {
  total_market_value: number;
  wa_yield: number;
  wa_spread: number;
  wa_wal: number;
  wa_duration: number;
  position_count: number;
  by_class: Slice[];
  by_asset_type: Slice[];
  by_originator: Slice[];
};

export type Book = {
  method: string;
  dry_run: boolean;
  tranches: {
    tranche_id: string;
    tranche: string;
    size: number;
    demand: number;
    allocated: number;
    yield: number | null;
    bids: number;
  }[];
  allocations: Allocation[];
  unfilled: { organization_id: string; tranche_id: string; requested_amount: number; reason: string }[];
};
