// Loan deals and their tapes. The parts of the API's answers that the console shows; the reference at /docs has all of them.

export const LOAN_TYPES = ['Auto', 'Personal', 'Mortgage', 'Student', 'Business', 'Credit Card'] as const;

export const DEAL_STATUSES = ['DRAFT', 'IN_REVIEW', 'QC_COMPLETED', 'APPROVED', 'REJECTED', 'EXPIRED', 'WITHDRAWN'] as const;

export type DealRow = {
  id: string;
  name: string;
  loan_type: string;
  status: string;
  market_status: string | null;
  loan_count: number;
  total_balance: number;
  tape_version: number | null;
  issue_counts: { error: number; warning: number };
  created_at: string;
  updated_at: string;
  organization_id?: string;
};

export type Move = { from: string | null; to: string; at: string; actor: string; reason: string | null };

export type Deal = DealRow & {
  as_of_date: string | null;
  qc: {
    state: 'RUNNING' | 'NEEDS_MAPPING' | 'DONE' | 'FAILED' | null;
    reason: string | null;
    rows: number;
    accepted: number;
    rejected: number;
    balance_basis: string | null;
    findings?: { decisions?: string[] } | null;
  };
  history: Move[];
};

export type Finding = {
  row_number: number | null;
  line: number | null;
  column: string | null;
  field: string | null;
  rule_id: string;
  severity: 'ERROR' | 'WARNING';
  message: string;
  actual: string | null;
  expected: string | null;
};

export type Match = { source: string; target: string; transform?: unknown; confidence: number };

export type Mapping = {
  mappings: Match[];
  unmapped: string[];
  missing_required: string[];
  suggestions: { source: string; target: string; confidence: number; reason: string }[];
};

export type Field = { field: string; type: string; required: boolean; unit: string | null; description: string };

export type Upload = {
  deal_id: string;
  file_name: string;
  upload_url: string;
  upload_headers: Record<string, string>;
  max_bytes: number;
};
