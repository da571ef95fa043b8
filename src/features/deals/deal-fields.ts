import Type from 'typebox';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { id, money, nullable, oneOf, timestamp } from '../../platform/http/schemas.ts';
import { DEAL_STATUSES, MARKET_STATUSES } from './queries.ts';
import { LoanTypeSchema } from './fields.ts';
import { DEAL_KINDS } from './operator-queries.ts';

export const IssueCounts = named('IssueCounts', { error: Type.Integer(), warning: Type.Integer() });

/** The fields of a deal that lists show; `id` and `deal_id` are the same. */
export const DEAL_ROW = {
  id: id('deal'),
  deal_id: id('deal'),
  name: Type.String(),
  loan_type: LoanTypeSchema,
  status: namedOneOf('DealStatus', DEAL_STATUSES),
  market_status: nullable(
    oneOf(MARKET_STATUSES, 'Market status of the securitization deal that holds its loans; null before one is issued.'),
  ),
  loan_count: Type.Integer({ description: 'Accepted loans.' }),
  total_balance: money('Balance of the accepted loans.'),
  tape_version: nullable(Type.Integer()),
  issue_counts: IssueCounts,
  created_at: timestamp(),
  updated_at: timestamp(),
};

export const DealRowSchema = named('DealSummary', DEAL_ROW);

export const OperatorDealSchema = named('OperatorDealSummary', {
  ...DEAL_ROW,
  kind: namedOneOf(
    'DealKind',
    DEAL_KINDS,
    'A loan deal, or the securitization deal that a pool became; the latter has its pool’s figures.',
  ),
  organization_id: id('org'),
});
