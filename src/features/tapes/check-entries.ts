import { formulaFaults } from '../../loans/criteria/formula.ts';
import { checkMappingRequests } from '../../loans/mapping/check-requests.ts';
import type { LoanType, MappingRequest } from '../../loans/types.ts';
import { ApiError, type FieldProblem } from '../../platform/http/errors.ts';
import { findUnknownFields } from '../../platform/http/unknown-fields.ts';
import type { StoredMapping } from './queries.ts';
import { MappingEntrySchema } from './wire.ts';

/** Largest number of problems in one response. */
const PROBLEMS_MAX = 100;

/** Refuses (422) entries that cannot be applied to a tape of these columns: misspelt fields first, since a transform without them is another one. */
export function checkEntries(entries: readonly MappingRequest[], mapping: StoredMapping, loanType: LoanType): void {
  const misspelt = entries.flatMap(unknownFields);
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

/** Misspelt fields of an entry, with paths such as those of its other problems. */
function unknownFields(entry: MappingRequest, index: number): FieldProblem[] {
  return findUnknownFields(MappingEntrySchema, entry).map(({ path, message, nearest }) => ({
    field: `mappings.${index}.${path.replaceAll(/\[(\d+)\]/g, '.$1')}`,
    code: 'UNKNOWN_FIELD',
    message,
    nearest,
  }));
}
