import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, sent } from '../../app/api.ts';
import { isOperator, useMe } from '../../app/me.tsx';
import { Act } from '../../ui/act.tsx';
import { count, money } from '../../ui/format.tsx';
import type { Deal } from './deal-data.ts';

const DECIDED_NOT = 'QC_COMPLETED';

/** What can be done with a deal in its status, by the one who looks at it. */
export function DealActs({ deal }: { deal: Deal }): ReactNode {
  const operator = isOperator(useMe());
  return operator ? <OperatorActs deal={deal} /> : <OriginatorActs deal={deal} />;
}

function OperatorActs({ deal }: { deal: Deal }): ReactNode {
  const params = { path: { dealId: deal.deal_id } };
  if (deal.status === 'APPROVED' && deal.market_status === null)
    return (
      <Act
        label="Withdraw"
        right="APPROVE"
        danger
        typed="withdraw"
        question={`“${deal.name}” is taken back, unless it is in a pool; its originator is told the reason. It cannot be undone.`}
        reason="required"
        run={(reason) => sent(api.POST('/v1/operator/deals/{dealId}/withdraw', { params, body: { reason: reason ?? '' } }))}
        done="The deal is withdrawn."
      />
    );
  if (deal.status !== DECIDED_NOT) return null;
  const what = `${count(deal.loan_count)} loans, ${money(deal.total_balance)}, ${count(deal.issue_counts.error)} errors and ${count(deal.issue_counts.warning)} warnings`;
  return (
    <>
      <Act
        label="Approve"
        right="APPROVE"
        question={`“${deal.name}” (${what}) can then be pooled.`}
        reason="optional"
        run={(reason) => sent(api.POST('/v1/operator/deals/{dealId}/approve', { params, body: reason ? { reason } : {} }))}
        done="The deal is approved."
      />
      <Act
        label="Reject"
        right="APPROVE"
        question={`The originator of “${deal.name}” is told the reason, and sends a new deal.`}
        reason="required"
        danger
        run={(reason) => sent(api.POST('/v1/operator/deals/{dealId}/reject', { params, body: { reason: reason ?? '' } }))}
        done="The deal is rejected."
      />
    </>
  );
}

function OriginatorActs({ deal }: { deal: Deal }): ReactNode {
  const params = { path: { dealId: deal.deal_id } };
  const navigate = useNavigate();
  return (
    <>
      {(deal.status === 'IN_REVIEW' || deal.status === 'QC_COMPLETED') && (
        <Act
          label="Check again"
          right="EDIT"
          question="The tape in force is checked again by the rules of today."
          run={() => sent(api.POST('/v1/api/originator/loans/{dealId}/recheck', { params }))}
          done="The checks have begun."
        />
      )}
      {deal.status === 'DRAFT' && (
        <Act
          label="Delete the draft"
          right="EDIT"
          danger
          question="The draft and its files are deleted. It cannot be undone."
          typed="delete"
          run={() => sent(api.DELETE('/v1/api/originator/loans/{dealId}', { params }))}
          done="The draft is deleted."
          after={() => void navigate({ to: '/deals' })}
        />
      )}
      {deal.status === 'APPROVED' && deal.market_status === null && (
        <Act
          label="Withdraw"
          right="APPROVE"
          danger
          question="The approved deal is taken back, unless it is in a pool. It cannot be undone."
          typed="withdraw"
          reason="optional"
          run={(reason) =>
            sent(api.POST('/v1/api/originator/loans/{dealId}/withdraw', { params, body: reason ? { reason } : {} }))
          }
          done="The deal is withdrawn."
        />
      )}
    </>
  );
}
