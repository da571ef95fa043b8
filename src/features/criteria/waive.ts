import { emit } from '../../events/emit.ts';
import type { Emission } from '../../events/events.ts';
import type { LoanRule } from '../../loans/criteria/language.ts';
import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, invalidField, orNotFound } from '../../platform/http/errors.ts';
import { type Actor, type Decider, refuseOwnOrganization } from '../../platform/http/own-organization.ts';
import { Mover } from '../../platform/moves.ts';
import { type Id } from '../../platform/ids.ts';
import {
  type ExceptionFile,
  findExceptionFile,
  holdWaivedLoans,
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

/** Loads the exception file and the rule that a request names; refuses a rule that cannot be waived. */
export async function findWaivable(
  tx: Tx,
  organization: Id<'org'>,
  exceptionFileId: Id<'exf'>,
  request: WaiverRequest,
): Promise<Waivable> {
  const file = orNotFound(await findExceptionFile(tx, organization, exceptionFileId), 'exception file');
  const run = orNotFound(await findRun(tx, organization, file.sc_job_id), 'exception file');
  const found = await findCriteria(tx, organization, run.criteria_id, run.criteria_version);
  const criteria = orNotFound(found, 'criteria set');
  const rule = criteria.definition.loan_rules.find((each) => each.id === request.rule_id);
  if (!rule) throw invalidField('rule_id', 'UNKNOWN_RULE', 'the criteria of this run have no such rule');
  if (rule.waivable === false) throw new ApiError('RULE_NOT_WAIVABLE', `The rule ${rule.id} cannot be waived.`);
  if (rule.severity === 'warn')
    throw new ApiError('RULE_NOT_WAIVABLE', `The rule ${rule.id} only warns: loans pass despite it without a waiver.`);
  return { file, run, rule };
}

/** Loans of a pending waiver that a refusal names. */
const NAMED_LOANS = 100;

/**
 * Requests that failed loans pass despite a rule. The operator decides, and the next run applies the waiver. 409 while another waiver of the rule
 * waits for one of the loans.
 */
export async function requestWaiver(
  tx: Tx,
  actor: Actor,
  { file, run, rule, loan_ids, reason }: Waivable & Pick<WaiverRequest, 'loan_ids' | 'reason'>,
): Promise<Waiver> {
  const waiver = await insertWaiver(tx, {
    waiver_id: tx.newId('wvr'),
    organization_id: actor.organization_id,
    deal_id: file.deal_id,
    exception_file_id: file.exception_file_id,
    criteria_id: run.criteria_id,
    rule_id: rule.id,
    loan_ids: [...new Set(loan_ids)],
    reason,
    requested_by: actor.actor_id,
  });
  const [first, ...others] = await holdWaivedLoans(tx, waiver);
  if (!first) return waiver;
  const { waiver_id } = first;
  const loans = [first, ...others].filter((each) => each.waiver_id === waiver_id).map(({ loan_id }) => loan_id);
  throw new ApiError(
    'WAIVER_PENDING',
    `The waiver ${waiver_id} of the rule ${rule.id} waits for ${countLoans(loans)} of these.`,
    {
      extra: { waiver_id, loan_ids: loans.slice(0, NAMED_LOANS) },
    },
  );
}

const countLoans = ({ length }: readonly string[]): string => (length === 1 ? '1 loan' : `${length} loans`);

export type WaiverDecision = { waiverId: Id<'wvr'>; to: 'APPROVED' | 'DENIED'; reason: string | null };

/** An operator's decision on a waiver, with its audit entry. */
export async function decideWaiver(tx: Tx, decider: Decider, { waiverId, to, reason }: WaiverDecision): Promise<Waiver> {
  const waiver = orNotFound(await lockWaiver(tx, waiverId), 'waiver');
  refuseOwnOrganization(decider, waiver.organization_id);
  const decided = await WAIVER_MOVES.move(tx, waiver, to, {
    decided_by: decider.actor_id,
    decided_at: tx.now,
    decision_reason: reason,
  });
  audit(tx, {
    organization_id: waiver.organization_id,
    actor: decider.actor_id,
    action: `waiver.${to.toLowerCase()}`,
    entity_type: 'waiver',
    entity_id: waiverId,
    before: { status: waiver.status },
    after: { status: to, rule_id: waiver.rule_id, loans: waiver.loan_ids.length },
    reason,
  });
  await emit(tx, [decisionOf(decided, to, reason)]);
  return decided;
}

function decisionOf(waiver: Waiver, status: 'APPROVED' | 'DENIED', reason: string | null): Emission {
  const { organization_id, waiver_id, deal_id, exception_file_id, rule_id, loan_ids, only_tape_version: only } = waiver;
  const loans = countLoans(loan_ids);
  const bound = only === null ? '' : ` It holds for version ${only} of the tape alone, whose loans have no ids.`;
  const effect =
    status === 'APPROVED' ? `The next run lets ${loans} pass despite the rule.${bound}` : `${loans} still fail the rule.`;
  return {
    organization_id,
    event: 'waiver.decided',
    data: { waiver_id, deal_id, exception_file_id, rule_id, status, reason },
    alert: {
      category: 'selection',
      priority: 'MEDIUM',
      title: `The waiver of rule ${rule_id} was ${status.toLowerCase()}`,
      message: reason === null ? effect : `${effect} Reason: ${reason}`,
      entity_type: 'waiver',
      entity_id: waiver_id,
    },
  };
}
