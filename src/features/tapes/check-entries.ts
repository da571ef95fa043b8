import { distance } from 'fastest-levenshtein';
import type { TSchema } from 'typebox';
import { formulaFaults } from '../../loans/criteria/formula.ts';
import { checkMappingRequests } from '../../loans/mapping/check-requests.ts';
import type { LoanType, MappingRequest } from '../../loans/types.ts';
import { ApiError, type FieldProblem } from '../../platform/http/errors.ts';
import type { StoredMapping } from './queries.ts';
import { MappingEntrySchema } from './wire.ts';

/** Largest number of problems in one response. */
const PROBLEMS_MAX = 100;

/** Refuses (422) entries that cannot be applied to a tape of these columns: misspelt fields first, since a transform without them is another one. */
export function checkEntries(entries: readonly MappingRequest[], mapping: StoredMapping, loanType: LoanType): void {
  const misspelt = entries.flatMap((entry, index) => unknownFields(entry, MappingEntrySchema, `mappings.${index}`));
  if (misspelt.length > 0) throw refused('UNKNOWN_FIELD', misspelt);
  const problems = checkMappingRequests(entries, mapping.columns, loanType).map(({ index, code, message }) => ({
    field: `mappings.${index}`,
    code,
    message,
  }));
  const formulas = entries.flatMap((entry, index) => formulaProblems(entry, index, loanType));
  if (problems.length + formulas.length > 0) throw refused('MAPPING_INVALID', [...problems, ...formulas]);
}

function refused(code: 'UNKNOWN_FIELD' | 'MAPPING_INVALID', problems: FieldProblem[]): ApiError {
  return new ApiError(code, problems[0]?.message, { errors: problems.slice(0, PROBLEMS_MAX) });
}

/** What the criteria language says of the formula of an entry. */
function formulaProblems({ transform }: MappingRequest, index: number, loanType: LoanType): FieldProblem[] {
  if (!transform?.formula) return [];
  return formulaFaults(transform.formula, loanType).map(({ code, path, message }) => ({
    field: `mappings.${index}.transform.${path}`,
    code: code === 'PROHIBITED_FIELD' ? code : 'INVALID_TRANSFORM',
    message,
  }));
}

/** The parts of a schema that say which fields an object has. */
type Shape = { properties?: Record<string, TSchema>; items?: TSchema };

/** Fields of a value that its schema does not have, each with the nearest one that it has. */
function unknownFields(value: unknown, schema: TSchema, path: string): FieldProblem[] {
  const { properties, items }: Shape = schema;
  if (Array.isArray(value)) return items ? value.flatMap((each, index) => unknownFields(each, items, `${path}.${index}`)) : [];
  if (typeof value !== 'object' || value === null || !properties) return [];
  const known = Object.keys(properties);
  return Object.entries(value).flatMap(([key, inner]) => {
    const part = Object.hasOwn(properties, key) ? properties[key] : undefined;
    const field = `${path}.${key.slice(0, 64)}`;
    return part ? unknownFields(inner, part, field) : [unknownField(key, known, field)];
  });
}

/** Names that differ in more letters are not suggested. */
const MOST_EDITS = 3;

function unknownField(key: string, known: readonly string[], field: string): FieldProblem {
  const edits = (name: string) => distance(key.slice(0, 64).toLowerCase(), name);
  const [nearest] = known.toSorted((a, b) => edits(a) - edits(b));
  const isNear = nearest !== undefined && edits(nearest) <= MOST_EDITS;
  const hint = isNear ? `did you mean "${nearest}"?` : `known are ${known.join(', ')}`;
  const message = `there is no field "${key.slice(0, 64)}" here; ${hint}`;
  return { field, code: 'UNKNOWN_FIELD', message, nearest: nearest ?? null };
}
