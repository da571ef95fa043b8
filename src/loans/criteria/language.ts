import Type from 'typebox';
import { named, recordOf } from '../../platform/http/named.ts';
import { LOAN_TYPES, type LoanType, type Ratio } from '../types.ts';

/** Comparison operators of a leaf. `between` includes both bounds. */
export const OPERATORS = [
  'eq',
  'neq',
  'gt',
  'gte',
  'lt',
  'lte',
  'between',
  'in',
  'not_in',
  'is_null',
  'not_null',
  'before',
  'after',
  'on_or_before',
  'on_or_after',
] as const;
export type Operator = (typeof OPERATORS)[number];

export const POOL_TEST_TYPES = [
  'share',
  'concentration',
  'weighted_average',
  'average',
  'sum',
  'count',
  'min',
  'max',
  'hhi',
] as const;
export type PoolTestType = (typeof POOL_TEST_TYPES)[number];

export const POOL_OPERATORS = ['lte', 'lt', 'gte', 'gt', 'between'] as const;
export type PoolOperator = (typeof POOL_OPERATORS)[number];

const CUSTOM_TYPES = ['string', 'number', 'date'] as const;

export const LIMITS = {
  loanRules: 200,
  poolTests: 100,
  depth: 16,
  leaves: 200,
  values: 5_000,
  customFields: 200,
  topGroups: 1_000,
} as const;

export type Scalar = string | number | boolean;

/** One comparison: a field or a ratio against a value, a list, another field (times a factor) or a value set. */
export interface Leaf {
  field?: string;
  expr?: Ratio;
  op: Operator;
  value?: Scalar | Scalar[];
  value_field?: string;
  value_set?: string;
  factor?: number;
  /** `pass`: the comparison holds when a value is missing; `fail`: it stays unknown even if the set's policy is `pass`. */
  on_missing?: 'fail' | 'pass';
}

export type Condition =
  | Leaf
  | { all: Condition[] }
  | { any: Condition[] }
  | { not: Condition }
  | { when: Condition; then: Condition };

export interface LoanRule {
  id: string;
  description?: string;
  /** A `warn` rule is reported and does not fail a loan. */
  severity?: 'fail' | 'warn';
  waivable?: boolean;
  rule: Condition;
}

export interface PoolTest {
  id: string;
  description?: string;
  type: PoolTestType;
  where?: Condition;
  group_by?: string[];
  top?: number;
  /** Group key → its own limit; keys of several fields are joined by ` | `. */
  exceptions?: Record<string, number>;
  /** Limit of the largest group, of the second, …; every other group has `value`. */
  rank_limits?: number[];
  field?: string;
  weight?: string;
  missing_as?: number;
  population?: 'eligible' | 'all';
  op: PoolOperator;
  value: number | [number, number];
  severity?: 'fail' | 'warn';
}

export interface CriteriaSet {
  version?: 1;
  name?: string;
  loan_type: LoanType;
  as_of?: string;
  missing_policy?: 'fail' | 'pass';
  weight_field?: string;
  value_sets?: Record<string, Scalar[]>;
  /** Columns of the tape outside the dictionary, by normalised header. */
  custom_fields?: Record<string, (typeof CUSTOM_TYPES)[number]>;
  loan_rules: LoanRule[];
  pool_tests?: PoolTest[];
}

const oneOf = <T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], description });
const ID = Type.String({ minLength: 1, maxLength: 64, format: 'plain-text', description: 'unique in the set' });
const SEVERITY = Type.Optional(oneOf(['fail', 'warn'], 'a warn rule is reported and does not fail a loan; default fail'));
const DESCRIPTION = Type.Optional(Type.String({ maxLength: 500, format: 'plain-text' }));
const CONDITION = Type.Unsafe<Condition>({
  type: 'object',
  description:
    'A comparison {field | expr, op, value | value_field | value_set, factor?, on_missing?} or {all: []}, {any: []}, {not: {}}, {when: {}, then: {}}. ' +
    `op: ${OPERATORS.join(', ')}. Faults inside a rule give 422 with their path.`,
});

