import { STATE_CODES } from '../dictionary/dictionary.ts';
import { type Field, type FieldRange, isNumeric } from '../dictionary/field.ts';
import { sqlText, textList } from '../engine/sql.ts';
import { type RowCheck, type RowCheckMaker, sentence, shown, shownDate, type TapeFacts, unreadableBit } from './check.ts';

/** Checks of a single field, for every field that a column fills. */
export const fieldChecks: RowCheckMaker = (facts) =>
  facts.fields
    .filter((field) => facts.present.has(field.field))
    .flatMap((field) => [
      ...unreadable(field, facts),
      ...missingValue(field, facts),
      ...range(field, facts),
      ...notWhole(field),
      ...stateCode(field),
    ]);

function unreadable(field: Field, facts: TapeFacts): RowCheck[] {
  if (!facts.mapped.has(field.field) || field.field === facts.amount || field.type === 'string') return [];
  const expected = sqlText(expectation(field));
  return [
    {
      rule_id: 'UNREADABLE_VALUE',
      severity: 'WARNING',
      field: field.field,
      when: unreadableBit(facts.fields, field.field),
      message: sqlText(`${field.field} cannot be read as ${article(field)} and counts as missing; ${remedy(field)}`),
      expected,
    },
  ];
}

const KINDS: Readonly<Record<Field['type'], string>> = {
  string: 'text',
  date: 'a date',
  money: 'an amount',
  percent: 'a percentage',
  integer: 'a whole number',
  number: 'a number',
  enum: 'one of its words',
  boolean: 'yes or no',
};

function article(field: Field): string {
  return KINDS[field.type];
}

function expectation(field: Field): string {
  if (field.enum) return field.enum.join(', ');
  if (field.type === 'date') return 'a real date such as 2020-01-31';
  if (field.type === 'boolean') return 'Y or N';
  return `${article(field)}${field.range ? `, ${field.range.text}` : ''}`;
}

function remedy(field: Field): string {
  if (field.enum) return 'correct it, or give its meaning with {"values": {...}} in the mapping';
  if (field.type === 'date') return 'correct it, or name its pattern with {"date": "..."} in the mapping';
  return 'correct it or leave it blank';
}

function missingValue(field: Field, facts: TapeFacts): RowCheck[] {
  if (!field.required || !facts.mapped.has(field.field)) return [];
  const isAmount = field.field === facts.amount;
  if (isAmount && facts.fallback === null) return [];
  const blank = `${field.field} IS NULL AND NOT (${unreadableBit(facts.fields, field.field)})`;
  return [
    {
      rule_id: 'MISSING_VALUE',
      severity: 'WARNING',
      field: field.field,
      // a row without any amount is an error, and that says it all
      when: isAmount ? `${blank} AND ${facts.fallback} > 0` : blank,
      message: sqlText(`${field.field} is required and is missing; a rule on it fails with MISSING`),
      expected: sqlText(expectation(field)),
    },
  ];
}

function range(field: Field, facts: TapeFacts): RowCheck[] {
  if (!field.range) return [];
  if (field.type === 'date') return dateRange(field, field.range, facts);
  if (field.type === 'string') return longText(field, field.range.text);
  if (!isNumeric(field)) return [];
  const low = field.field === facts.amount ? null : bound(field.range.min, facts);
  const high = bound(field.range.max, facts);
  const sides = [
    ...(low === null ? [] : [`${field.field} ${field.range.min_exclusive ? '<=' : '<'} ${low}`]),
    ...(high === null ? [] : [`${field.field} > ${high}`]),
  ];
  if (sides.length === 0) return [];
  const limits = `${low === null ? '' : `${field.range.min_exclusive ? 'above' : 'at least'} ${low}`}${low !== null && high !== null ? ' and ' : ''}${high === null ? '' : `at most ${high}`}`;
  return [
    {
      rule_id: 'OUT_OF_RANGE',
      severity: 'WARNING',
      field: field.field,
      when: sides.join(' OR '),
      message: sentence(
        sqlText(`${field.field} is `),
        shown(field.field),
        sqlText(`, outside its plausible range; the value is kept`),
      ),
      expected: sqlText(`${limits}${field.unit ? ` (${field.unit})` : ''}`),
    },
  ];
}

/** The dictionary states the length of identifiers in the words of their range, `1-64 chars`. */
function longText(field: Field, limits: string): RowCheck[] {
  const most = /^1-(\d+) chars/.exec(limits)?.[1];
  if (most === undefined) return [];
  return [
    {
      rule_id: 'OUT_OF_RANGE',
      severity: 'WARNING',
      field: field.field,
      when: `length(${field.field}) > ${most}`,
      message: sentence(
        sqlText(`${field.field} has `),
        `length(${field.field})`,
        sqlText(` characters, more than ${most}; the value is kept`),
      ),
      expected: sqlText(`1 to ${most} characters`),
    },
  ];
}

function bound(limit: FieldRange['min'], facts: TapeFacts): string | null {
  if (limit === null) return null;
  if (limit === 'NEXT_YEAR') return String(Number(facts.asOf.slice(0, 4)) + 1);
  return String(limit);
}

function dateRange(field: Field, limits: FieldRange, facts: TapeFacts): RowCheck[] {
  const checks: RowCheck[] = [];
  if (limits.min !== null)
    checks.push({
      rule_id: 'OUT_OF_RANGE',
      severity: 'WARNING',
      field: field.field,
      when: `${field.field} < DATE ${sqlText(String(limits.min))}`,
      message: sentence(sqlText(`${field.field} is `), shownDate(field.field), sqlText(', implausibly early; the value is kept')),
      expected: sqlText(`${limits.min} or later`),
    });
  if (limits.max === 'AS_OF')
    checks.push({
      rule_id: 'DATE_IN_FUTURE',
      severity: 'WARNING',
      field: field.field,
      when: `${field.field} > DATE ${sqlText(facts.asOf)}`,
      message: sentence(
        sqlText(`${field.field} is `),
        shownDate(field.field),
        sqlText(`, after ${facts.asOf}; the value is kept`),
      ),
      expected: sqlText(`${facts.asOf} or earlier`),
    });
  return checks;
}

function notWhole(field: Field): RowCheck[] {
  if (field.type !== 'integer') return [];
  return [
    {
      rule_id: 'NOT_WHOLE',
      severity: 'WARNING',
      field: field.field,
      when: `${field.field} % 1 <> 0`,
      message: sentence(sqlText(`${field.field} is `), shown(field.field), sqlText(', not a whole number; the value is kept')),
      expected: sqlText('a whole number'),
    },
  ];
}

function stateCode(field: Field): RowCheck[] {
  if (field.field !== 'state') return [];
  return [
    {
      rule_id: 'STATE_CODE_UNKNOWN',
      severity: 'WARNING',
      field: 'state',
      when: `NOT list_contains(${textList(STATE_CODES)}, state)`,
      message: sentence("'state is '", 'state', "', which is not a code of the US Postal Service; the value is kept'"),
      expected: sqlText('a two-letter USPS code, DC, PR, VI, GU, AS and MP included'),
    },
  ];
}
