import type { Records } from '../../app/api.ts';

export type SetBody = Records['NewCriteriaSet'];
export type Rule = Records['LoanRule'];
export type PoolTest = Records['PoolTest'];
/** A condition as the API has it: a comparison, or words that hold conditions. */
export type Condition = Rule['rule'];
export type Field = Records['CanonicalField'];
export type Scalar = string | number | boolean;
export type Ratio = { num: string; den: string; scale?: number };

export type Comparison = {
  field?: string;
  expr?: Ratio;
  op: Operator;
  value?: Scalar | Scalar[];
  value_field?: string;
  value_set?: string;
  factor?: number;
  on_missing?: 'fail' | 'pass';
};

/** The operators in words, in the order in which they are offered. */
export const OPERATORS = {
  gte: 'at least',
  lte: 'at most',
  between: 'between',
  gt: 'above',
  lt: 'below',
  eq: 'is',
  neq: 'is not',
  in: 'one of',
  not_in: 'none of',
  on_or_after: 'on or after',
  on_or_before: 'on or before',
  after: 'after',
  before: 'before',
  not_null: 'has a value',
  is_null: 'has no value',
} as const;
export type Operator = keyof typeof OPERATORS;

export type Kind = 'number' | 'text' | 'boolean' | 'date';

const OF_KIND: Record<Kind, readonly Operator[]> = {
  number: ['gte', 'lte', 'between', 'gt', 'lt', 'eq', 'neq', 'in', 'not_in', 'not_null', 'is_null'],
  text: ['eq', 'neq', 'in', 'not_in', 'not_null', 'is_null'],
  boolean: ['eq', 'neq', 'not_null', 'is_null'],
  date: ['on_or_after', 'on_or_before', 'between', 'after', 'before', 'eq', 'neq', 'not_null', 'is_null'],
};

/** The operators that fit a kind of value; one that is written already is offered too, so that nothing is lost. */
export const operatorsOf = (kind: Kind, written: Operator): readonly Operator[] =>
  OF_KIND[kind].includes(written) ? OF_KIND[kind] : [...OF_KIND[kind], written];

export const isOperator = (word: unknown): word is Operator => typeof word === 'string' && Object.hasOwn(OPERATORS, word);

/** The kind of values of a field; a field that is not known yet is taken for text. */
export function kindOf(type: string | undefined): Kind {
  if (type === 'date' || type === 'boolean') return type;
  return type === undefined || type === 'string' || type === 'enum' ? 'text' : 'number';
}

export type Fields = ReadonlyMap<string, Field>;
/** What a condition may name. */
export type ConditionContext = { fields: Fields; valueSets: NonNullable<SetBody['value_sets']> };

/** The fields that rules may name: those of the dictionary, and columns of the tape that the set declares. */
export function fieldsOf(dictionary: readonly Field[], declared: SetBody['custom_fields']): Fields {
  const own = Object.entries(declared ?? {}).map(([field, type]) => ({
    field,
    type,
    required: false,
    unit: null,
    range: null,
    enum: null,
    aliases: [],
    description: 'column of the tape, declared by this set',
    source: null,
  }));
  return new Map([...own, ...dictionary].map((each) => [each.field, each]));
}

/** The field that a comparison measures; of a ratio what is known is that it is a number. */
export const measured = ({ field, expr }: Comparison, fields: Fields): Pick<Field, 'type' | 'unit' | 'enum'> =>
  expr || field === undefined
    ? { type: expr ? 'number' : 'string', unit: null, enum: null }
    : (fields.get(field) ?? { type: 'string', unit: null, enum: null });

const KEYS = ['field', 'expr', 'op', 'value', 'value_field', 'value_set', 'factor', 'on_missing'];
const within = (value: object, keys: readonly string[]): boolean => Object.keys(value).every((key) => keys.includes(key));
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isRatio = (value: unknown): value is Ratio =>
  isRecord(value) && within(value, ['num', 'den', 'scale']) && typeof value.num === 'string' && typeof value.den === 'string';

