import Type from 'typebox';
import type { Mapping } from '../../loans/types.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { nullable, oneOf, text } from '../../platform/http/schemas.ts';
import type { StoredMapping } from './queries.ts';

export const TAG = 'Loan tapes';

export const Transform = Type.Object(
  {
    scale: Type.Optional(Type.Number({ description: 'The number is multiplied by it.' })),
    unit: Type.Optional(oneOf(['fraction', 'percent'], 'How a percent column is written.')),
    date: Type.Optional(text(40, 'Pattern of the dates, such as MMYYYY.')),
    values: Type.Optional(Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]))),
  },
  { title: 'ColumnTransform', description: 'How the column is read into its field if its values alone do not determine it.' },
);

export const MappingSchema = named('Mapping', {
  mappings: Type.Array(
    named('MappedColumn', {
      source: Type.String(),
      target: Type.String(),
      transform: Type.Optional(Transform),
      confidence: Type.Number(),
    }),
  ),
  unmapped: Type.Array(Type.String()),
  missing_required: Type.Array(Type.String()),
  suggestions: Type.Array(
    named('MappingSuggestion', {
      source: Type.String(),
      target: Type.String(),
      confidence: Type.Number(),
      reason: Type.String(),
    }),
  ),
});

export const Issue = named('Finding', {
  row_number: nullable(Type.Integer()),
  line: nullable(Type.Integer()),
  column: nullable(Type.String()),
  field: nullable(Type.String()),
  rule_id: Type.String(),
  severity: namedOneOf('FindingSeverity', ['ERROR', 'WARNING']),
  message: Type.String(),
  actual: nullable(Type.String()),
  expected: nullable(Type.String()),
});

/** The mapping on the wire; empty before the tape was mapped. */
export function wireMapping(mapping: StoredMapping | null): Mapping {
  return {
    mappings: mapping?.mappings ?? [],
    unmapped: mapping?.unmapped ?? [],
    missing_required: mapping?.missing_required ?? [],
    suggestions: mapping?.suggestions ?? [],
  };
}
