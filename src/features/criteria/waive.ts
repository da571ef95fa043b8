import type { LoanRule } from '../../loans/criteria/language.ts';
import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, invalidField, notFound } from '../../platform/http/errors.ts';
import { refuseOwnOrganization } from '../../platform/http/own-organization.ts';
import type { Caller } from '../../platform/http/route.ts';
import { Mover } from '../../platform/moves.ts';
import { type Id } from '../../platform/ids.ts';
import {
  type ExceptionFile,
  findExceptionFile,
  insertWaiver,
  lockWaiver,
  type Waiver,
  type WaiverStatus,
} from './exception-queries.ts';
import { findCriteria } from './queries.ts';
import { findRun, type Run } from './run-queries.ts';

/** The moves of a waiver: the operator decides once. */
export const WAIVER_MOVES = new Mover<Waiver, 'status', WaiverStatus>({
  noun: 'waiver',
  table: 'waivers',
  key: ['waiver_id'],
  column: 'status',
  moves: { PENDING: ['APPROVED', 'DENIED'], APPROVED: [], DENIED: [] },
});

export type WaiverRequest = { loan_ids: string[]; rule_id: string; reason: string };

export type Waivable = { file: ExceptionFile; run: Run; rule: LoanRule };

/** The exception file and the rule that a request names, or why the rule cannot be waived. */
export async function findWaivable(
  tx: Tx,
  caller: Caller,
  exceptionFileId: Id<'exf'>,
  request: WaiverRequest,
): Promise<Waivable> {
  const organization = caller.organization_id;
  const file = await findExceptionFile(tx, organization, exceptionFileId);
  const run = file && (await findRun(tx, organization, file.sc_job_id));
  if (!file || !run) throw notFound('exception file');
  const criteria = await findCriteria(tx, organization, run.criteria_id, run.criteria_version);
  if (!criteria) throw notFound('criteria set');
  const rule = criteria.definition.loan_rules.find((each) => each.id === request.rule_id);
  if (!rule) throw invalidField('rule_id', 'UNKNOWN_RULE', 'the criteria of this run have no such rule');
  if (rule.waivable === false) throw new ApiError('RULE_NOT_WAIVABLE', `The rule ${rule.id} cannot be waived.`);
  return { file, run, rule };
}

/** Asks that failed loans pass in spite of a rule; the operator decides, and the next run applies it. */
export function requestWaiver(tx: Tx, caller: Caller, { file, run, rule }: Waivable, request: WaiverRequest): Promise<Waiver> {
  return insertWaiver(tx, {
    waiver_id: tx.newId('wvr'),
    organization_id: caller.organization_id,
    deal_id: file.deal_id,
    exception_file_id: file.exception_file_id,
    criteria_id: run.criteria_id,
    rule_id: rule.id,
    loan_ids: [...new Set(request.loan_ids)],
    reason: request.reason,
    requested_by: caller.key_id,
  });
}

export async function judgeWaiver(
  tx: Tx,
  caller: Caller,
  waiverId: Id<'wvr'>,
  verdict: 'APPROVED' | 'DENIED',
  reason: string | null,
): Promise<Waiver> {
  const waiver = await lockWaiver(tx, waiverId);
  if (!waiver) throw notFound('waiver');
  refuseOwnOrganization(caller, waiver.organization_id);
  const decided = await WAIVER_MOVES.move(tx, waiver, verdict, { decided_by: caller.key_id, decided_at: tx.now });
  audit(tx, {
    organization_id: waiver.organization_id,
    actor: caller.key_id,
    action: `waiver.${verdict.toLowerCase()}`,
    entity_type: 'waiver',
    entity_id: waiverId,
    before: { status: waiver.status },
    after: { status: verdict, rule_id: waiver.rule_id, loans: waiver.loan_ids.length },
    reason,
  });
  return decided;
}
