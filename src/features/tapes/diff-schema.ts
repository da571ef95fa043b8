import Type, { type Static } from 'typebox';
import type { TapeDiff } from '../../loans/ingest/diff-tapes.ts';
import { named } from '../../platform/http/named.ts';

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
    Type.Unknown({ description: 'Impossible changes: a balance that rose, a term that grew, a loan that came back.' }),
  ),
});

export const wireDiff = ({ roll_forward, ...diff }: TapeDiff): Static<typeof TapeDiffSchema> => ({
  ...diff,
  roll_forward: Object.fromEntries(Object.entries(roll_forward).map(([name, value]) => [name, Number(value)])),
});
