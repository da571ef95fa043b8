import type { AttemptResult, ClaimedDelivery, EndedAttempt } from '../queue-queries.ts';

/** A claimed delivery of an event, as a test needs it. */
const claimedDelivery = (change: Partial<ClaimedDelivery> = {}): ClaimedDelivery => ({
  delivery_id: 'dlv_1',
  delivery_inserted_at: '2026-01-15 09:30:00+00',
  organization_id: 'org_1',
  subscription_id: 'whs_1',
  event_id: 'evt_1',
  kind: 'EVENT',
  lane: 0,
  attempts: 0,
  claims: 1,
  waited_seconds: 0,
  event: 'loan.approved',
  body: Buffer.from('{}'),
  url: 'http://127.0.0.1:1025/hook',
  active: true,
  secret_sealed: '',
  previous_secret_sealed: null,
  failing: false,
  ...change,
});

/** The result of an attempt that was delivered. */
export const resultOf = (claimed: ClaimedDelivery, claim_id: string, change: Partial<AttemptResult> = {}): AttemptResult => ({
  delivery_id: claimed.delivery_id,
  delivery_inserted_at: claimed.delivery_inserted_at,
  claim_id,
  attempted: true,
  status: 'DELIVERED',
  http_status: 200,
  error: null,
  ms: 1,
  excerpt: null,
  retry_in_ms: null,
  ...change,
});

export const endedAttempt = (claimed: Partial<ClaimedDelivery>, result: Partial<AttemptResult> = {}): EndedAttempt => ({
  claimed: claimedDelivery(claimed),
  result: resultOf(claimedDelivery(claimed), '00000000-0000-4000-8000-000000000001', result),
});
