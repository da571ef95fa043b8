import { Mover } from '../../platform/moves.ts';
import type { Id } from '../../platform/ids.ts';
import type { LoanType } from '../../loans/types.ts';

export const PLEDGE_STATUSES = ['LIVE', 'RELEASED'] as const;
export type PledgeStatus = (typeof PLEDGE_STATUSES)[number];

/** Loans that their owner has pledged to somebody outside the platform. */
export type OutsidePledge = {
  pledge_id: Id<'plg'>;
  organization_id: Id<'org'>;
  pledgee: string;
  loan_type: LoanType;
  as_of: string;
  deal_id: Id<'deal'> | null;
  status: PledgeStatus;
  matched: number;
  unmatched: number;
  fingerprint_key: string;
  source_key: string | null;
  compared_at: Date | null;
  created_at: Date;
  updated_at: Date;
  released_at: Date | null;
};

/** The moves of an outside pledge: it is released once. */
export const PLEDGE_MOVES = new Mover<OutsidePledge, 'status', PledgeStatus>({
  noun: 'pledge',
  table: 'outside_pledges',
  key: ['organization_id', 'pledge_id'],
  column: 'status',
  touches: 'updated_at',
  moves: { LIVE: ['RELEASED'], RELEASED: [] },
});
