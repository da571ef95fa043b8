import Type, { type Static } from 'typebox';
import { BREAKS_MAX, type TapeDiff } from '../../loans/ingest/diff-tapes.ts';
import type { RuleCount } from '../../loans/types.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { nullable, oneOf } from '../../platform/http/schemas.ts';

/** How the loans of two versions of a tape are paired: by content where one of them has no ids. */
export const ComparedBy = namedOneOf('ComparedBy', ['LOAN_ID', 'CONTENT']);

/** What has changed between two tables of loans. */
export const TapeDiffSchema = named('TapeDiff', {
  added: Type.Integer(),
  removed: Type.Integer(),
  changed: Type.Integer(),
  roll_forward: Type.Object(
    Object.fromEntries(
      ['opening', 'added', 'removed', 'principal', 'charged_off', 'adjustment', 'closing'].map((name) => [name, Type.Number()]),
    ),
  ),
  breaks: Type.Array(
    named('TapeBreak', {
      loan_id: Type.String(),
      field: Type.String(),
      rule_id: Type.String(),
      previous: nullable(Type.String()),
      next: nullable(Type.String()),
      message: Type.String(),
    }),
    {
      description: `Impossible changes: a balance that rose, a term that grew, a loan that came back. The first ${BREAKS_MAX.toLocaleString('en-US')}, in the order of the older version.`,
    },
  ),
  break_count: Type.Integer({ description: 'Number of all impossible changes.' }),
  compared_by: Type.Optional(ComparedBy),
  findings: Type.Optional(
    Type.Array(
      named('FindingsChange', {
        rule_id: Type.String(),
        severity: oneOf(['ERROR', 'WARNING']),
        before: Type.Integer({ description: 'Findings in the older version.' }),
        after: Type.Integer({ description: 'Findings in the newer version.' }),
      }),
      { description: 'Of two versions of a tape: the rules whose findings are more or fewer.' },
    ),
  ),
});

/** The rules whose findings are more or fewer in the newer of two versions. */
export function findingsChange(
  previous: readonly RuleCount[] | null,
  next: readonly RuleCount[] | null,
): NonNullable<Static<typeof TapeDiffSchema>['findings']> {
  const keyOf = ({ rule_id, severity }: RuleCount): string => `${rule_id} ${severity}`;
  const [before, after] = [previous, next].map((rules) => new Map((rules ?? []).map((rule) => [keyOf(rule), rule.count])));
  const rules = new Map([...(previous ?? []), ...(next ?? [])].map((rule) => [keyOf(rule), rule]));
  return [...rules]
    .map(([key, { rule_id, severity }]) => ({ rule_id, severity, before: before?.get(key) ?? 0, after: after?.get(key) ?? 0 }))
    .filter((rule) => rule.before !== rule.after);
}

export const wireDiff = ({ roll_forward, ...diff }: TapeDiff): Static<typeof TapeDiffSchema> => ({
  ...diff,
  roll_forward: Object.fromEntries(Object.entries(roll_forward).map(([name, value]) => [name, Number(value)])),
});
