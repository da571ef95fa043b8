// Pools, their liabilities and their calculations. The parts of the API's answers that the console shows; the reference at /docs has all of them.

export type PoolRow = {
  pool_id: string;
  name: string;
  status: string;
  deal_ids: string[];
  loan_type: string;
  loan_count: number;
  balance: number;
  wac: number | null;
  wam: number | null;
  cut_off_date: string;
  closing_date: string;
  offering: string;
  issue_requested_at: string | null;
  deal_id: string | null;
  created_at: string;
  organization_id?: string;
};

export type StructureTranche = {
  tranche: string;
  class?: string;
  balance: number;
  coupon?: { type: string; rate?: number; index?: string; margin_bp?: number };
  rating?: string;
  seniority?: number;
};

export type TriggerTest = {
  metric: string;
  actual: number | null;
  op: string;
  threshold: number | null;
  breached: boolean;
  headroom: number | null;
};

export type Remittance = {
  period: number;
  payment_date: string;
  pool: { pool_balance: number; cpr: number | null; cdr: number | null; cumulative_net_loss: number };
  tranches: {
    tranche: string;
    class: string;
    balance: number;
    factor: number;
    credit_enhancement: number | null;
    oc: number | null;
  }[];
  triggers: { trigger: string; on: boolean; tests: TriggerTest[] }[];
};

export type AssetLiabilityRow = {
  period: number;
  date: string;
  collateral_balance: number;
  note_balance: number;
  residual: number;
  excess_spread: number | null;
  over_collateralization: number;
  oc: number | null;
};

export type AssetLiabilities = {
  calculation_id: string;
  scenario: string;
  as_of: string;
  collateral_wal: number | null;
  notes_wal: number | null;
  wal_mismatch: number | null;
  rows: AssetLiabilityRow[];
};

export type Pool = PoolRow & {
  warnings: string[];
  structure: { tranches: StructureTranche[] } | null;
  structure_version: number;
  last_remittance: Remittance | null;
};

export type CalculationRow = {
  calculation_id: string;
  pool_id: string;
  type: string;
  purpose: string;
  status: string;
  as_of: string;
  granularity: string;
  error: string | null;
  created_at: string;
  completed_at: string | null;
};

export type TrancheResult = {
  tranche: string;
  class: string;
  wal: number | null;
  first_period: number | null;
  last_period: number | null;
  principal: number;
  interest: number;
  write_down: number;
  price: number | null;
  yield: number | null;
  modified_duration: number | null;
  spread_bp: number | null;
};

export type Calculation = CalculationRow & {
  engine_version: string | null;
  assumptions: Record<string, unknown> | null;
  results:
    | {
        scenario: string;
        collateral: { wal: number | null; principal: number; interest: number; loss: number; last_period: number | null };
        tranches: TrancheResult[];
      }[]
    | null;
  warnings?: string[];
};

export type CashRow = {
  tranche: string;
  period: number;
  date: string;
  opening: number;
  interest_paid?: number;
  principal?: number;
  closing: number;
};
