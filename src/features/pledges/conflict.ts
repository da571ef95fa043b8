import type { Fingerprint } from '../../loans/identity/identity.ts';
import type { LoanType } from '../../loans/types.ts';
import { Mover } from '../../platform/moves.ts';
import type { Id } from '../../platform/ids.ts';

export const CONFLICT_STATUSES = ['OPEN', 'RESOLVED', 'CLEARED'] as const;
export type ConflictStatus = (typeof CONFLICT_STATUSES)[number];

/** How a loan of one holder met a loan of the other: by a fingerprint, or by its identity where both are of one organization. */
export const MEETINGS = ['loan_id', 'vin', 'property', 'contract_number', 'invoice'] as const satisfies readonly (
  | Fingerprint
  | 'loan_id'
)[];
export type Meeting = (typeof MEETINGS)[number];

/** Which kind of holder an id names. */
export const isPoolId = (holder: string): holder is Id<'pool'> => holder.startsWith('pool_');
export const isPledgeId = (holder: string): holder is Id<'plg'> => holder.startsWith('plg_');

/** One side of a conflict: what one holder has of the loans that another holder has too. */
export type ConflictSide = {
  conflict_id: Id<'plc'>;
  organization_id: Id<'org'>;
  holder_id: Id<'pool'> | Id<'plg'>;
  pair: string;
  loan_type: LoanType;
  status: ConflictStatus;
  /** Loans of this side. */
  count: number;
  /** Their current balance. */
  balance: number;
  met: Meeting[];
  first_seen: Date;
  updated_at: Date;
  ended_at: Date | null;
  resolved_by: string | null;
  reason: string | null;
};

/** A conflict ends by the operator's decision, or by itself when one side no longer holds the loans. */
export const CONFLICT_MOVES = new Mover<ConflictSide, 'status', ConflictStatus>({
  noun: 'pledge conflict',
  table: 'pledge_conflicts',
  key: ['conflict_id', 'holder_id'],
  column: 'status',
  touches: 'updated_at',
  moves: { OPEN: ['RESOLVED', 'CLEARED'], RESOLVED: [], CLEARED: [] },
});
