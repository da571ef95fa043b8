import { audit } from '../../platform/audit.ts';
import type { Deps } from '../../platform/deps.ts';
import { ApiError } from '../../platform/http/errors.ts';
import type { Caller } from '../../platform/http/route.ts';
import type { Finding } from './checks.ts';
import type { Id } from '../../platform/ids.ts';

type Ask = { action: string; deal_id: Id<'deal'>; tranche_id: Id<'trn'>; amount: string };

/** 422 with every check and its reason; what was asked goes along for the audit log. */
export class ComplianceRefusal extends ApiError {
  readonly ask: Ask;
  readonly findings: readonly Finding[];

  constructor(ask: Ask, findings: readonly Finding[]) {
    const failed = findings.filter((finding) => finding.result === 'failed');
    super('COMPLIANCE_FAILED', failed.map((finding) => finding.reason).join(' '), {
      errors: findings.map((finding) => ({
        field: null,
        code: finding.check.toUpperCase(),
        message: finding.reason,
        ...finding,
      })),
    });
    this.ask = ask;
    this.findings = findings;
  }
}

/** Runs an operation; a refusal rolls all of it back and is written to the audit log in a transaction of its own. */
export async function auditRefusals<Result>(deps: Deps, caller: Caller, operation: () => Promise<Result>): Promise<Result> {
  try {
    return await operation();
  } catch (error) {
    if (error instanceof ComplianceRefusal) await writeRefusal(deps, caller, error);
    throw error;
  }
}

function writeRefusal(deps: Deps, caller: Caller, { ask, findings, message }: ComplianceRefusal): Promise<void> {
  return deps.db.tx({ organization: caller.organization_id }, async (tx) =>
    audit(tx, {
      organization_id: caller.organization_id,
      actor: caller.key_id,
      action: ask.action,
      entity_type: 'deal',
      entity_id: ask.deal_id,
      after: {
        tranche_id: ask.tranche_id,
        amount: ask.amount,
        failed: findings.filter((finding) => finding.result === 'failed').map((finding) => finding.check),
      },
      reason: message,
    }),
  );
}