function isComparison(condition: Record<string, unknown>): condition is Comparison {
  const { field, expr, op, value_field, value_set, factor } = condition;
  return (
    isOperator(op) &&
    within(condition, KEYS) &&
    (expr === undefined ? typeof field === 'string' : field === undefined && isRatio(expr)) &&
    [value_field, value_set].every((name) => name === undefined || typeof name === 'string') &&
    (factor === undefined || typeof factor === 'number') &&
    !isRecord(condition.value)
  );
}

/** What the form knows to show; `text` is everything else, which is kept and edited as it is written. */
export type Shape =
  | { kind: 'comparison'; comparison: Comparison }
  | { kind: 'group'; word: 'all' | 'any'; parts: Condition[] }
  | { kind: 'not'; part: Condition }
  | { kind: 'when'; when: Condition; then: Condition }
  | { kind: 'text' };

/** Deeper conditions are edited as text: their form would be wider than a window. */
const DEEPEST = 3;

export function shapeOf(condition: Condition, depth: number): Shape {
  if (isComparison(condition)) return { kind: 'comparison', comparison: condition };
  if (depth >= DEEPEST) return { kind: 'text' };
  const [word, ...others] = Object.keys(condition);
  if ((word === 'all' || word === 'any') && others.length === 0) {
    const parts = condition[word];
    if (Array.isArray(parts) && parts.length > 0 && parts.every(isRecord)) return { kind: 'group', word, parts };
  }
  if (word === 'not' && others.length === 0 && isRecord(condition.not)) return { kind: 'not', part: condition.not };
  if (within(condition, ['when', 'then']) && isRecord(condition.when) && isRecord(condition.then))
    return { kind: 'when', when: condition.when, then: condition.then };
  return { kind: 'text' };
}

/** A comparison with another operator: a value that fits both is kept. */
export function withOperator(comparison: Comparison, op: Operator): Comparison {
  const { value, value_field, value_set, factor, ...rest } = comparison;
  if (op === 'is_null' || op === 'not_null') return { ...rest, op };
  const list = op === 'in' || op === 'not_in';
  if (value_set !== undefined) return list ? { ...rest, op, value_set } : { ...rest, op };
  if (value_field !== undefined)
    return list || op === 'between' ? { ...rest, op } : { ...rest, op, value_field, ...(factor === undefined ? {} : { factor }) };
  if (value === undefined) return { ...rest, op };
  const first = Array.isArray(value) ? value[0] : value;
  if (list) return { ...rest, op, value: Array.isArray(value) ? value : [value] };
  if (op === 'between') return Array.isArray(value) ? { ...rest, op, value } : { ...rest, op, value: [value, value] };
  return first === undefined ? { ...rest, op } : { ...rest, op, value: first };
}

/** A comparison of another field: what does not fit its kind goes. */
export function withField(comparison: Comparison, field: string, fields: Fields): Comparison {
  const before = kindOf(measured(comparison, fields).type);
  const { type } = measured({ field, op: comparison.op }, fields);
  const kind = kindOf(type);
  const { on_missing } = comparison;
  const missing = on_missing ? { on_missing } : {};
  if (kind !== before) return { field, op: OF_KIND[kind][0] ?? 'eq', ...missing };
  const { expr: _ratio, ...rest } = comparison;
  return { ...rest, field };
}

export const NEW_COMPARISON: Condition = { field: '', op: 'gte' };
export const MEASURES = {
  share: 'Share of balance',
  concentration: 'Concentration',
  weighted_average: 'Weighted average',
  average: 'Average',
  sum: 'Sum',
  count: 'Count of loans',
  min: 'Minimum',
  max: 'Maximum',
  hhi: 'Herfindahl index',
} as const satisfies Record<PoolTest['type'], string>;
/** Tests whose limit is a fraction, which people write in percent. */
export const isShare = (type: PoolTest['type']): boolean => ['share', 'concentration', 'hhi'].includes(type);
export const hasField = (type: PoolTest['type']): boolean => ['weighted_average', 'average', 'sum', 'min', 'max'].includes(type);
export const hasGroups = (type: PoolTest['type']): boolean => type === 'concentration' || type === 'hhi';
export const hasWeight = (type: PoolTest['type']): boolean => isShare(type) || type === 'weighted_average';
export const hasMissing = (type: PoolTest['type']): boolean => ['weighted_average', 'average', 'sum'].includes(type);
