import Type, { type Static, type TObject } from 'typebox';
import { named } from '../platform/http/named.ts';

const status = Type.String();
const instant = Type.String({ format: 'date-time' });
const reason = Type.Union([Type.String(), Type.Null()]);
const nullableNumber = Type.Union([Type.Number(), Type.Null()]);

const trade = {
  trade_id: Type.String(),
  deal_id: Type.String(),
  tranche_id: Type.String(),
  face: Type.Number(),
  net_amount: Type.Number(),
  settlement_date: Type.String({ format: 'date' }),
};
const allocation = named('AllocationEventData', {
  allocation_id: Type.String(),
  deal_id: Type.String(),
  tranche_id: Type.String(),
  requested_amount: Type.Number(),
  allocated_amount: Type.Number(),
  yield: nullableNumber,
  price: nullableNumber,
  status,
  expires_at: instant,
});
const listing = named('ListingEventData', {
  deal_id: Type.String(),
  name: Type.String(),
  asset_type: Type.String(),
  deal_size: Type.Number(),
  previous_market_status: Type.Union([status, Type.Null()], { description: 'Null when the deal is listed.' }),
  current_market_status: status,
});
const interest = named('InterestEventFigures', { count: Type.Integer(), amount: Type.Number() });

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
  'trade.settled': Type.Object({ ...trade, settled_at: instant }),
  'trade.failed': Type.Object({ ...trade, failed_at: instant, reason }),
  'trade.cancelled': Type.Object({ ...trade, cancelled_at: instant, reason }),
  'trade.retried': Type.Object({ ...trade, retried_at: instant, reason }),
  'trade.corrected': Type.Object({
    ...trade,
    corrected_at: instant,
    period: Type.Integer(),
    factor: Type.Number(),
    difference: Type.Number({ description: 'What the net amount changes by; below 0 the seller pays it to the buyer.' }),
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
  'subscription.status_changed': Type.Object({
    subscription_id: Type.String(),
    deal_id: Type.String(),
    tranche_id: Type.String(),
    amount: Type.Number(),
    previous_status: status,
    current_status: status,
    reason,
  }),
  'order.status_changed': Type.Object({
    order_id: Type.String(),
    deal_id: Type.String(),
    tranche_id: Type.String(),
    amount: Type.Number(),
    previous_status: status,
    current_status: status,
  }),
  'allocation.issued': allocation,
  'allocation.expiring': allocation,
  'allocation.status_changed': allocation,
  'deal.listed': listing,
  'deal.market_status_changed': listing,
  'demand.changed': Type.Object({
    deal_id: Type.String(),
    tranches: Type.Array(
      Type.Object({
        tranche_id: Type.String(),
        indications: Type.Object(interest.properties, {
          description:
            'Live indications. They name no tranche and count for the most senior one on offer, as a subscription without a tranche does.',
        }),
        subscriptions: interest,
        orders: interest,
        coverage: Type.Union([Type.Number(), Type.Null()], {
          description: 'Live subscriptions and open orders over the balance of the tranche; null for a tranche without balance.',
        }),
      }),
    ),
  }),
  'waiver.decided': Type.Object({
    waiver_id: Type.String(),
    deal_id: Type.String(),
    exception_file_id: Type.String(),
    rule_id: Type.String(),
    status,
    reason,
  }),
  'bulk.completed': Type.Object({ job_id: Type.String(), status, total: Type.Integer(), failed: Type.Integer() }),
  'calculation.completed': Type.Object({
    calculation_id: Type.String(),
    pool_id: Type.Optional(Type.String({ description: 'The pool of an originator’s calculation.' })),
    deal_id: Type.Optional(Type.String({ description: 'The deal of an investor’s calculation; neither for one of its book.' })),
    type: Type.String(),
    status,
  }),
  'remittance.applied': Type.Object({
    pool_id: Type.String(),
    deal_id: Type.String(),
    period: Type.Integer(),
    payment_date: Type.String({ format: 'date' }),
  }),
  'pool.factor_off': Type.Object({
    pool_id: Type.String(),
    deal_id: Type.String(),
    period: Type.Integer(),
    payment_date: Type.String({ format: 'date' }),
    reported: Type.Number({ description: 'Pool factor after the period, a fraction.' }),
    projected: Type.Number({ description: 'The same as the marks that were published first had projected it.' }),
    difference: Type.Number({ description: 'Reported less projected: negative.' }),
    calculation_id: Type.String({ description: 'The calculation behind these marks.' }),
  }),
  'trigger.near': Type.Object({
    pool_id: Type.String(),
    deal_id: Type.String(),
    period: Type.Integer(),
    payment_date: Type.String({ format: 'date' }),
    trigger: Type.String(),
    tests: Type.Array(
      Type.Object({
        metric: Type.String(),
        op: Type.String(),
        actual: nullableNumber,
        threshold: nullableNumber,
        headroom: Type.Union([Type.Number(), Type.Null()], { description: 'Distance to the threshold; negative beyond it.' }),
      }),
    ),
  }),
  'remittance.differs': Type.Object({
    remittance_id: Type.String(),
    pool_id: Type.String(),
    deal_id: Type.String(),
    period: Type.Integer(),
    payment_date: Type.String({ format: 'date' }),
    differences: Type.Array(
      Type.Object({
        what: Type.String(),
        tranche: Type.Optional(Type.String()),
        path: Type.String({ description: 'Path of the figure in the report.' }),
        reported: Type.Union([Type.Number(), Type.String()]),
        expected: Type.Union([Type.Number(), Type.String(), Type.Null()]),
        difference: Type.Union([Type.Number(), Type.Null()]),
      }),
      { description: 'The figures that differ from those that follow from the cash reported.' },
    ),
  }),
  'tape.checked': Type.Object({
    pool_id: Type.String(),
    deal_id: Type.String(),
    period: Type.Integer({ description: 'Payment period of the monthly tape.' }),
    version: Type.Integer({ description: 'How many files were sent for the period.' }),
    state: Type.String({ description: 'DONE, NEEDS_MAPPING, NEEDS_CONFIRMATION or FAILED.' }),
    errors: Type.Integer(),
    warnings: Type.Integer(),
    failure: Type.Union([Type.String(), Type.Null()], { description: 'Why the tape could not be read.' }),
  }),
  'tape.late': Type.Object({
    pool_id: Type.String(),
    deal_id: Type.String(),
    period: Type.Integer({ description: 'Payment period whose tape has not been read.' }),
    due_date: Type.String({ format: 'date' }),
  }),
  'pledge.conflict': Type.Object({
    conflict_id: Type.String(),
    loan_type: Type.String(),
    count: Type.Integer({ description: 'Loans of the receiver’s own side.' }),
    balance: Type.Number(),
    met: Type.Array(Type.String(), { description: 'How they met: loan_id, vin, property, contract_number, invoice.' }),
    pools: Type.Array(Type.String(), { description: 'The receiver’s own pools; of both sides for the operator.' }),
    pledges: Type.Array(Type.String(), { description: 'The receiver’s own pledges outside the platform.' }),
    first_seen: instant,
  }),
  'remittance.restated': Type.Object({
    remittance_id: Type.String(),
    pool_id: Type.String(),
    deal_id: Type.String(),
    period: Type.Integer(),
    payment_date: Type.String({ format: 'date' }),
    version: Type.Integer({ description: 'The version that is in force; the report as it was first applied is 1.' }),
  }),
  'payment.made': Type.Object({
    deal_id: Type.String(),
    period: Type.Integer(),
    payment_date: Type.String({ format: 'date' }),
    interest: Type.Number({ description: 'Sum of the payments; negative where a restatement takes it back.' }),
    principal: Type.Number({ description: 'Sum of the payments.' }),
    writedown: Type.Number({ description: 'Sum of the payments.' }),
    accreted: Type.Number({ description: 'Interest added to balances: sum of the payments.' }),
    payments: Type.Array(
      Type.Object({
        payment_id: Type.String(),
        tranche_id: Type.String(),
        tranche: Type.String(),
        face: Type.Number(),
        interest: Type.Number(),
        principal: Type.Number(),
        writedown: Type.Number(),
        accreted: Type.Number(),
        factor_before: Type.Number(),
        factor_after: Type.Number(),
        restates: Type.Union([Type.String(), Type.Null()], { description: 'The payment that this one corrects.' }),
      }),
      { description: 'What each tranche paid that the receiver held at the end of the record date.' },
    ),
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
  'approval.requested',
  'approval.ended',
  'key.rotation_requested',
] as const;

export type AlertType = EventName | (typeof ALERT_ONLY_TYPES)[number];
export const ALERT_CATEGORIES = [
  'deal',
  'loan',
  'document',
  'compliance',
  'selection',
  'trade',
  'pool',
  'webhook',
  'approval',
  'key',
] as const;
export const ALERT_STATUSES = ['UNREAD', 'READ', 'ARCHIVED'] as const;
export type AlertStatus = (typeof ALERT_STATUSES)[number];
export const PRIORITIES = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const;
export type Priority = (typeof PRIORITIES)[number];

export type Notice = {
  category: (typeof ALERT_CATEGORIES)[number];
  priority: Priority;
  title: string;
  message: string;
  entity_type: string;
  entity_id: string;
};

export type EventData<Name extends EventName> = Static<(typeof EVENTS)[Name]>;

/** An event for one organization, with the alert that it raises there, or null. */
export type Emission = PlatformEvent & { organization_id: string; alert: Notice | null };
