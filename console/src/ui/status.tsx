import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import { words } from './format.tsx';

const COLORS: Record<string, string> = {};
const TONES: [color: string, statuses: string[]][] = [
  [
    'teal',
    [
      'ACTIVE',
      'APPROVED',
      'DONE',
      'COMPLETED',
      'DELIVERED',
      'ISSUED',
      'SETTLED',
      'CONFIRMED',
      'CLEAR',
      'VERIFIED',
      'QC_COMPLETED',
      'ACCEPTED',
      'AGREES',
      'APPLIED',
      'REVIEWED',
      'CLEARED',
      'RESOLVED',
      'passed',
      'settled',
      'confirmed',
    ],
  ],
  [
    'yellow',
    [
      'PENDING',
      'INVITED',
      'IN_REVIEW',
      'RUNNING',
      'WARNING',
      'NEEDS_MAPPING',
      'NEEDS_CONFIRMATION',
      'UNREAD',
      'HIGH',
      'MEDIUM',
      'PARTIAL',
      'PENDING_SETTLEMENT',
      'pending_confirmation',
      'review_required',
    ],
  ],
  [
    'red',
    [
      'DENIED',
      'FAILED',
      'SUSPENDED',
      'REJECTED',
      'REVOKED',
      'ERROR',
      'CRITICAL',
      'DROPPED',
      'DIFFERS',
      'HELD',
      'OPEN',
      'failed',
      'rejected',
    ],
  ],
];
for (const [color, statuses] of TONES) for (const status of statuses) COLORS[status] = color;

/** A status in words; its name in the API as a tooltip. */
export function Status({ of }: { of: string | null | undefined }): ReactNode {
  if (!of) return '–';
  return (
    <Badge color={COLORS[of] ?? 'gray'} variant="light" radius="sm" tt="none" fz="xs" fw={500} title={of} className="status">
      {words(of)}
    </Badge>
  );
}

const FIRST_FAILURE = 400;
const FIRST_FAULT = 500;

/** The status of an HTTP response: its class by colour, and its number. */
export function HttpStatus({ of }: { of: number | null }): ReactNode {
  if (of === null) return '–';
  const color = of >= FIRST_FAULT ? 'red' : of >= FIRST_FAILURE ? 'yellow' : 'teal';
  return (
    <Badge color={color} variant="light" radius="sm" fz="xs" fw={500} className="status">
      {of}
    </Badge>
  );
}
