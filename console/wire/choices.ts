import type { DealStatus, Environment, EventName, IoiStatus, LoanType, Role } from './api.ts';

/** The values of a type in the order of the menus that offer them; the compiler misses one that is left out. */
const every = <Value extends string>(values: Record<Value, true>): Value[] => Object.keys(values) as Value[];

export const LOAN_TYPES = every<LoanType>({
  Auto: true,
  Personal: true,
  Mortgage: true,
  Student: true,
  Business: true,
  'Credit Card': true,
});

export const DEAL_STATUSES = every<DealStatus>({
  DRAFT: true,
  IN_REVIEW: true,
  QC_COMPLETED: true,
  APPROVED: true,
  REJECTED: true,
  EXPIRED: true,
  WITHDRAWN: true,
});

export const EVENTS = every<EventName>({
  'deal.status_changed': true,
  'loan.approved': true,
  'loan.rejected': true,
  'trade.settled': true,
  'sc.completed': true,
  'document.uploaded': true,
  'trade.failed': true,
  'trade.cancelled': true,
  'trade.retried': true,
  'subscription.status_changed': true,
  'order.status_changed': true,
  'allocation.issued': true,
  'allocation.expiring': true,
  'allocation.status_changed': true,
  'deal.listed': true,
  'deal.market_status_changed': true,
  'demand.changed': true,
  'waiver.decided': true,
  'bulk.completed': true,
  'calculation.completed': true,
  'tape.checked': true,
  'tape.late': true,
  'pool.factor_off': true,
  'trigger.near': true,
  'remittance.differs': true,
  'remittance.applied': true,
  'pledge.conflict': true,
  'remittance.restated': true,
  'payment.made': true,
});

export const IOI_STATUSES = every<IoiStatus>({ submitted: true, withdrawn: true, converted: true, expired: true });

export const ROLES = every<Role>({ originator: true, investor: true, both: true, operator: true });

export const ENVIRONMENTS = every<Environment>({ development: true, staging: true, production: true });

/** Suggested types of documents; the gateway accepts any. */
export const DOCUMENT_TYPES = [
  'OFFERING_MEMORANDUM',
  'TERM_SHEET',
  'SERVICER_REPORT',
  'RATING_REPORT',
  'LEGAL_OPINION',
  'W9_FORM',
  'W8_FORM',
  'OTHER',
] as const;
