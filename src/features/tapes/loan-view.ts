import Type from 'typebox';
import type { Condition, LoanRule } from '../../loans/criteria/language.ts';
import { dictionary, findField } from '../../loans/dictionary/dictionary.ts';
import type { LoanSort } from '../../loans/export/list-loans.ts';
import type { LoanType } from '../../loans/types.ts';
import { unknownField } from '../../platform/http/unknown-fields.ts';
import { ApiError, type ErrorCode, invalidField } from '../../platform/http/errors.ts';
import { parseStrictJson } from '../../platform/http/strict-json.ts';
import { compileFilter } from './loan-filter.ts';

/** What every list of loans takes. */
export const LoanViewQuery = {
  sort: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 65,
      description: 'A field; a leading minus: descending. Loans without a value come last.',
    }),
  ),
  filter: Type.Optional(
    Type.String({
      minLength: 2,
      maxLength: 8_000,
      description:
        'A loan rule of selection criteria as JSON, or its condition alone: `{"field":"state","op":"eq","value":"TX"}`. Loans that meet it are listed; one that lacks a value does not meet it.',
    }),
  ),
  fields: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 8_000,
      description: 'Fields that are shown, with commas between them; all by default.',
    }),
  ),
};

export const LOAN_VIEW_ERRORS = [
  'NOT_FOUND',
  'UNKNOWN_FIELD',
  'INVALID_RULE',
  'RULE_TOO_LARGE',
  'PROHIBITED_FIELD',
] as const satisfies readonly ErrorCode[];

export type LoanView = { sort: LoanSort | null; condition: string | null; fields: string[] | null };

/**
 * Reads how loans are to be listed. `disclosed`: the fields that the reader sees, where it is not their owner; naming another one in a filter, a
 * sort or a list of fields is refused: the order and the number of the loans would tell its values.
 */
export function readLoanView(
  query: { sort?: string; filter?: string; fields?: string },
  { loanType, asOf, disclosed }: { loanType: LoanType; asOf: string; disclosed?: readonly string[] },
): LoanView {
  const sort = query.sort === undefined ? null : readSort(query.sort);
  const fields = query.fields === undefined ? null : readFields(query.fields);
  refuseNames('sort', sort ? [sort.field] : [], loanType, disclosed);
  refuseNames('fields', fields ?? [], loanType, disclosed);
  if (query.filter === undefined) return { sort, fields, condition: null };
  const compiled = compileFilter([readRule(query.filter)], loanType, asOf);
  refuseNames('filter', compiled.fields, loanType, disclosed);
  return { sort, fields, condition: compiled.condition };
}

const readSort = (text: string): LoanSort => ({ field: text.replace(/^-/, ''), desc: text.startsWith('-') });

function readFields(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  const repeated = names.find((name, index) => name === '' || names.indexOf(name) !== index);
  if (repeated !== undefined)
    throw invalidField(
      'fields',
      'INVALID',
      repeated === '' ? 'a name between two commas is empty' : `"${repeated}" is there twice`,
    );
  return names;
}

function refuseNames(parameter: string, names: readonly string[], loanType: LoanType, disclosed?: readonly string[]): void {
  const known = disclosed ?? null;
  const errors = names.flatMap((name) => {
    if (!findField(loanType, name)) {
      const { message } = unknownField(parameter, name, known ?? dictionary(loanType).map(({ field }) => field));
      return [{ field: parameter, code: 'UNKNOWN_FIELD', message }];
    }
    if (known === null || known.includes(name)) return [];
    const message = `"${name}" is not disclosed; the disclosed fields are ${known.join(', ')}`;
    return [{ field: parameter, code: 'FIELD_NOT_DISCLOSED', message, name }];
  });
  const [first] = errors;
  if (!first) return;
  const code = first.code === 'UNKNOWN_FIELD' ? 'UNKNOWN_FIELD' : 'FIELD_NOT_DISCLOSED';
  throw new ApiError(code, `The loans cannot be listed so: ${parameter}: ${first.message}.`, { errors });
}

/** A loan rule, or its condition alone. */
function readRule(text: string): LoanRule {
  const given = parseRule(text);
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw notARule();
  const isRule = 'rule' in given;
  const rule: unknown = isRule ? given.rule : given;
  if (typeof rule !== 'object' || rule === null || Array.isArray(rule)) throw notARule();
  // A rule that only warns would leave out no loan.
  return { ...(isRule ? given : {}), id: 'filter', severity: 'fail', rule: rule as Condition };
}

function parseRule(text: string): unknown {
  try {
    return parseStrictJson(Buffer.from(text));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const [rounded] = error.errors ?? [];
    if (rounded) throw invalidField(rounded.field ? `filter.${rounded.field}` : 'filter', rounded.code, rounded.message);
    throw invalidField('filter', 'INVALID', `not JSON: ${error.message}`);
  }
}

const notARule = (): ApiError =>
  invalidField(
    'filter',
    'INVALID',
    'expected a condition such as {"field":"state","op":"eq","value":"TX"}, or a loan rule with one',
  );
