// Selection criteria and their runs. The parts of the API's answers that the console shows; the reference at /docs has all of them.

export type Rule = { id: string; description?: string; severity?: string; waivable?: boolean; rule?: unknown };

export type PoolTest = {
  id: string;
  description?: string;
  type: string;
  op: string;
  value: number | number[];
  group_by?: string[];
  field?: string;
  severity?: string;
};

export type CriteriaSet = {
  criteria_id: string;
  version: number;
  name: string;
  loan_type: string;
  loan_rules: Rule[];
  pool_tests: PoolTest[];
  created_at: string;
};

export type Template = {
  id: string;
  loan_type: string;
  text: string;
  source: string;
  loan_rules: Rule[];
  pool_tests: PoolTest[];
  custom_fields?: Record<string, string>;
  value_sets?: Record<string, unknown>;
  needs_as_of?: boolean;
};

export type Step = {
  step: string;
  rule_id: string | null;
  loans: number;
  balance: number;
  removed: number;
  removed_balance: number;
};

export type TestResult = {
  rule_id: string;
  group?: string | null;
  limit: number | number[];
  actual: number | null;
  passed: boolean | null;
  excess_balance: number | null;
  headroom: number | null;
};

export type RuleResult = { rule_id: string; failed: number; missing: number; failed_balance: number; only_reason: number };

export type Run = {
  sc_job_id: string;
  status: string;
  deal_id: string;
  criteria_id: string;
  criteria_version: number;
  tape_version: number;
  passed: number;
  failed: number;
  waived: number;
  total: number;
  passed_balance: number;
  failed_balance: number;
  run_at: string | null;
  rule_results: RuleResult[];
  waterfall: Step[];
  pool_tests: TestResult[];
  exception_file_id: string | null;
  error: string | null;
};

export type Cure = {
  rule_id: string;
  feasible: boolean;
  reason: string | null;
  loans: number;
  removed_balance: number;
  pool_loans: number;
  pool_balance: number;
  optimal: boolean;
};

export type Outcome = {
  loan_id: string;
  row_number: number;
  outcome: string;
  balance: number;
  failures: {
    rule_id: string;
    name: string;
    field: string | null;
    expected: unknown;
    actual: unknown;
    reason: string;
    severity: string;
  }[];
};

export type Waiver = {
  waiver_id: string;
  organization_id: string;
  deal_id: string;
  rule_id: string;
  loan_ids: string[];
  reason: string;
  status: string;
  created_at: string;
};
