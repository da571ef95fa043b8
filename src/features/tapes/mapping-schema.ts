import Type from 'typebox';
import { CELL_OUTCOMES } from '../../loans/ingest/preview-mapping.ts';
import type { Mapping, MappingRequest } from '../../loans/types.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { nullable, oneOf, text } from '../../platform/http/schemas.ts';

/** A name of a column, or of the result of a formula. */
const columnName = (description: string) => Type.String({ minLength: 1, maxLength: 1_000, description });
const literal = (minLength: number, maxLength: number, description: string) => Type.String({ minLength, maxLength, description });

const Transform = Type.Object(
  {
    formula: Type.Optional(
      Type.Object(
        {
          num: columnName('Column above the line.'),
          den: columnName('Column below the line; where it is zero the value is missing.'),
          scale: Type.Optional(Type.Number({ description: 'The ratio is multiplied by it, such as 100 for percent.' })),
        },
        {
          title: 'ColumnFormula',
          description:
            'The `expr` of a criteria rule over columns of the tape: `num / den × scale`, rounded half-even to six decimals. It takes the place of the text of ' +
            'the column; `source` may then be a name of its own that no column has. The inputs are read as written, whatever they are mapped to.',
        },
      ),
    ),
    split: Type.Optional(
      Type.Object(
        {
          separator: literal(1, 20, 'Text between the parts, taken literally.'),
          part: Type.Integer({ minimum: -100, maximum: 100, description: 'From 1; -1 is the last part.' }),
        },
        {
          title: 'ColumnSplit',
          description: 'One part of the text is read. A row without that part is reported, and its value is missing.',
        },
      ),
    ),
    concat: Type.Optional(
      Type.Object(
        {
          columns: Type.Array(columnName('A column of the tape.'), { minItems: 1, maxItems: 10 }),
          separator: Type.Optional(literal(0, 20, 'Text between the columns; a blank by default.')),
          skip_blank: Type.Optional(
            Type.Boolean({
              description:
                'Leave blank columns out. By default a row in which some are blank is reported, and its value is missing.',
            }),
          ),
        },
        { title: 'ColumnConcat', description: 'Further columns of the row, joined behind the text.' },
      ),
    ),
    replace: Type.Optional(
      Type.Array(
        Type.Object(
          { find: literal(1, 200, 'Taken literally, with its case.'), with: literal(0, 200, 'What stands in its place.') },
          { title: 'TextReplacement' },
        ),
        { minItems: 1, maxItems: 10, description: 'Replaced in the text, one after the other, wherever it occurs.' },
      ),
    ),
    scale: Type.Optional(
      Type.Number({ description: 'The number is multiplied by it: above 0, at most 1,000,000, with at most nine decimals.' }),
    ),
    multiply: Type.Optional(
      Type.Number({
        description:
          'Exact factor with at most six decimals; -1 turns the sign. Together with `divide` the result is rounded once.',
      }),
    ),
    divide: Type.Optional(
      Type.Number({
        description:
          'Exact divisor with at most six decimals; the result is rounded half-even to six decimals, and the decisions count the roundings.',
      }),
    ),
    unit: Type.Optional(oneOf(['fraction', 'percent'], 'How a percent column is written.')),
    date: Type.Optional(text(40, 'Pattern of the dates, such as MMYYYY.')),
    values: Type.Optional(Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]))),
  },
  {
    title: 'ColumnTransform',
    description:
      'How the column is read into its field if its values alone do not determine it. The text is made first (`formula`, or `split`, then `concat`, then ' +
      '`replace`) and then read like that of any other column: missing markers, `values`, `date`, `unit`, and `scale` or `multiply` and `divide`. A factor, a scale or a ' +
      'formula settles the unit: nothing is assumed about it. What was done stands in `decisions`.',
    examples: [
      { split: { separator: '-', part: 2 } },
      { concat: { columns: ['Orig Year'], separator: '/' }, date: 'MM/YYYY' },
      { replace: [{ find: 'US$', with: '' }], divide: 100 },
      { formula: { num: 'Amount Financed', den: 'Vehicle Value', scale: 100 } },
    ],
  },
);

/** One entry of a requested mapping. */
export const MappingEntrySchema = named('MappingEntry', {
  source: Type.String({ minLength: 1, maxLength: 1_000 }),
  target: nullable(text(100)),
  transform: Type.Optional(Transform),
  sealed: Type.Optional(
    Type.Boolean({
      description:
        'Whether the values are sealed as personal data: `false` unseals a column that was taken for personal by mistake, `true` seals another one. Without it the header and the values decide.',
    }),
  ),
  confidence: Type.Optional(
    Type.Number({ description: 'As the mapping shows it; entries can be sent back as they were read. It is ignored.' }),
  ),
  reason: Type.Optional(Type.String({ maxLength: 40, description: 'As `sealed` of the mapping shows it. It is ignored.' })),
});

