// Alerts, webhooks and the audit log. The parts of the API's answers that the console shows; the reference at /docs has all of them.

export const EVENTS = [
  'deal.status_changed',
  'loan.approved',
  'loan.rejected',
  'trade.settled',
  'sc.completed',
  'document.uploaded',
] as const;

export type Alert = {
  id: string;
  type: string;
  category: string;
  priority: 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
  status: 'UNREAD' | 'READ' | 'ARCHIVED';
  title: string;
  message: string;
  created_at: string;
  entity_type: string | null;
  entity_id: string | null;
};

export type Hook = {
  id: string;
  url: string;
  events: string[];
  active: boolean;
  disabled_reason: string | null;
  failing_since: string | null;
  created_at: string;
  secret?: string;
};

export type Delivery = {
  id: string;
  subscription_id: string;
  event: string;
  kind: string;
  status: string;
  http_status: number | null;
  error: string | null;
  attempts: number;
  next_attempt_at: string | null;
  replay_of: string | null;
  created_at: string;
};

export type DeliveryDetail = Delivery & {
  request: { method: string; url: string | null; headers: Record<string, string>; body: string | null };
  attempts_log: { at: string; ms: number; http_status: number | null; error: string | null; response_excerpt: string | null }[];
};

export type AuditEntry = {
  id: string;
  sequence: number;
  organization_id: string;
  actor: string;
  action: string;
  entity_type: string;
  entity_id: string;
  before: unknown;
  after: unknown;
  reason: string | null;
  at: string;
  hash: string;
};
