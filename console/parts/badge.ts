import { words } from '../lib/format.ts';
import { html, type VNode } from '../lib/view.ts';

type Tone = 'good' | 'warn' | 'bad' | 'busy' | 'quiet';

const TONES: Record<string, Tone> = {
  ACTIVE: 'good',
  APPROVED: 'good',
  VERIFIED: 'good',
  CLEAR: 'good',
  QC_COMPLETED: 'good',
  COMPLETED: 'good',
  DELIVERED: 'good',
  ISSUED: 'good',
  SETTLED: 'good',
  ACCEPTED: 'good',
  ALLOCATED: 'good',
  MARKETING: 'good',
  passed: 'good',
  PASSED: 'good',
  settled: 'good',
  confirmed: 'good',
  allocated: 'good',
  active: 'good',
  DONE: 'good',
  IN_REVIEW: 'busy',
  PENDING: 'busy',
  RUNNING: 'busy',
  submitted: 'busy',
  OPEN: 'busy',
  STRUCTURED: 'busy',
  LOCKED: 'busy',
  funded: 'busy',
  NEEDS_MAPPING: 'warn',
  NEEDS_CONFIRMATION: 'warn',
  WARNING: 'warn',
  review_required: 'warn',
  pending_confirmation: 'warn',
  PENDING_SETTLEMENT: 'warn',
  BOOKS_CLOSED: 'warn',
  PARTIALLY_ALLOCATED: 'warn',
  HIGH: 'warn',
  WAIVED: 'warn',
  REVIEW: 'warn',
  REJECTED: 'bad',
  SUSPENDED: 'bad',
  HIT: 'bad',
  FAILED: 'bad',
  ERROR: 'bad',
  failed: 'bad',
  rejected: 'bad',
  DECLINED: 'bad',
  CRITICAL: 'bad',
  disabled: 'bad',
};

/** A status in words, coloured by what it means; the words say everything that the colour says. */
export const badge = (status: string | null | undefined, tone?: Tone): VNode | string =>
  status ? html`<span class="badge ${tone ?? TONES[status] ?? 'quiet'}">${words(status)}</span>` : '';