export const ChangeMapping = named('ChangeMapping', {
  mappings: Type.Array(MappingEntrySchema, { minItems: 1, maxItems: 2_000 }),
});

export const MappingSchema = named('Mapping', {
  mappings: Type.Array(
    named('MappedColumn', {
      source: Type.String(),
      target: Type.String(),
      transform: Type.Optional(Transform),
      confidence: Type.Number(),
      sealed: Type.Optional(Type.Literal(true, { description: 'The column is sealed; the field has tokens of its values.' })),
    }),
  ),
  sealed: Type.Array(
    named('SealedColumn', {
      source: Type.String(),
      target: nullable(Type.String({ description: 'The field of the obligor that has its tokens.' })),
      sealed: Type.Literal(true),
      reason: namedOneOf(
        'SealReason',
        ['HEADER', 'CONTENT', 'OBLIGOR', 'REQUEST'],
        'The header names data of a person; at least 95 % of the values do; the column identifies the obligor; it was asked for.',
      ),
    }),
    { description: 'Columns with personal data: their values are encrypted and shown nowhere.' },
  ),
  unmapped: Type.Array(Type.String()),
  missing_required: Type.Array(Type.String()),
  suggestions: Type.Array(
    named('MappingSuggestion', {
      source: Type.String(),
      target: Type.String(),
      confidence: Type.Number(),
      reason: Type.String(),
      samples: Type.Array(
        named('SampleValue', {
          value: Type.String({ description: 'As it stands on the tape; a long one is cut with an ellipsis.' }),
          reads_as: nullable(
            Type.String({ description: 'What it would be as a value of the field; null where it is missing or unreadable.' }),
          ),
          unreadable: Type.Boolean({ description: 'It is no missing marker and could not be read.' }),
        }),
        { description: 'Up to three different values of the column.' },
      ),
      samples_withheld: nullable(Type.String({ description: 'Why no values are shown: the column looks like personal data.' })),
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

const count = (description: string) => Type.Integer({ description });
const cellValue = (description: string) =>
  Type.Unsafe<string | number | boolean | null>({ type: ['string', 'number', 'boolean', 'null'], description });

/** What would become of a tape under another mapping. */
export const PreviewSchema = named('MappingPreview', {
  rows: Type.Integer({ description: 'All rows of the tape, rejected ones included.' }),
  fields: Type.Array(
    named('PreviewField', {
      field: Type.String(),
      source_before: nullable(Type.String({ description: 'The column that fills it now.' })),
      source_after: nullable(Type.String({ description: 'The column that would fill it.' })),
      transform_after: Type.Optional(Transform),
      changed: count('Rows with another value or another state, those that follow included.'),
      becomes_unreadable: count('Rows whose text could not be read any more.'),
      becomes_missing: count('Rows that would lose their value without being unreadable.'),
      becomes_readable: count('Rows that would get a value and have none.'),
      withheld: nullable(Type.String({ description: 'Why its values are counted and not shown.' })),
    }),
  ),
  sample: Type.Array(
    named('PreviewRow', {
      row_number: Type.Integer(),
      line: Type.Integer(),
      fields: Type.Array(
        named('PreviewCell', {
          field: Type.String(),
          before: cellValue('The value now.'),
          after: cellValue('The value that it would have.'),
          outcome: namedOneOf('PreviewOutcome', CELL_OUTCOMES),
          unreadable_text: nullable(
            Type.String({ description: 'The text that could not be read; null where it can be or is missing.' }),
          ),
        }),
      ),
    }),
    { description: 'At most 20.' },
  ),
  mapping: MappingSchema,
  decisions: Type.Array(Type.String()),
  findings: Type.Array(
    named('PreviewFinding', {
      rule_id: Type.String(),
      severity: namedOneOf('FindingSeverity', ['ERROR', 'WARNING']),
      message: Type.String(),
      field: nullable(Type.String()),
      column: nullable(Type.String()),
      line: nullable(Type.Integer()),
      actual: nullable(Type.String()),
      expected: nullable(Type.String()),
    }),
  ),
});

/** The mapping on the wire; empty before the tape was mapped. */
export function wireMapping(mapping: Mapping | null) {
  return {
    mappings: mapping?.mappings ?? [],
    sealed: mapping?.sealed ?? [],
    unmapped: mapping?.unmapped ?? [],
    missing_required: mapping?.missing_required ?? [],
    suggestions: (mapping?.suggestions ?? []).map(({ samples = [], samples_withheld = null, ...suggestion }) => ({
      ...suggestion,
      samples,
      samples_withheld,
    })),
  };
}

/** The entries of a request, without what the mapping shows beside them. */
export function requestedEntries(
  entries: readonly (MappingRequest & { confidence?: number; reason?: string })[],
): MappingRequest[] {
  return entries.map(({ confidence: _confidence, reason: _reason, ...entry }) => entry);
}
