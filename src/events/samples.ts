import type { EventName, PlatformEvent } from './events.ts';

type Data<Name extends EventName> = Extract<PlatformEvent, { event: Name }>['data'];

const AT = '2026-01-15T09:30:00.000Z';

/** An example of every event's data, for the API reference and for test deliveries. */
export const SAMPLES: { [Name in EventName]: Data<Name> } = {
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
  'trade.settled': {
    trade_id: 'trd_sample',
    deal_id: 'deal_sample',
    tranche_id: 'trn_sample',
    face: 5_000_000,
    net_amount: 4_998_250.5,
    settlement_date: '2026-01-15',
    settled_at: AT,
  },
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
};

export function sampleOf(event: EventName): PlatformEvent['data'] {
  return SAMPLES[event];
}
