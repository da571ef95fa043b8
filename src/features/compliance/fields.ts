import Type from 'typebox';
import { amount, CreatedBetween, date, id, nullable, oneOf } from '../../platform/http/schemas.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';

/*
 * Wire fields that subscriptions, orders, allocations, trades and profiles share.
 */

export const ProfileSchema = named('ComplianceProfile', {
  kyc_status: oneOf(['VERIFIED', 'PENDING', 'REJECTED'], 'Know-your-customer review of the organization.'),
  kyc_expires_on: nullable(date('Last day on which the review is valid; null when it does not expire.')),
  sanctions_status: oneOf(['CLEAR', 'REVIEW', 'HIT'], 'Outcome of the sanctions screening.'),
  qib: Type.Boolean({ description: 'Qualified institutional buyer (Rule 144A).' }),
  accredited: Type.Boolean({ description: 'Accredited investor (Rule 506(c)).' }),
  us_person: Type.Boolean({ description: 'U.S. person (Regulation S).' }),
  tax_form: nullable(oneOf(['W9_FORM', 'W8_FORM'], 'Tax form on file.')),
  erisa_plan: Type.Boolean({ description: 'Benefit plan investor under ERISA.' }),
  concentration_limit: Type.Optional(nullable(amount('Largest amount that the investor may hold or commit to in one deal.'))),
});

export const CheckResultSchema = namedOneOf('CheckResult', ['passed', 'review_required', 'failed']);

export const ComplianceCheck = named('ComplianceCheck', {
  check: Type.String(),
  result: CheckResultSchema,
  reason: Type.String(),
});

export const ComplianceFields = {
  compliance_check_result: namedOneOf(
    'ComplianceResult',
    ['passed', 'review_required'],
    'Outcome of the checks when the request was made.',
  ),
  compliance_checks: Type.Array(ComplianceCheck),
};

export const ListQuery = { deal_id: Type.Optional(id('deal')), ...CreatedBetween };
export const OperatorListQuery = { ...ListQuery, organization_id: Type.Optional(id('org')) };
