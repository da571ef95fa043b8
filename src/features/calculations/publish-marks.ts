import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import { type Decider, refuseOwnOrganization } from '../../platform/http/own-organization.ts';
import { findPublishable, insertMarks, type NewMark, type PublishableCalculation } from './queries.ts';
import type { Id } from '../../platform/ids.ts';

export type PublishedMarks = {
  calculation_id: Id<'calc'>;
  deal_id: Id<'deal'>;
  as_of: string;
  published_at: string;
  marks: NewMark[];
  without_price: string[];
};

/** Publishes the first scenario of a PRICING calculation with purpose MARK as the mark of its deal. */
export async function publishMarks(tx: Tx, decider: Decider, calculationId: Id<'calc'>): Promise<PublishedMarks> {
  const calculation = orNotFound(await findPublishable(tx, calculationId), 'calculation');
  refuseOwnOrganization(decider, calculation.organization_id);
  const dealId = checkPublishable(calculation);
  const tranches = calculation.result?.results[0]?.tranches ?? [];
  const marks = tranches.flatMap((tranche): NewMark[] => {
    const { price, wal, spread_bp, modified_duration } = tranche;
    return price === null
      ? []
      : [{ tranche: tranche.tranche, price, yield: tranche.yield, spread_bp, wal, duration: modified_duration }];
  });
  if (marks.length === 0)
    throw new ApiError(
      'UNPROCESSABLE',
      'The first scenario of the calculation gives no tranche a price: there is no mark to publish.',
    );
  await insertMarks(tx, calculation, marks);
  audit(tx, {
    organization_id: calculation.organization_id,
    actor: decider.actor_id,
    action: 'calculation.published',
    entity_type: 'calculation',
    entity_id: calculationId,
    after: { deal_id: dealId, as_of: calculation.as_of, marks },
  });
  return {
    calculation_id: calculationId,
    deal_id: dealId,
    as_of: calculation.as_of,
    published_at: tx.now.toISOString(),
    marks,
    without_price: tranches.flatMap(({ tranche, price }) => (price === null ? [tranche] : [])),
  };
}

function checkPublishable({ status, deal_id, type, purpose }: PublishableCalculation): Id<'deal'> {
  if (status !== 'COMPLETED') {
    throw new ApiError('CONFLICT', `The calculation is ${status}; only a COMPLETED one can be published.`, {
      extra: { current_status: status },
    });
  }
  if (deal_id === null) throw new ApiError('CONFLICT', 'The pool has not been issued: there is no tranche to mark.');
  if (type !== 'PRICING' || purpose !== 'MARK') {
    const message = `is ${type} with purpose ${purpose}, expected PRICING with purpose MARK`;
    throw new ApiError('UNPROCESSABLE', 'The calculation was not made for marks.', {
      errors: [{ field: 'type', code: 'NOT_A_MARK', message }],
    });
  }
  return deal_id;
}
