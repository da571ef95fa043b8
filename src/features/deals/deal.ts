import { emit } from '../../events/emit.ts';
import type { Emission, Notice } from '../../events/events.ts';
import type { Tx } from '../../platform/db/database.ts';
import { Mover } from '../../platform/moves.ts';
import { appendHistory, type Deal, type DealStatus, type Move } from './queries.ts';

/** The moves of a loan deal. */
export const DEAL_MOVES = new Mover<Deal, 'status', DealStatus>({
  noun: 'deal',
  table: 'deals',
  key: ['organization_id', 'deal_id'],
  column: 'status',
  touches: 'updated_at',
  moves: {
    DRAFT: ['IN_REVIEW', 'EXPIRED'],
    IN_REVIEW: ['QC_COMPLETED', 'REJECTED'],
    QC_COMPLETED: ['APPROVED', 'REJECTED'],
    APPROVED: ['WITHDRAWN'],
    REJECTED: [],
    EXPIRED: [],
    WITHDRAWN: [],
  },
});

/** Moves a locked deal, writes its history and emits its events, all in the caller's transaction. 409 when the table has no such move. */
export async function moveDeal(tx: Tx, deal: Deal, move: Move): Promise<Deal> {
  const moved = await DEAL_MOVES.move(tx, deal, move.to);
  await appendHistory(tx, deal, move);
  await emit(tx, emissionsOf(tx, deal, move));
  return moved;
}

function emissionsOf(tx: Tx, deal: Deal, move: Move): Emission[] {
  const owner = { organization_id: deal.organization_id };
  const changed: Emission = {
    ...owner,
    event: 'deal.status_changed',
    data: { deal_id: deal.deal_id, previous_status: deal.status, current_status: move.to },
    alert: noticeOf(deal, move),
  };
  const at = tx.now.toISOString();
  if (move.to === 'APPROVED') {
    const data = {
      deal_id: deal.deal_id,
      loan_type: deal.loan_type,
      approved_at: at,
      loan_count: deal.loan_count,
      total_balance: Number(deal.total_balance),
    };
    return [
      changed,
      {
        ...owner,
        event: 'loan.approved',
        data,
        alert: notice(deal, 'MEDIUM', 'approved for securitization', `${deal.loan_count} loans can be pooled now.`),
      },
    ];
  }
  if (move.to === 'REJECTED') {
    const data = {
      deal_id: deal.deal_id,
      loan_type: deal.loan_type,
      rejected_at: at,
      reason_code: move.reason_code ?? 'OTHER',
      reason: move.reason ?? '',
    };
    return [changed, { ...owner, event: 'loan.rejected', data, alert: notice(deal, 'HIGH', 'rejected', move.reason ?? '') }];
  }
  return [changed];
}

/** The alert of the status change; null when a more specific event, with its own alert, follows. */
function noticeOf(deal: Deal, move: Move): Notice | null {
  if (move.to === 'APPROVED' || move.to === 'REJECTED') return null;
  if (move.to === 'IN_REVIEW') return notice(deal, 'LOW', 'in review', 'The tape is being read and checked.');
  if (move.to === 'QC_COMPLETED')
    return notice(deal, 'MEDIUM', 'passed quality control', 'The tape has been read and checked; the deal waits for approval.');
  return notice(deal, 'MEDIUM', move.to.toLowerCase(), move.reason ?? '');
}

function notice(deal: Deal, priority: Notice['priority'], what: string, message: string): Notice {
  return {
    category: 'deal',
    priority,
    title: `${deal.name}: ${what}`,
    message: message || `The deal is ${what}.`,
    entity_type: 'deal',
    entity_id: deal.deal_id,
  };
}
