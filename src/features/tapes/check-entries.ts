import { formulaFaults } from '../../loans/criteria/formula.ts';
import { shownColumn } from '../../loans/ingest/seal-columns.ts';
import { checkMappingRequests } from '../../loans/mapping/check-requests.ts';
import { sourceFinder } from '../../loans/mapping/source-finder.ts';
import type { RawColumn } from '../../loans/reading/raw-table.ts';
import type { LoanType, MappingRequest } from '../../loans/types.ts';
import { ApiError, type FieldProblem } from '../../platform/http/errors.ts';
import { findUnknownFields } from '../../platform/http/unknown-fields.ts';
import type { StoredMapping, Tape } from './queries.ts';
import { MappingEntrySchema } from './mapping-schema.ts';

/** Refuses (422) entries that cannot be applied to a tape of these columns: misspelt fields first, since a transform without them is another one. */
export function checkEntries(entries: readonly MappingRequest[], mapping: StoredMapping, loanType: LoanType): void {
  const misspelt = entries.flatMap(unknownFields);
  if (misspelt.length > 0) throw refused('UNKNOWN_FIELD', misspelt);
  const problems = checkMappingRequests(entries, mapping, loanType).map(({ index, code, message }) => ({
    field: `mappings.${index}`,
    code,
    message,
  }));
  const formulas = entries.flatMap((entry, index) => formulaProblems(entry, index, loanType));
  const sealed = sealProblems(entries, mapping.columns);
  if (problems.length + formulas.length + sealed.length > 0)
    throw refused('MAPPING_INVALID', [...problems, ...formulas, ...sealed]);
}

/** Entries that would show a sealed column: it fills the fields of the obligor alone, by a token. */
function sealProblems(entries: readonly MappingRequest[], columns: readonly RawColumn[]): FieldProblem[] {
  const find = sourceFinder(columns);
  const asked = new Map(entries.map(({ source, sealed }) => [find(source)?.index, sealed]));
  const after = columns.map(({ sealed, ...column }): RawColumn => {
    const isSealed = asked.get(column.index) ?? sealed !== undefined;
    return isSealed ? { ...column, sealed: sealed ?? 'REQUEST' } : column;
  });
  const findAfter = sourceFinder(after);
  return entries.flatMap((entry, index) => {
    const column = shownColumn(entry, findAfter);
    const message = `"${column?.name}" is sealed as personal data and can fill obligor_id and obligor_name only, by a token; if it is not personal, send it with "sealed": false`;
    return column ? [{ field: `mappings.${index}`, code: 'SEALED_FIELD', message }] : [];
  });
}

/** Refuses (409) to seal or unseal columns of a tape whose values are destroyed. */
export function refuseDestroyedSeals({ version, keys_destroyed_at }: Tape, entries: readonly MappingRequest[]): void {
  if (keys_destroyed_at === null || entries.every(({ sealed }) => sealed === undefined)) return;
  throw new ApiError(
    'CONFLICT',
    `The sealed values of version ${version} are destroyed, so its columns cannot be sealed or unsealed: send a new version.`,
  );
}

function refused(code: 'UNKNOWN_FIELD' | 'MAPPING_INVALID', problems: FieldProblem[]): ApiError {
  return new ApiError(code, problems[0]?.message, { errors: problems });
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
