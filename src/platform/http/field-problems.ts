import { ApiError, type FieldProblem } from './errors.ts';

/** A problem that the validator found: its place in body, query or path, and the keyword of the schema. */
export type ValidationError = {
  instancePath: string;
  keyword: string;
  message?: string;
  params: Record<string, unknown>;
  /** The name at fault, where the schema is that of the names of a record. */
  propertyName?: string;
};

/** Field problems never repeat the value that was sent: it may be a secret or personal. */
export function invalid(findings: readonly ValidationError[], context: string): ApiError {
  const errors: FieldProblem[] = findings
    .filter(isProblem)
    .slice(0, 50)
    .map((finding) => {
      const path = finding.instancePath.slice(1).replaceAll('/', '.');
      const missing = finding.keyword === 'required' ? String(finding.params.missingProperty) : null;
      const field = missing ? (path ? `${path}.${missing}` : missing) : path;
      return { field: field || context, code: missing ? 'REQUIRED' : 'INVALID', message: describe(finding) };
    });
  const fields = [...new Set(errors.map((error) => error.field))].slice(0, 5).join(', ');
  return new ApiError('VALIDATION_FAILED', `A field is missing or invalid: ${fields}.`, { errors });
}

/** What is wrong with a name has a finding of its own beside the one that says that there is such a name. */
const isProblem = ({ keyword }: ValidationError): boolean => keyword !== 'propertyNames';

const FORMATS: Record<string, string> = {
  money: 'an amount with at most 2 decimals',
  date: 'a date such as 2026-11-30',
  'date-time': 'an instant such as 2026-11-30T12:00:00.000Z',
  'date-or-instant': 'a date such as 2026-11-30, or an instant such as 2026-11-30T12:00:00.000Z',
  'plain-text': 'text without control characters and without marks that change its direction',
};

const TYPES: Record<string, string> = {
  string: 'text in quotes',
  number: 'a number, without quotes',
  integer: 'a whole number, without quotes',
  boolean: 'true or false, without quotes',
  object: 'an object in braces',
  array: 'a list in brackets',
  null: 'null',
};

/** Keywords with a limit, and its wording. */
const LIMITS: Record<string, (limit: number) => string> = {
  minimum: (limit) => `at least ${limit}`,
  maximum: (limit) => `at most ${limit}`,
  exclusiveMinimum: (limit) => `above ${limit}`,
  exclusiveMaximum: (limit) => `below ${limit}`,
  minLength: (limit) => `at least ${limit} ${limit === 1 ? 'character' : 'characters'}`,
  maxLength: (limit) => `at most ${limit} characters`,
  minItems: (limit) => `at least ${limit} ${limit === 1 ? 'entry' : 'entries'}`,
  maxItems: (limit) => `at most ${limit} entries`,
};

function describe({ keyword, params, message, propertyName }: ValidationError): string {
  const expected = expectedBy(keyword, params);
  const names = propertyName === undefined ? '' : 'names of ';
  return expected ? `expected ${names}${expected}` : (message ?? 'is not valid');
}

function expectedBy(keyword: string, params: Record<string, unknown>): string | undefined {
  if (keyword === 'required') return 'this field, which is missing';
  if (keyword === 'enum') return `one of ${(params.allowedValues as unknown[]).join(', ')}`;
  if (keyword === 'format') return FORMATS[String(params.format)];
  if (keyword === 'type')
    return [params.type]
      .flat()
      .map((type) => TYPES[String(type)] ?? String(type))
      .join(' or ');
  return LIMITS[keyword]?.(Number(params.limit));
}
