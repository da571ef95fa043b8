export const LINT_CODES = [
  'NEVER_PAID',
  'NEVER_BINDS',
  'NEVER_USED',
  'NO_DRAW',
  'TARGET_ZERO',
  'PAID_TWICE',
  'LEFT_OUT',
  'RANK_ORDER',
  'LIMITED',
  'LIKE_FRACTION',
  'PAID_BEFORE_CLOSING',
  'FIRST_ACCRUAL',
  'MATURES_AT_ONCE',
] as const;
export type LintCode = (typeof LINT_CODES)[number];
export type LintFinding = { path: string; code: LintCode; message: string };
