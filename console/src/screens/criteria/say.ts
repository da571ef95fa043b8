import { words } from '../../ui/format.tsx';
import {
  type Comparison,
  type Condition,
  type Fields,
  hasField,
  isShare,
  measured,
  MEASURES,
  OPERATORS,
  type PoolTest,
  shapeOf,
} from './language.ts';
import { numbers } from '../../ui/intl.ts';

const number = numbers({ maximumFractionDigits: 6 });
const percentOf = numbers({ style: 'percent', maximumFractionDigits: 4 });

/** A value of a rule or a loan, with the unit of its field. */
export function sayValue(value: unknown, type?: string, unit?: string | null): string {
  if (Array.isArray(value)) return value.map((each) => sayValue(each, type, unit)).join(', ');
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value !== 'number') return typeof value === 'string' ? value : JSON.stringify(value);
  if (type === 'money') return `$${number(value)}`;
  if (type === 'percent') return `${number(value)}%`;
  return unit && ['months', 'days', 'years'].includes(unit) ? `${number(value)} ${unit}` : number(value);
}

function sayComparison(comparison: Comparison, fields: Fields): string {
  const { field, expr, op, value, value_field, value_set, factor, on_missing } = comparison;
  const { type, unit } = measured(comparison, fields);
  const left = expr
    ? `${words(expr.num)} / ${words(expr.den)}${expr.scale ? ` × ${expr.scale}` : ''}`
    : words(field || 'no field');
  const right =
    value_field !== undefined
      ? `${factor === undefined ? '' : `${factor} × `}${words(value_field)}`
      : value_set !== undefined
        ? `the set ${value_set}`
        : op === 'between' && Array.isArray(value)
          ? `${sayValue(value[0], type, unit)} and ${sayValue(value[1], type, unit)}`
          : sayValue(value, type, unit);
  const missing = on_missing ? ` (a missing value ${on_missing === 'pass' ? 'passes' : 'fails'})` : '';
  return `${left} ${OPERATORS[op]}${op === 'is_null' || op === 'not_null' ? '' : ` ${right}`}${missing}`;
}

/** A condition in words. */
export function sayCondition(condition: Condition, fields: Fields, depth = 0): string {
  const shape = shapeOf(condition, depth);
  const say = (part: Condition): string => sayCondition(part, fields, depth + 1);
  if (shape.kind === 'comparison') return sayComparison(shape.comparison, fields);
  if (shape.kind === 'group') return shape.parts.map((part) => `(${say(part)})`).join(shape.word === 'all' ? ' and ' : ' or ');
  if (shape.kind === 'not') return `not (${say(shape.part)})`;
  if (shape.kind === 'when') return `when ${say(shape.when)}, then ${say(shape.then)}`;
  return JSON.stringify(condition);
}

/** A limit or a figure of a pool test: a share in percent, else in the unit of the field that it measures. */
export function sayFigure(value: unknown, test: Pick<PoolTest, 'type' | 'field'> | undefined, fields: Fields): string {
  if (Array.isArray(value)) return value.map((each) => sayFigure(each, test, fields)).join(' to ');
  if (typeof value !== 'number' || Number.isNaN(value)) return '–';
  if (test && isShare(test.type)) return percentOf(value);
  const field = test?.field === undefined ? undefined : fields.get(test.field);
  const rounded = Math.round(value * 10_000) / 10_000;
  return sayValue(rounded, field?.type, field?.unit);
}

/** A pool test in words. */
export function sayTest(test: PoolTest, fields: Fields): string {
  const { type, where, group_by, top, field, population, op, value, exceptions, rank_limits, weight, missing_as } = test;
  const what = [
    MEASURES[type],
    hasField(type) && field ? ` of ${words(field).toLowerCase()}` : '',
    group_by ? ` by ${group_by.map((name) => words(name).toLowerCase()).join(' and ')}` : '',
    (top ?? 1) > 1 ? `, the largest ${top} together` : '',
    where ? `, where ${sayCondition(where, fields)}` : '',
    weight ? `, weighted by ${words(weight).toLowerCase()}` : '',
    population === 'all' ? ', of all loans' : '',
  ].join('');
  const own = Object.entries(exceptions ?? {}).map(([group, limit]) => `${group} ${sayFigure(limit, test, fields)}`);
  const more = [
    own.length > 0 ? `; own limits: ${own.join(', ')}` : '',
    rank_limits ? `; limits by rank: ${rank_limits.map((limit) => sayFigure(limit, test, fields)).join(', ')}` : '',
    missing_as === undefined ? '' : `; a missing value counts as ${missing_as}`,
  ].join('');
  return `${what}: ${OPERATORS[op]} ${sayFigure(value, test, fields)}${more}`;
}
