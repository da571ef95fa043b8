import Type from 'typebox';
import { CreatedBetween, id, oneOf } from '../../platform/http/schemas.ts';

/*
 * Wire fields that subscriptions, orders, allocations and trades share.
 */

export const ComplianceFields = {
  compliance_check_result: oneOf(['passed', 'review_required'], 'Outcome of the checks when the request was made.'),
  compliance_checks: Type.Array(
    Type.Object({ check: Type.String(), result: oneOf(['passed', 'review_required', 'failed']), reason: Type.String() }),
  ),
};

export const ListQuery = { deal_id: Type.Optional(id('deal')), ...CreatedBetween };
export const OperatorListQuery = { ...ListQuery, organization_id: Type.Optional(id('org')) };