/** A set that was read can be sent again as it is. */
const AS_READ = 'of a set as it was read; ignored here';

/**
 * Shape of a criteria set on the wire. `validateCriteria` checks everything that needs the dictionary (fields, operators, types of
 * values) and the inside of conditions, and reports the path of each fault.
 */
export const CriteriaSetSchema = named('NewCriteriaSet', {
  version: Type.Optional(Type.Literal(1)),
  criteria_id: Type.Optional(Type.Unsafe<unknown>({ description: AS_READ })),
  created_at: Type.Optional(Type.Unsafe<unknown>({ description: AS_READ })),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 200, format: 'plain-text' })),
  loan_type: oneOf(LOAN_TYPES, 'the loan type whose fields the rules name'),
  as_of: Type.Optional(
    Type.String({ format: 'date', description: 'cut-off date; date values may be written as_of, as_of-120d' }),
  ),
  missing_policy: Type.Optional(
    oneOf(['fail', 'pass'], 'what a rule does when it cannot be decided because a value is missing; default fail'),
  ),
  weight_field: Type.Optional(Type.String({ maxLength: 128, description: 'weight of pool tests; default current_balance' })),
  value_sets: Type.Optional(
    recordOf(
      Type.String({ maxLength: 128 }),
      Type.Array(Type.Union([Type.String({ maxLength: 500 }), Type.Number(), Type.Boolean()]), { maxItems: LIMITS.values }),
    ),
  ),
  custom_fields: Type.Optional(
    recordOf(Type.String({ maxLength: 128 }), oneOf(CUSTOM_TYPES, 'how the source text is read'), {
      maxProperties: LIMITS.customFields,
      description: 'columns of the tape outside the dictionary, by normalised header',
    }),
  ),
  loan_rules: Type.Array(
    named('LoanRule', {
      id: ID,
      description: DESCRIPTION,
      severity: SEVERITY,
      waivable: Type.Optional(Type.Boolean()),
      rule: CONDITION,
    }),
    { maxItems: LIMITS.loanRules },
  ),
  pool_tests: Type.Optional(
    Type.Array(
      named('PoolTest', {
        id: ID,
        description: DESCRIPTION,
        type: oneOf(POOL_TEST_TYPES, 'what is measured'),
        where: Type.Optional(CONDITION),
        group_by: Type.Optional(Type.Array(Type.String({ maxLength: 128 }), { minItems: 1, maxItems: 5 })),
        top: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMITS.topGroups })),
        exceptions: Type.Optional(recordOf(Type.String({ maxLength: 500 }), Type.Number(), { maxProperties: LIMITS.topGroups })),
        rank_limits: Type.Optional(Type.Array(Type.Number(), { minItems: 1, maxItems: LIMITS.topGroups })),
        field: Type.Optional(Type.String({ maxLength: 128 })),
        weight: Type.Optional(Type.String({ maxLength: 128 })),
        missing_as: Type.Optional(Type.Number()),
        population: Type.Optional(oneOf(['eligible', 'all'], 'eligible: the loans that pass; default eligible')),
        op: oneOf(POOL_OPERATORS, 'how the measured figure is compared with the limit'),
        value: Type.Union([Type.Number(), Type.Array(Type.Number(), { minItems: 2, maxItems: 2 })]),
        severity: SEVERITY,
      }),
      { maxItems: LIMITS.poolTests },
    ),
  ),
});

export function isLeaf(condition: Condition): condition is Leaf {
  return 'op' in condition;
}

/** The comparisons of a condition, left to right. */
export function leavesOf(condition: Condition): Leaf[] {
  if (isLeaf(condition)) return [condition];
  return childrenOf(condition).flatMap(leavesOf);
}

export function childrenOf(condition: Exclude<Condition, Leaf>): Condition[] {
  if ('all' in condition) return condition.all;
  if ('any' in condition) return condition.any;
  if ('not' in condition) return [condition.not];
  return [condition.when, condition.then];
}
