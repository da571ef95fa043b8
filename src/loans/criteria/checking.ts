import { distance } from 'fastest-levenshtein';
import { normalizeHeader } from '../reading/header.ts';
import type { DictionaryField, FieldTable } from './fields.ts';
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
  dictionary: readonly DictionaryField[];
  /** Whether the rules may test columns of the tape that they declare. */
  takesColumns: boolean;
  add(code: CriteriaIssueCode, path: string, message: string, nearest?: string | null): void;
  /** Whether as many faults are found as are told: to look for what is meant by each of a hundred thousand names takes seconds. */
  isFull(): boolean;
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
  if (!field) addUnknown(name, path, checking);
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

function addUnknown(name: string, path: string, checking: Checking): void {
  const { set, takesColumns, add } = checking;
  const nearest = nearestField(name, checking);
  const otherwise = takesColumns
    ? 'declare it under custom_fields to test a column of the tape'
    : `GET /v1/api/originator/loans/dictionary?type=${encodeURIComponent(set.loan_type)} lists the fields`;
  const hint = nearest === undefined ? otherwise : `did you mean ${nearest}?`;
  add('UNKNOWN_FIELD', path, `${set.loan_type} has no field "${name.slice(0, 80)}"; ${hint}`, nearest);
}

/** The field that a name is nearly that of, or a header of. */
function nearestField(name: string, { fields, dictionary }: Checking): string | undefined {
  const header = normalizeHeader(name);
  const near = [...fields.keys()].find(
    (known) => known.startsWith(name) || name.startsWith(known) || editsAtMostTwo(known, name),
  );
  return (
    near ??
    dictionary.find((field) => [field.name, ...(field.aliases ?? [])].some((each) => normalizeHeader(each) === header))?.name
  );
}

function editsAtMostTwo(a: string, b: string): boolean {
  return a.length >= 4 && distance(a, b) <= 2;
}
