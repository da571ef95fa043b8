import { findingsOfMeant } from './alternatives.ts';
import { ApiError, type FieldProblem } from './errors.ts';
import { type Expecting, expectedOf } from './expectations.ts';
import { likeliest, sameWord } from './nearest.ts';
import { remedyOf } from './remedies.ts';
import { shown, sized, VISIBLE } from './shown.ts';
import { MOST_FINDINGS, type ValidationError } from './validation-error.ts';

/** Most names of an object among which one that is missing is looked for, misspelled. */
const MOST_NAMES = 200;
/** Longest text that is repeated where a number or a date belongs. */
const LONGEST_SEEN = 40;

/**
 * Every problem says what was seen, what was expected and, where the value shows it, how to mend it. A text is repeated only where a word
 * of a list, a number or a date belongs: free text may be secret or personal.
 */
export function invalid(findings: readonly ValidationError[], context: string): ApiError {
  const place = context === 'body' ? 'body' : 'elsewhere';
  const namesOf = rememberNames();
  const problems = findingsOfMeant(findings.slice(0, MOST_FINDINGS))
    .filter(isProblem)
    .map((finding): FieldProblem => {
      const path = finding.instancePath.slice(1).replaceAll('/', '.');
      const missing = finding.keyword === 'required' ? String(finding.params.missingProperty) : null;
      const field = missing ? (path ? `${path}.${missing}` : missing) : path;
      const message = missing === null ? describe(finding, place) : describeMissing(missing, finding, namesOf);
      return { field: field || context, code: missing ? 'REQUIRED' : 'INVALID', message };
    });
  const errors = problems.filter(
    ({ field, message }, index) => problems.findIndex((each) => each.field === field && each.message === message) === index,
  );
  return new ApiError('VALIDATION_FAILED', undefined, { errors });
}

/** What is wrong with a name has a finding of its own beside the one that says that there is such a name. */
const isProblem = ({ keyword }: ValidationError): boolean => keyword !== 'propertyNames';

function describe({ keyword, params, data, parentSchema, propertyName }: ValidationError, place: 'body' | 'elsewhere'): string {
  if (propertyName !== undefined) return `seen ${seenName(propertyName)}, expected names that are ${expectedOf(parentSchema)}`;
  if (keyword === 'additionalProperties') return describeUnknown(String(params.additionalProperty), parentSchema);
  if (keyword === 'uniqueItems')
    return `the entries ${String(params.j)} and ${String(params.i)} are equal, expected entries that all differ`;
  if (keyword === 'format' && parentSchema.format === 'plain-text')
    return VISIBLE.test(String(data))
      ? `${invisibleCharacter(String(data))}, expected text without control characters and without marks that change its direction`
      : 'seen blanks alone, expected text';
  const remedy = remedyOf(parentSchema, data, place);
  return `seen ${seenOf(data, parentSchema)}, expected ${expectedOf(parentSchema)}${remedy === '' ? '' : `; ${remedy}`}`;
}

const seenName = (name: string): string =>
  name.length > LONGEST_SEEN ? `a name of ${name.length} characters` : `the name ${shown(name)}`;

function describeUnknown(unknown: string, { properties = {} }: Expecting): string {
  const known = Object.keys(properties);
  const meant = likeliest(unknown, known);
  return `seen ${seenName(unknown)}, expected ${known.join(', ')}${meant === null ? '' : `; did you mean ${meant}?`}`;
}

function describeMissing(name: string, { data, parentSchema }: ValidationError, namesOf: NamesOf): string {
  const { properties = {} } = parentSchema;
  const own = properties[name];
  const sent = namesOf(data as object).find((each) => !Object.hasOwn(properties, each) && sameWord(each, name));
  const hint = sent === undefined ? '' : `; you sent ${shown(sent)}: did you mean ${name}?`;
  return `this field is missing, expected ${own ? expectedOf(own) : 'a value'}${hint}`;
}

type NamesOf = (data: object) => readonly string[];

/** The first names of an object. Each of its missing fields asks for them, and to list those of a large one takes a while. */
function rememberNames(): NamesOf {
  const known = new Map<object, readonly string[]>();
  return (data) => known.getOrInsertComputed(data, () => Object.keys(data).slice(0, MOST_NAMES));
}

function seenOf(value: unknown, schema: Expecting): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value !== 'string') return String(value);
  return isRepeatable(schema) && value.length <= LONGEST_SEEN ? shown(value) : sized(value);
}

/** Whether what belongs here is a word of a list, a number or a date, and not free text. */
function isRepeatable(schema: Expecting): boolean {
  if (schema.anyOf) return schema.anyOf.filter(({ type }) => type !== 'object' && type !== 'array').every(isRepeatable);
  if (schema.enum || schema.const !== undefined || schema.pattern !== undefined || schema.format?.startsWith('date')) return true;
  return !['string', 'object', 'array'].some((type) => [schema.type ?? 'string'].flat().includes(type));
}

function invisibleCharacter(text: string): string {
  const at = text.search(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u202a-\u202e\u2066-\u2069]/);
  if (at === -1) return 'seen half of a character of two code units';
  return `seen U+${text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0')} as character ${at + 1}`;
}
