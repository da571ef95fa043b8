/** The acts of operators of which the policy says how many people they need. */
export const APPROVAL_ACTS = [
  'DEAL_APPROVE',
  'DEAL_REJECT',
  'POOL_ISSUE',
  'ALLOCATE',
  'SETTLE',
  'MARK_PUBLISH',
  'PROFILE_SET',
  'WAIVER',
  'KEY_ISSUE',
  'REMITTANCE_ACCEPT',
  'POLICY_SET',
  'MEMBER_SET',
] as const;
export type ApprovalAct = (typeof APPROVAL_ACTS)[number];
