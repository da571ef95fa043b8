import { MOST_PROBLEMS } from '../../platform/http/most-problems.ts';
import { type DictionaryField, fieldTable, kindOf } from './fields.ts';
import { findUnknownFields } from '../../platform/http/unknown-fields.ts';
import { type CriteriaSet, CriteriaSetSchema, type LoanRule, LIMITS } from './language.ts';
import { isProhibitedField } from './prohibited.ts';
import { isCalendarDate } from './as-of.ts';
import { type Checking, type CriteriaIssue, addProhibited, checkNumericField } from './checking.ts';
import { checkCondition } from './validate-condition.ts';
import { sizeProblem } from './size.ts';
import { checkPoolTest } from './validate-pool-test.ts';

export type CriteriaVerdict = { ok: true; issues: [] } | { ok: false; issues: CriteriaIssue[] };

/**
 * Checks a criteria set whose outer shape already follows `CriteriaSetSchema`: fields, operators, types of values, bounds, ids,
 * attributes that lenders may not select on. `dictionary` lists the canonical fields of the set's loan type.
 * `takesColumns` is false where rules have no place to declare columns of the tape. Returns the first 100 faults; never throws.
 */
export function validateCriteria(
  set: CriteriaSet,
  dictionary: readonly DictionaryField[],
  { takesColumns = true }: { takesColumns?: boolean } = {},
): CriteriaVerdict {
  // A set that is too large is not checked any further: checking every value would take too long.
  const tooLarge = sizeProblem(set);
  if (tooLarge !== null) return { ok: false, issues: [{ code: 'RULE_TOO_LARGE', path: 'loan_rules', message: tooLarge }] };
  const issues: CriteriaIssue[] = [];
  const isFull = () => issues.length >= MOST_PROBLEMS;
  const add: Checking['add'] = (code, path, message, nearest) => {
    if (!isFull()) issues.push({ code, path, message, ...(nearest ? { nearest } : {}) });
  };
  const checking: Checking = { set, fields: fieldTable(set, dictionary), dictionary, takesColumns, add, isFull };
  for (const { path, message, nearest } of findUnknownFields(CriteriaSetSchema, set))
    add('UNKNOWN_FIELD', path, message, nearest);
  checkDeclarations(checking, dictionary);
  checkIds(set, add);
  set.loan_rules.forEach((rule, index) => {
    checkCondition(rule.rule, `loan_rules[${index}].rule`, checking);
  });
  (set.pool_tests ?? []).forEach((test, index) => {
    checkPoolTest(test, `pool_tests[${index}]`, checking);
  });
  return issues.length === 0 ? { ok: true, issues: [] } : { ok: false, issues };
}

function checkDeclarations(checking: Checking, dictionary: readonly DictionaryField[]): void {
  const { set, add } = checking;
  if (set.as_of !== undefined && !isCalendarDate(set.as_of))
    add('INVALID_RULE', 'as_of', `"${set.as_of}" is not a calendar date; write YYYY-MM-DD`);
  if (set.weight_field !== undefined) checkNumericField(set.weight_field, 'weight_field', checking);
  for (const [name, values] of Object.entries(set.value_sets ?? {})) {
    if (values.length === 0) add('INVALID_RULE', `value_sets.${name}`, 'a value set needs at least one value');
  }
  for (const [name, type] of Object.entries(set.custom_fields ?? {})) {
    const path = `custom_fields.${name}`;
    const known = dictionary.find((field) => field.name === name);
    if (isProhibitedField(name)) addProhibited(name, path, checking);
    else if (known && kindOf(known.type) !== (type === 'string' ? 'text' : type)) {
      add(
        'INVALID_RULE',
        path,
        `${name} is a field of the dictionary with type ${known.type}; drop the declaration or declare that type`,
      );
    }
  }
}

function checkIds(set: CriteriaSet, add: Checking['add']): void {
  const seen = new Map<string, string>();
  const named: [string, { id: string }[]][] = [
    ['loan_rules', set.loan_rules],
    ['pool_tests', set.pool_tests ?? []],
  ];
  if (set.loan_rules.length > LIMITS.loanRules)
    add('INVALID_RULE', 'loan_rules', `at most ${LIMITS.loanRules} loan rules, got ${set.loan_rules.length}`);
  for (const [list, entries] of named) {
    entries.forEach(({ id }: Pick<LoanRule, 'id'>, index) => {
      const path = `${list}[${index}].id`;
      const first = seen.get(id);
      if (first !== undefined) add('INVALID_RULE', path, `the id "${id}" is taken by ${first}; ids are unique in a set`);
      else seen.set(id, `${list}[${index}]`);
    });
  }
}
