import Type, { type Static, type TObject } from 'typebox';

const status = Type.String();
const instant = Type.String({ format: 'date-time' });

/** Every event of the platform with the schema of its `data`, for receivers, the log of events and the API reference. */
export const EVENTS = {
  'deal.status_changed': Type.Object({ deal_id: Type.String(), previous_status: status, current_status: status }),
  'loan.approved': Type.Object({
    deal_id: Type.String(),
    loan_type: Type.String(),
    approved_at: instant,
    loan_count: Type.Integer(),
    total_balance: Type.Number(),
  }),
  'loan.rejected': Type.Object({
    deal_id: Type.String(),
    loan_type: Type.String(),
    rejected_at: instant,
    reason_code: Type.String(),
    reason: Type.String(),
  }),
  'trade.settled': Type.Object({
    trade_id: Type.String(),
    deal_id: Type.String(),
    tranche_id: Type.String(),
    face: Type.Number(),
    net_amount: Type.Number(),
    settlement_date: Type.String({ format: 'date' }),
    settled_at: instant,
  }),
  'sc.completed': Type.Object({
    deal_id: Type.String(),
    sc_job_id: Type.String(),
    status: Type.String(),
    passed: Type.Integer(),
    failed: Type.Integer(),
    total: Type.Integer(),
    run_at: instant,
    exception_file_id: Type.Union([Type.String(), Type.Null()]),
  }),
  'document.uploaded': Type.Object({
    document_id: Type.String(),
    deal_id: Type.Union([Type.String(), Type.Null()]),
    document_type: Type.String(),
    file_name: Type.String(),
    uploaded_at: instant,
  }),
} as const satisfies Record<string, TObject>;

export type EventName = keyof typeof EVENTS;
export const EVENT_NAMES = Object.keys(EVENTS) as EventName[];

/** An event as a union: its name determines the shape of its data. */
export type PlatformEvent = { [Name in EventName]: { event: Name; data: Static<(typeof EVENTS)[Name]> } }[EventName];

export const ALERT_ONLY_TYPES = [
  'compliance.review_required',
  'sc.failed',
  'loan.mapping_needed',
  'loan.checks_failed',
  'loan.confirmation_needed',
  'loan.draft_expiring',
  'trigger.breached',
  'webhook.subscription_failing',
] as const;

export type AlertType = EventName | (typeof ALERT_ONLY_TYPES)[number];
export const ALERT_STATUSES = ['UNREAD', 'READ', 'ARCHIVED'] as const;
export type AlertStatus = (typeof ALERT_STATUSES)[number];
export const PRIORITIES = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const;
export type Priority = (typeof PRIORITIES)[number];

export type Notice = {
  category: 'deal' | 'loan' | 'document' | 'compliance' | 'selection' | 'trade' | 'pool' | 'webhook';
  priority: Priority;
  title: string;
  message: string;
  entity_type: string;
  entity_id: string;
};

/** An event for one organization, with the alert that it raises there, or null. */
export type Emission = PlatformEvent & { organization_id: string; alert: Notice | null };
