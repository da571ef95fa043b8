import { distance } from 'fastest-levenshtein';
import type { FieldTable } from './fields.ts';
import type { CriteriaSet } from './language.ts';
import { isProhibitedField } from './prohibited.ts';

/** NOT_A_NUMBER: a value of another JSON type where a number belongs, which a request is refused for before its meaning is judged. */
export type CriteriaIssueCode = 'NOT_A_NUMBER' | 'UNKNOWN_FIELD' | 'INVALID_RULE' | 'PROHIBITED_FIELD' | 'RULE_TOO_LARGE';

/** One fault of a criteria set. `path` leads to it: `loan_rules[3].rule.all[0].field`. */
export interface CriteriaIssue {
  code: CriteriaIssueCode;
  path: string;
  message: string;
  /** The known name that is closest to an unknown field of the language. */
  nearest?: string;
}

/** Inputs of a check of one part, and the sink for its findings. */
export interface Checking {
  set: CriteriaSet;
  fields: FieldTable;
  add(code: CriteriaIssueCode, path: string, message: string, nearest?: string | null): void;
}

/** Returns a field that may be used; reports one that is prohibited or unknown. */
export function usableField(name: unknown, path: string, checking: Checking) {
  if (typeof name !== 'string' || name === '') {
    checking.add('INVALID_RULE', path, 'expected the name of a field');
    return undefined;
  }
  if (isProhibitedField(name)) {
    addProhibited(name, path, checking);
    return undefined;
  }
  const field = checking.fields.get(name);
  if (!field) checking.add('UNKNOWN_FIELD', path, unknownMessage(name, checking));
  return field;
}

/** As `usableField`, for a field that must be numeric. */
export function checkNumericField(name: unknown, path: string, checking: Checking): void {
  const field = usableField(name, path, checking);
  if (field && field.kind !== 'number')
    checking.add('INVALID_RULE', path, `${field.name} holds ${field.kind} values; a number is needed here`);
}

export function addProhibited(name: string, path: string, { add }: Checking): void {
  add(
    'PROHIBITED_FIELD',
    path,
    `"${name}" names an attribute that lenders may not select on (Equal Credit Opportunity Act, Regulation B); remove it`,
  );
}

function unknownMessage(name: string, { fields, set }: Checking): string {
  const near = [...fields.keys()].find(
    (known) => known.startsWith(name) || name.startsWith(known) || editsAtMostTwo(known, name),
  );
  const hint = near === undefined ? `declare it under custom_fields to test a column of the tape` : `did you mean ${near}?`;
  return `${set.loan_type} has no field "${name.slice(0, 80)}"; ${hint}`;
}

function editsAtMostTwo(a: string, b: string): boolean {
  return a.length >= 4 && distance(a, b) <= 2;
}
