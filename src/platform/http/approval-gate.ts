import Type from 'typebox';
import type { Tx } from '../db/database.ts';
import { APPROVAL_ACTS, type ApprovalAct } from './approval-acts.ts';
import type { Id } from '../ids.ts';
import { named, namedOneOf } from './named.ts';
import type { Operation } from './operation.ts';
import type { Caller } from './caller.ts';
import { id, timestamp } from './schemas.ts';

/** The response in place of an act's own while it waits for people. */
export const PendingApprovalSchema = named('PendingApproval', {
  approval_id: id('apr'),
  act: namedOneOf('ApprovalAct', APPROVAL_ACTS),
  status: Type.Literal('PENDING'),
  needed: Type.Integer({ description: 'People whom the act needs.' }),
  given: Type.Integer({ description: 'People who have asked for or approved it; a key is none.' }),
  expires_at: timestamp('Afterwards it cannot be approved any more.'),
});

/** An act that was asked for and waits. */
export class PendingApproval {
  readonly data: PendingApprovalData;
  constructor(data: PendingApprovalData) {
    this.data = data;
  }
}

export type PendingApprovalData = {
  approval_id: Id<'apr'>;
  act: ApprovalAct;
  status: 'PENDING';
  needed: number;
  given: number;
  expires_at: string;
};

/** The request of an act, which may be kept and performed later, and the acts that it is beside that. */
export type ActRequest = {
  act: ApprovalAct;
  operation: Operation;
  caller: Caller;
  params: unknown;
  body: unknown;
  also(tx: Tx): Promise<readonly ApprovalAct[]>;
};

/** Does the work of a requested act in its transaction, or keeps the request where the act needs more people than one. */
export type ApprovalGate = <Result>(
  tx: Tx,
  request: ActRequest,
  work: (tx: Tx) => Promise<Result>,
) => Promise<Result | PendingApproval>;
