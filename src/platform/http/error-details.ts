const text = (description: string) => ({ type: 'string', description });
const texts = (description: string) => ({ type: 'array', items: { type: 'string' }, description });
const count = (description: string) => ({ type: 'integer', description });
const records = (description: string) => ({ type: 'array', items: { type: 'object' }, description });

/** The fields that errors have beside those of every error: what a client needs to go on without reading the message. */
export const ERROR_DETAILS = {
  current_status: text('Status of the record that refused the move.'),
  allowed: texts('Statuses that allow the act, or that the record can move to.'),
  existing_deal_id: text('`DRAFT_EXISTS`: the DRAFT of this loan type.'),
  deal_id: text('The deal that refuses.'),
  deal_ids: texts('`IN_USE`: deals in which others hold records.'),
  pool_id: text('The live pool that holds the deal.'),
  pool_ids: texts('Live pools that hold one of the loans.'),
  loans: records('`LOAN_ALREADY_POOLED`: the first 100 loans, each with the pool that holds it.'),
  total: count('How many there are, listed or not.'),
  conflict_ids: texts('`PLEDGE_CONFLICT`: the conflicts that have to be resolved.'),
  allocations: records('`ALLOCATIONS_OPEN`: the first 100 allocations that are open.'),
  tranches: records('`MARK_REQUIRED`: tranches with a bid and without a published mark.'),
  lines: records('`REMITTANCE_DOES_NOT_TIE`: the lines of the verification.'),
  remittance_id: text('The servicer report in the way.'),
  period: count('Payment period of the servicer report in the way.'),
  index: text('`FIXING_MISSING`: the index of the coupon.'),
  accrued_from: text('`FIXING_MISSING`: first day of the accrual.'),
  tranche_id: text('`FIXING_MISSING`: the tranche.'),
  waiver_id: text('`WAIVER_PENDING`: the waiver that waits.'),
  loan_ids: texts('`WAIVER_PENDING`: the first loans for which it waits.'),
  tape_version: count('Version of the tape that the correction belongs to.'),
  unsealed_version: count('Version of the tape that has no data key.'),
  destroyed_at: text('`PERSONAL_DATA_DESTROYED`: when the data key was destroyed.'),
  pending: count('`UPLOADS_PENDING`: unfinished uploads.'),
  limit: count('`UPLOADS_PENDING`: how many there may be.'),
  decided_by: texts('`SAME_PERSON`: who has decided already.'),
  organization_id: text('`OWN_ORGANIZATION`: the organization of both.'),
  role: text('`ROLE_FORBIDDEN`: the role of the caller.'),
  rights: texts('`RIGHT_REQUIRED`: the rights of the caller.'),
  scopes: texts('`SCOPE_FORBIDDEN`: the scopes of the key.'),
  needed: {
    type: ['array', 'null'],
    items: { type: 'string' },
    description: 'What the endpoint needs: one of these roles or rights, or all of these scopes. Null: a key without scopes.',
  },
  address: text('`NETWORK_FORBIDDEN`: where the request comes from.'),
  networks: texts('`NETWORK_FORBIDDEN`: the networks of the key.'),
  parameter: text('`UNKNOWN_PARAMETER`: the parameter.'),
  nearest: { type: ['string', 'null'], description: 'The known parameter or path that is nearest.' },
  known: texts('`UNKNOWN_PARAMETER`: every parameter of the path.'),
  versions: texts('`UNKNOWN_VERSION`: every version.'),
} as const;

/** The fields that a problem of a field has beside those of every one. */
export const PROBLEM_DETAILS = {
  nearest: { type: ['string', 'null'], description: 'The known name that is nearest.' },
  expected: { description: 'What the field would have to be.' },
  actual: { description: 'What it is.' },
  check: text('`COMPLIANCE_FAILED`: name of the check.'),
  result: text('`COMPLIANCE_FAILED`: its result.'),
  reason: text('`COMPLIANCE_FAILED`: why.'),
} as const;

export type ProblemDetails = { [Name in keyof typeof PROBLEM_DETAILS]?: unknown };
export type ErrorDetails = { [Name in keyof typeof ERROR_DETAILS]?: unknown };
