import type { ApprovalAct } from '../../platform/http/approval-acts.ts';
import type { Operation } from '../../platform/http/operation.ts';
import type { Right } from '../../platform/http/member-rights.ts';
import type { ActorId, Id } from '../../platform/ids.ts';
import { Mover } from '../../platform/moves.ts';

export const APPROVAL_STATUSES = ['PENDING', 'DONE', 'DENIED', 'EXPIRED', 'FAILED'] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/** The right that people need to ask for an act or to decide on it. */
export const RIGHT_OF: Readonly<Record<ApprovalAct, Extract<Right, 'ADMIN' | 'APPROVE'>>> = {
  DEAL_APPROVE: 'APPROVE',
  DEAL_REJECT: 'APPROVE',
  POOL_ISSUE: 'APPROVE',
  ALLOCATE: 'APPROVE',
  SETTLE: 'APPROVE',
  MARK_PUBLISH: 'APPROVE',
  PROFILE_SET: 'APPROVE',
  WAIVER: 'APPROVE',
  KEY_ISSUE: 'ADMIN',
  REMITTANCE_ACCEPT: 'APPROVE',
  POLICY_SET: 'ADMIN',
  MEMBER_SET: 'ADMIN',
};

export type Failure = { code: string; message: string };

export type ApprovalRow = {
  approval_id: Id<'apr'>;
  /** The organization of who asked. */
  organization_id: Id<'org'>;
  organization: string;
  act: ApprovalAct;
  operation: Operation;
  params: Record<string, string>;
  body: unknown;
  /** The record that the act is about, where its path names one. */
  entity_id: string | null;
  status: ApprovalStatus;
  /** The larger one of what the policy wanted when it was asked for and wants now. */
  needed: number;
  /** People who asked for it or approved it, and still are members with the right. */
  given: number;
  requested_by: ActorId;
  /** The person who asked, across organizations; null for a key. */
  requested_identity: string | null;
  requested_by_name: string | null;
  decisions: Decision[];
  created_at: Date;
  updated_at: Date;
  expires_at: Date;
  ended_at: Date | null;
  result: unknown;
  failure: Failure | null;
  token_fetched_at: Date | null;
};

export type Decision = {
  member_id: Id<'mem'>;
  name: string;
  decision: 'APPROVED' | 'DENIED';
  reason: string | null;
  at: string;
};

/** The moves of an approval: it ends once. */
export const APPROVAL_MOVES = new Mover<ApprovalRow, 'status', ApprovalStatus>({
  noun: 'approval',
  table: 'approvals',
  key: ['approval_id'],
  column: 'status',
  touches: 'updated_at',
  json: ['result', 'failure'],
  moves: { PENDING: ['DONE', 'DENIED', 'EXPIRED', 'FAILED'], DONE: [], DENIED: [], EXPIRED: [], FAILED: [] },
});
