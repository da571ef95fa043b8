import type { FieldProblem } from '../../app/api.ts';
import { hasField, hasGroups, isRecord, type SetBody } from './language.ts';

/** What is not written yet: until then there is nothing for the API to judge. */
export function gapsOf({ loan_rules, pool_tests = [] }: SetBody): FieldProblem[] {
  return [
    ...loan_rules.flatMap(({ rule }, at) => inCondition(rule, `loan_rules[${at}].rule`)),
    ...pool_tests.flatMap(({ type, field, group_by, where }, at) => {
      const path = `pool_tests[${at}]`;
      return [
        ...(hasField(type) && !field ? [gap(`${path}.field`, 'choose a field')] : []),
        ...(hasGroups(type) && !group_by?.length ? [gap(`${path}.group_by`, 'choose the fields that make the groups')] : []),
        ...(where ? inCondition(where, `${path}.where`) : []),
      ];
    }),
  ];
}

const gap = (field: string, message: string): FieldProblem => ({ field, code: 'UNFINISHED', message });

function inCondition(condition: Record<string, unknown>, path: string): FieldProblem[] {
  if ('op' in condition) return inComparison(condition, path);
  return Object.entries(condition).flatMap(([word, part]) => {
    if (Array.isArray(part))
      return part.flatMap((each, at) => (isRecord(each) ? inCondition(each, `${path}.${word}[${at}]`) : []));
    return isRecord(part) ? inCondition(part, `${path}.${word}`) : [];
  });
}

function inComparison({ op, field, expr, value, value_field, value_set }: Record<string, unknown>, path: string): FieldProblem[] {
  if (field === '' || (isRecord(expr) && (expr.num === '' || expr.den === ''))) return [gap(path, 'choose a field')];
  if (value_field === '') return [gap(path, 'choose the field to compare with')];
  if (value_set === '') return [gap(path, 'choose a value set')];
  if (op === 'is_null' || op === 'not_null' || value_field !== undefined || value_set !== undefined) return [];
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.length === 0 || values.some((each) => each === undefined || each === '') ? [gap(path, 'write a value')] : [];
}
